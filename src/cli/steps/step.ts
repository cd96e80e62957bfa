import { exitCodes } from "../../base/errors.js";
import type { Engine } from "../../engine/engine.js";
import type { Configuration } from "../../pipeline/configuration/configuration.js";
import type { ExportResult } from "../../pipeline/run-export.js";
import type { RunObserver, RunOutcome } from "../../pipeline/run-observer.js";
import type { SendResult } from "../../pipeline/send-result.js";
import type { StoredEvents } from "../../pipeline/verify/stored-counts.js";
import type { VerifyResult } from "../../pipeline/verify/verify.js";
import type { StoredResult } from "../../pipeline/verify/verify-stored.js";
import type { Report } from "../../profile/report.js";
import type { QualifyResult } from "../qualify/run-qualify.js";

/** What the steps of a migration came to, for those after them and for its summary. */
export interface StepResults {
  /** Without a page where the dry run was interrupted. */
  readonly validate?: { readonly report: Report; readonly htmlPath?: string };
  readonly export?: ExportResult;
  readonly send?: SendResult;
  readonly qualify?: QualifyResult;
  readonly verify?: VerifyResult;
  /** Only where the service is embedded and events were sent to it. */
  readonly stored?: StoredResult;
}

export interface StepContext {
  readonly engine: Engine;
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
  /** Words that do the same again, without the program's name. */
  readonly commandLine: readonly string[];
  /** Of the steps of this migration that are done; empty for a command of its own. */
  readonly results: StepResults;
  /** What the migration's own service has stored, where it has one. */
  readonly stored?: StoredEvents;
}

/** How a step ended, for whoever reads it. */
export interface StepReport {
  readonly exitCode: number;
  /** One screen for people. */
  readonly summary: string;
  /** The same for programs. */
  readonly json: Readonly<Record<string, unknown>>;
  /** What ended the step, to be told below its summary. */
  readonly error?: unknown;
  readonly results: StepResults;
}

/** One part of a migration: a command of its own, and a step of `migrate`. */
export type RunStep = (configuration: Configuration, context: StepContext) => Promise<StepReport>;

export function resultsOf(reports: readonly { readonly results: StepResults }[]): StepResults {
  return Object.assign({}, ...reports.map(({ results }) => results)) as StepResults;
}

/** Exit code of a run over inputs, wherever its events went. */
export function runExitCode({
  outcome,
  tooManyRejects,
}: {
  readonly outcome: RunOutcome;
  readonly tooManyRejects: boolean;
}): number {
  switch (outcome) {
    case "interrupted":
      return exitCodes.interrupted;
    case "failed":
      return exitCodes.failed;
    case "done":
      return tooManyRejects ? exitCodes.tooManyRejects : exitCodes.done;
  }
}
