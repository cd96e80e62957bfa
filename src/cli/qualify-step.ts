import { exitCodes, UsageError } from "../base/errors.js";
import type { Configuration } from "../pipeline/configuration.js";
import { CONSOLE_KEY_VARIABLE } from "../pipeline/configuration-secrets.js";
import { summarizeQualify } from "./qualify-summary.js";
import type { QualifyResult, QualifyTask } from "./run-qualify.js";
import type { StepContext, StepReport } from "./step.js";

export async function runQualifyStep(
  configuration: Configuration,
  { signal }: StepContext,
): Promise<StepReport> {
  const task = taskOf(configuration);
  // The client takes longer to load than most commands to run.
  const { runQualify } = await import("./run-qualify.js");
  const result = await runQualify(task, signal);
  const exitCode = exitCodeOf(result);
  const { applied, ...facts } = result;
  const { stopped, ...outcome } = applied ?? {};
  const error =
    stopped === undefined ? {} : { error: { code: stopped.code, message: stopped.message } };
  return {
    exitCode,
    summary: summarizeQualify(result),
    json: { command: "qualify", exitCode, ...facts, ...outcome, ...error },
  };
}

/** A plan alone is always done; one that is carried out has to be carried out in full. */
function exitCodeOf({ mode, plan, applied }: QualifyResult): number {
  if (mode === "plan") return exitCodes.done;
  if (applied?.stopped !== undefined) return applied.stopped.exitCode;
  const isWhole = applied?.failed.length === 0 && plan.every(({ action }) => action !== "refused");
  return isWhole ? exitCodes.done : exitCodes.failed;
}

function taskOf({ values, consoleKey }: Configuration): QualifyTask {
  const from = values.from ?? values.to;
  if (values.console === undefined) {
    throw new UsageError(
      "console_missing",
      "No console: give its address with --console, as https://console.example.com.",
    );
  }
  if (from === undefined) {
    throw new UsageError(
      "export_missing",
      "No export to take event names from: give the directory that was given to `switchyard export --to`.",
    );
  }
  if (consoleKey === undefined) {
    throw new UsageError(
      "key_missing",
      `A console key is missing: put it into the environment as ${CONSOLE_KEY_VARIABLE}, or into a file and give --console-key-file.`,
    );
  }
  return {
    from,
    client: {
      ...{ baseUrl: values.console, key: consoleKey },
      ...(values.qualifyAuthHeader === undefined ? {} : { keyHeader: values.qualifyAuthHeader }),
    },
    mode: values.dryRun === true ? "dryRun" : values.yes === true ? "apply" : "plan",
    options: {
      includeEvents: values.includeEvent ?? [],
      excludeEvents: values.excludeEvent ?? [],
      nameTemplate: values.nameTemplate ?? "{event}",
      sqlTemplate: values.sqlTemplate ?? "SELECT * FROM {table} WHERE event = {event}",
      table: values.table ?? "events",
      timestampColumn: values.timestampColumn ?? "timestamp",
      tags: values.tag,
    },
  };
}
