import { exitCodes } from "../base/errors.js";
import type { StepName } from "../pipeline/configuration/configuration-schema.js";
import type { MigrationService } from "./steps/migration-service.js";
import type { StepReport } from "./steps/step.js";

/** How a command ended, whether or not it got to the end of its steps. */
export interface CommandOutcome {
  readonly command: StepName | "migrate";
  readonly exitCode: number;
  /** Steps that were to be done, in order; none where it was not even known which. */
  readonly names: readonly StepName[];
  /** Of the steps that ended, whether well or not: those that come first. */
  readonly reports: readonly StepReport[];
  /** The migration's own service. */
  readonly service?: NonNullable<MigrationService["embedded"]>;
  /** What was thrown instead of a result. */
  readonly error?: unknown;
}

/** The step that ended the command before all were done; undefined where none did. */
export function stoppedAt(outcome: CommandOutcome): StepName | undefined {
  return outcome.names[stopOf(outcome)];
}

/** Steps that were not begun, because one before them did not end well. */
export function notRunOf(outcome: CommandOutcome): readonly StepName[] {
  return outcome.names.slice(stopOf(outcome) + 1);
}

/** Its place among the steps; behind the last one where all of them ended well. */
function stopOf({ reports, names, ...outcome }: CommandOutcome): number {
  if (reports.some(({ exitCode }) => exitCode !== exitCodes.done)) return reports.length - 1;
  return "error" in outcome ? reports.length : names.length;
}
