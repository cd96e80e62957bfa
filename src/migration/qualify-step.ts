import { dirname } from "node:path";
import { exitCodes } from "../base/errors.js";
import { settleUnlessRunning } from "../check/compact/settle-compaction.js";
import { findEventSource } from "../commands/qualify/event-source.js";
import {
  prepareCount,
  readKnownEvents,
  readStoredEvents,
} from "../commands/qualify/known-events.js";
import { summarizeQualify } from "../commands/qualify/qualify-summary.js";
import type { QualifyResult, QualifyTask } from "../commands/qualify/run-qualify.js";
import { runExitCode } from "../commands/run-exit-code.js";
import { namingOptionsOf } from "../engine/complete-report.js";
import type { Configuration } from "../options/configuration.js";
import { resolveConsole } from "../options/console-options.js";
import { placeOf } from "../options/run-options.js";
import type { StepContext, StepReport } from "./step.js";

export async function runQualifyStep(
  configuration: Configuration,
  context: StepContext,
): Promise<StepReport> {
  const task = await taskOf(configuration, context);
  // The client takes longer to load than most commands take to run.
  const { runQualify } = await import("../commands/qualify/run-qualify.js");
  const result = await runQualify(task, context.signal);
  const exitCode = exitCodeOf(result);
  return {
    exitCode,
    summary: summarizeQualify(result),
    json: jsonOf(result, exitCode),
    results: { qualify: result },
  };
}

function jsonOf({ mode, console, known, plan, applied }: QualifyResult, exitCode: number) {
  const { origin, ...facts } = known;
  const { stopped, ...outcome } = applied ?? {};
  const error =
    stopped === undefined ? {} : { error: { code: stopped.code, message: stopped.message } };
  return {
    command: "qualify",
    exitCode,
    mode,
    console,
    ...origin,
    ...facts,
    plan,
    ...outcome,
    ...error,
  };
}

/**
 * Fails if the plan was not applied completely. Otherwise the exit code is the one of reading the inputs.
 */
function exitCodeOf({ mode, plan, applied, known: { origin } }: QualifyResult): number {
  if (applied?.stopped !== undefined) return applied.stopped.exitCode;
  const isWhole =
    mode === "plan" ||
    (applied?.failed.length === 0 &&
      applied.uncertain.length === 0 &&
      plan.every(({ action }) => action !== "refused"));
  if (!isWhole) return exitCodes.failed;
  if (!("inputs" in origin)) return exitCodes.done;
  const { failures, tooManyRejects } = origin;
  return runExitCode({ outcome: failures.length > 0 ? "failed" : "done", tooManyRejects });
}

async function taskOf(configuration: Configuration, context: StepContext): Promise<QualifyTask> {
  const { values } = configuration;
  const client = resolveConsole(configuration);
  const source = await findEventSource(configuration, context.signal);
  const isSlow = source.kind === "inputs";
  if (!isSlow) {
    const place =
      source.kind === "stored" ? source.place : placeOf(configuration, dirname(source.file));
    await settleUnlessRunning({ ...place, signal: context.signal });
  }
  return {
    readEvents:
      source.kind === "inputs"
        ? prepareCount(configuration, context)
        : source.kind === "stored"
          ? () => readStoredEvents(source.place, context.signal)
          : () => readKnownEvents(source.file),
    isSlow,
    client,
    note: (text) => context.observer.note?.(text),
    mode: values.dryRun === true ? "dryRun" : values.yes === true ? "apply" : "plan",
    options: {
      // Inputs are filtered while they are counted, by the name in the row, as in an export.
      includeEvents: isSlow ? [] : (values.includeEvent ?? []),
      excludeEvents: isSlow ? [] : (values.excludeEvent ?? []),
      ...namingOptionsOf(values),
    },
  };
}
