import type { Engine } from "../../engine/engine.js";
import type { Configuration } from "../../pipeline/configuration/configuration.js";
import type { RunObserver } from "../../pipeline/progress.js";
import type { StoredEvents } from "../../pipeline/verify/stored-counts.js";
import type { StepResults } from "./step-results.js";

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
