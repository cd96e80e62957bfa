import { exitCodes } from "../base/errors.js";
import type { StoredEvents } from "../check/verify/stored-counts.js";
import type { VerifyResult } from "../check/verify/verify.js";
import type { StoredResult } from "../check/verify/verify-stored.js";
import type { ByteStream } from "../commands/context.js";
import type { QualifyResult } from "../commands/qualify/run-qualify.js";
import type { FetchedExport } from "../commands/run-fetch.js";
import type { ReadyResult } from "../engine/run-ready.js";
import type { Runs } from "../engine/runs.js";
import type { MissingFields } from "../ledger/manifest.js";
import type { RunObserver } from "../ledger/run-observer.js";
import type { Configuration, GivenFlags } from "../options/configuration.js";
import type { StepName } from "../options/configuration-schema.js";
import type { Environment } from "../options/secrets.js";
import type { Report } from "../profile/report.js";
import { factsOf } from "../report/error-text.js";
import { missingFieldsError } from "../report/summary-parts.js";
import type { ExportResult } from "../run/export-spec.js";
import type { SendResult } from "../run/send-result.js";
import type { MigrationService } from "./migration-service.js";

/** Results of the steps of a migration, for later steps and for the summary. */
export interface StepResults {
  readonly fetch?: FetchedExport;
  /** Without a page if the dry run was interrupted. */
  readonly validate?: { readonly report: Report; readonly htmlPath?: string };
  readonly export?: ExportResult;
  readonly send?: SendResult;
  readonly qualify?: QualifyResult;
  readonly verify?: VerifyResult;
  readonly ready?: ReadyResult;
  /** Present if the service is embedded and events were sent to it. */
  readonly stored?: StoredResult;
}

export interface StepContext {
  readonly runs: Runs;
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
  readonly environment: Environment;
  readonly flags: GivenFlags;
  /** For events; what the step reports is printed later. */
  readonly stdout: ByteStream;
  /** The command that starts the program, shown in commands to type. */
  readonly program: string;
  /** Arguments that repeat the command, without the program's name. */
  readonly commandLine: readonly string[];
  /** Results of the earlier steps of this migration; empty for a single command. */
  readonly results: StepResults;
  readonly isMigration: boolean;
  /** Events stored by the embedded service of the migration, if it has one. */
  readonly stored?: StoredEvents;
}

/** The end of a step. */
export interface StepReport {
  readonly exitCode: number;
  /** Text for people; at most one screen. Empty if there is nobody to tell. */
  readonly summary: string;
  /** The result for programs. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The error that ended the step; printed below its summary. */
  readonly error?: unknown;
  readonly results: StepResults;
  /** The command to type next, with the program; absent if there is none, or it is the same again. */
  readonly next?: string;
  /** Set if the step did nothing because no input is new. */
  readonly isIdle?: boolean;
}

/** Runs one part of a migration: a command, and a step of `migrate`. */
export type RunStep = (configuration: Configuration, context: StepContext) => Promise<StepReport>;

export function resultsOf(reports: readonly { readonly results: StepResults }[]): StepResults {
  return Object.assign({}, ...reports.map(({ results }) => results)) as StepResults;
}

/** Makes the report of a finished step a failure if `requireFields` is set and mapped fields are missing. */
export function requireFields(
  report: StepReport,
  { values }: Configuration,
  missing: readonly MissingFields[] | undefined,
): StepReport {
  const isFinished = ([exitCodes.done, exitCodes.tooManyRejects] as number[]).includes(
    report.exitCode,
  );
  if (values.requireFields !== true || !isFinished) return report;
  const error = missingFieldsError(missing);
  if (error === undefined) return report;
  const { exitCode } = error;
  return { ...report, exitCode, json: { ...report.json, exitCode, error: factsOf(error) }, error };
}

/** The end of a command. */
export interface CommandOutcome {
  /** Set if nothing is on disk from which the command could resume. */
  readonly keepsNothing?: boolean;
  readonly command: StepName | "migrate";
  readonly exitCode: number;
  /** Steps to run, in order; empty if the command failed before they were known. */
  readonly names: readonly StepName[];
  /** Reports of the first steps, up to the one that ended the command. */
  readonly reports: readonly StepReport[];
  /** The embedded service of the migration. */
  readonly service?: NonNullable<MigrationService["embedded"]>;
  /** Set if everything was done before: only the first steps ran, to look for new inputs. */
  readonly nothingNew?: string;
  /** The error that was thrown instead of a result. */
  readonly error?: unknown;
}

/** Returns the step that ended the command early; undefined if none did. */
export function stoppedAt(outcome: CommandOutcome): StepName | undefined {
  return outcome.names[stopOf(outcome)];
}

/** Returns the steps that did not start because an earlier one failed, or had nothing new. */
export function notRunOf(outcome: CommandOutcome): readonly StepName[] {
  if (outcome.nothingNew !== undefined) return outcome.names.slice(outcome.reports.length);
  return outcome.names.slice(stopOf(outcome) + 1);
}

/** Returns the index of the step that ended the command; the number of steps if none did. */
function stopOf({ reports, names, ...outcome }: CommandOutcome): number {
  if (reports.some(({ exitCode }) => exitCode !== exitCodes.done)) return reports.length - 1;
  return "error" in outcome ? reports.length : names.length;
}
