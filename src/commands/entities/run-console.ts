import path from "node:path";
import { exitCodes } from "../../base/errors.js";
import { applyImport, writesOf } from "../../console/entities/apply-import.js";
import { readEntityFiles, writeEntityFiles } from "../../console/entities/entity-directory.js";
import { entityFiles } from "../../console/entities/entity-files.js";
import { type ImportPlan, planImport } from "../../console/entities/import-plan.js";
import { readEntities } from "../../console/entities/read-entities.js";
import { stopOf } from "../../console/qualify.js";
import type { Configuration } from "../../options/configuration.js";
import { resolveConsole } from "../../options/console-options.js";
import { formatDuration, formatNumberOf } from "../../report/quantities.js";
import type { CommandContext, OutputForm } from "../context.js";
import { printJsonOrText } from "../print-result.js";
import { addressOf, openConsole } from "../qualify/run-qualify.js";
import { type CommandLine, runConfigured } from "../run-configured.js";
import { type ImportResult, summarizeImport } from "./import-summary.js";

interface ConsoleLine extends CommandLine {
  readonly place: string;
}

/** Writes the entities of a console into files and returns the exit code; never throws. */
export function runConsoleExport({ place, ...line }: ConsoleLine, context: CommandContext) {
  return runConfigured("console export", line, context, async (configuration, output) => {
    const { console, address } = await consoleOf(configuration, output, context);
    const directory = path.resolve(context.currentDirectory, place);
    const found = await usable(readEntities(console, context.signal));
    const files = await writeEntityFiles(directory, entityFiles(found));
    const entities = Object.fromEntries(
      [...found].map(([{ directory: kind }, list]) => [kind, list.length]),
    );
    const result = { command: "console export", exitCode: exitCodes.done, console: address };
    const json = { ...result, directory, entities, ...files };
    const { written, unchanged, removed } = files;
    const text = `${directory}: ${formatNumberOf(written, "file")} written, ${unchanged} unchanged, ${removed} removed`;
    printJsonOrText(json, text, output, context);
    return exitCodes.done;
  });
}

interface ImportLine extends ConsoleLine {
  readonly prune: boolean;
  readonly dryRun: boolean;
}

/** Applies files to a console and returns the exit code; never throws. */
export function runConsoleImport(
  { place, prune, dryRun, ...line }: ImportLine,
  context: CommandContext,
) {
  return runConfigured("console import", line, context, async (configuration, output) => {
    const { console, limit, address, note } = await consoleOf(configuration, output, context);
    const source = path.resolve(context.currentDirectory, place);
    const files = await readEntityFiles(source);
    const found = await usable(readEntities(console, context.signal));
    const plan = planImport(files, found, { prune });
    const writes = writesOf(plan);
    let result: ImportResult = {
      mode: dryRun ? "dryRun" : "apply",
      console: address,
      source,
      plan,
    };
    if (!dryRun) {
      if (limit !== undefined && writes > 0) {
        const time = formatDuration(limit.durationMs(writes));
        note(
          `${formatNumberOf(writes, "change")} take at least ${time} at the rate of the console`,
        );
      }
      result = { ...result, applied: await applyImport(plan, console, context.signal) };
    }
    const exitCode = exitCodeOf(result);
    printJsonOrText(jsonOf(result, exitCode), summarizeImport(result), output, context);
    return exitCode;
  });
}

async function consoleOf(
  configuration: Configuration,
  { quiet }: OutputForm,
  { stderr }: CommandContext,
) {
  const access = resolveConsole(configuration);
  const note = (text: string) => {
    if (!quiet) stderr.write(`${text}\n`);
  };
  const opened = await openConsole(access, note);
  return { ...opened, address: addressOf(access.baseUrl), note };
}

/** Explains an answer that says that the console cannot be used. */
async function usable<Result>(reading: Promise<Result>): Promise<Result> {
  try {
    return await reading;
  } catch (error) {
    throw stopOf(error) ?? error;
  }
}

function exitCodeOf({ mode, plan, applied }: ImportResult): number {
  if (applied?.stopped !== undefined) return applied.stopped.exitCode;
  if (mode === "dryRun") return exitCodes.done;
  const isRefused = plan.some(({ action }) => action === "refused");
  const left = (applied?.failed.length ?? 0) + (applied?.uncertain.length ?? 0);
  return isRefused || left > 0 ? exitCodes.failed : exitCodes.done;
}

function jsonOf({ mode, console, source, plan, applied }: ImportResult, exitCode: number) {
  const { stopped, ...outcome } = applied ?? {};
  const error = stopped && { error: { code: stopped.code, message: stopped.message } };
  const facts = { command: "console import", exitCode, mode, console, source };
  return { ...facts, plan: plainPlan(plan), ...outcome, ...error };
}

/** Leaves out the calls, which are not the user's words. */
function plainPlan(plan: ImportPlan): readonly object[] {
  return plan.map((item) => {
    if (!("steps" in item)) return item;
    const { steps, row: _, given: __, ...facts } = item;
    return { ...facts, writes: steps.length };
  });
}
