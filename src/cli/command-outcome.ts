import { exitCodes } from "../base/errors.js";
import type { StepName } from "../pipeline/configuration/configuration-schema.js";
import type { MigrationService } from "./steps/migration-service.js";
import type { StepReport } from "./steps/step.js";

/** The end of a command. */
export interface CommandOutcome {
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
