import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { exitCodes, SwitchyardError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { sum } from "../base/sum.js";
import type { StoredEvents } from "../check/verify/stored-counts.js";
import { type CommandContext, type OutputForm, outputOf } from "../commands/context.js";
import { displayOf } from "../commands/print-result.js";
import { dataDirectoryOf } from "../commands/service/service-options.js";
import type { RunMetrics } from "../engine/run-metrics.js";
import { runs } from "../engine/runs.js";
import {
  type Configuration,
  type GivenFlags,
  loadConfiguration,
} from "../options/configuration.js";
import type { StepName } from "../options/configuration-schema.js";
import { type CompleteValues, environmentNameOf, withDefaults } from "../options/option-names.js";
import { STANDARD_OUTPUT } from "../options/options.js";
import { outputRows } from "../options/output-rows.js";
import { resolveReady } from "../options/ready-options.js";
import { placeOf } from "../options/run-options.js";
import { MANIFEST_NAME } from "../output/layout.js";
import { openOutput } from "../output/open-output.js";
import { logLine } from "../report/progress.js";
import { formatNumberOf } from "../report/quantities.js";
import { harmless } from "../report/terminal-text.js";
import type { ExportResult } from "../run/export-spec.js";
import { keepConsole, type MigrationConsole, showConsole } from "./console-link.js";
import type { Journal } from "./journal.js";
import { type MigrationService, openMigrationService } from "./migration-service.js";
import { notify } from "./notify.js";
import { printOutcome, printStep } from "./print-outcome.js";
import { type CommandOutcome, type RunStep, resultsOf, type StepReport } from "./step.js";

/** The steps of `migrate`. Each is loaded when it runs. */
const steps: Readonly<Record<StepName, RunStep>> = {
  fetch: async (...step) => (await import("./fetch-step.js")).runFetchStep(...step),
  validate: async (...step) => (await import("./validate-step.js")).runValidateStep(...step),
  export: async (...step) => (await import("./export-step.js")).runExportStep(...step),
  send: async (...step) => (await import("./send-step.js")).runSendStep(...step),
  qualify: async (...step) => (await import("./qualify-step.js")).runQualifyStep(...step),
  verify: async (...step) => (await import("./verify-step.js")).runVerifyStep(...step),
  ready: async (...step) => (await import("./ready-step.js")).runReadyStep(...step),
};

/** A command line, before the configuration file and the environment are read. */
export interface Invocation {
  readonly command: StepName | "migrate";
  readonly flags: GivenFlags;
  /** `--config`. */
  readonly configPath: string | undefined;
  /** Arguments as given, without the program's name. */
  readonly words?: readonly string[];
  /** Open a browser that shows the migration, and keep the service until the first signal. */
  readonly opens?: boolean;
}

/** A run of steps in progress. */
interface Run {
  /** Printing goes to its streams; to standard error if the events go to standard output. */
  context: CommandContext;
  readonly stdout: CommandContext["stdout"];
  readonly command: Invocation["command"];
  readonly flags: GivenFlags;
  readonly commandLine: readonly string[];
  output: OutputForm;
  /** Steps to run. */
  names: readonly StepName[];
  /** Reports of the steps that ended. */
  readonly reports: StepReport[];
  /** Set if the migration had nothing to do. */
  nothingNew?: string;
  /** Address that the result is sent to. */
  notify?: string;
  /** Set while `--metrics` are served. */
  metrics?: RunMetrics;
  /** Set if there is a data directory of the service. */
  journal?: Journal;
  readonly opens: boolean;
  /** Set while a service runs in this process. */
  service?: MigrationService;
}

/**
 * Runs the step of a command, or the steps of a migration until one fails, and prints the outcome.
 * Returns the exit code; never throws.
 */
export async function runSteps(invocation: Invocation, context: CommandContext): Promise<number> {
  const { command, flags, words: commandLine = [command], opens = false } = invocation;
  const output = outputOf(flags);
  const { stdout } = context;
  const facts = { context, stdout, command, flags, commandLine, output, opens };
  const run: Run = { ...facts, names: [], reports: [] };
  const { notify: address = context.environment[environmentNameOf("notify")] } = flags;
  if (typeof address === "string" && URL.canParse(address)) run.notify = address;
  let outcome: Pick<CommandOutcome, "exitCode" | "service" | "error" | "nothingNew">;
  try {
    await runAll(run, invocation);
    const { embedded: service } = run.nothingNew === undefined ? (run.service ?? {}) : {};
    const last = run.reports.at(-1);
    outcome = {
      exitCode: last?.exitCode ?? exitCodes.done,
      ...omitUndefined({ service, nothingNew: run.nothingNew, error: last?.error }),
    };
  } catch (error) {
    outcome = { exitCode: exitCodeOf(error, context.signal), error };
  }
  const { names, reports } = run;
  // A dry run begins again; standard output has no place to go on from.
  const keepsNothing = command === "validate" || run.context !== context;
  const ended = { command, names, reports, keepsNothing, ...outcome };
  await run.journal?.close(ended);
  printOutcome(ended, run.output, run.context);
  if (run.notify !== undefined) await notify(run.notify, ended, run.output, run.context);
  const watched = opens ? consoleOf(run) : undefined;
  if (watched !== undefined) {
    await keepConsole(watched, run.output, context);
    await run.service?.stop();
  }
  return outcome.exitCode;
}

/** Runs the steps; the service has been stopped afterwards, unless it is to be looked at. */
async function runAll(run: Run, { configPath }: Invocation): Promise<void> {
  const { context, command, flags } = run;
  const { environment, currentDirectory, signal } = context;
  const given = { flags, configPath, environment, currentDirectory };
  const configuration = await loadConfiguration(given);
  const { values } = configuration;
  run.output = outputOf(values);
  if (command === "export" && values.to === STANDARD_OUTPUT) run.context = besideEvents(context);
  if (values.notify !== undefined) run.notify = values.notify;
  run.names = command === "migrate" ? configuration.steps : [command];
  // A fault of the last step is told before the first one begins.
  if (run.names.includes("ready")) resolveReady(configuration);
  const dataDirectory = dataDirectoryOf(values, currentDirectory);
  // Without the directory, no service shows the run.
  if (isDirectory(dataDirectory)) await openJournal(run, configuration, dataDirectory);
  const service =
    command === "migrate"
      ? await openMigrationService(configuration, context, run.opens)
      : { configuration, stop: async () => undefined };
  run.service = service;
  let printed = 0;
  try {
    // The first start of a service has made it.
    if (service.console !== undefined && run.journal === undefined)
      await openJournal(run, configuration, dataDirectory);
    const watched = consoleOf(run);
    if (watched !== undefined) await showConsole(watched, run.opens, run.output, context);
    await serveMetrics(run, withDefaults(values, configuration.directory));
    for (const name of run.names) {
      signal.throwIfAborted();
      const report = await runStep(run, name, service);
      run.reports.push(report);
      if (command !== "migrate") break;
      const nothingNew = await describeNothingNew(report, configuration, service, signal);
      if (nothingNew !== undefined) {
        run.nothingNew = nothingNew;
        return;
      }
      // Do not print idle steps yet: if no input is new, one line is enough.
      if (report.isIdle === true && report.results.export === undefined) continue;
      for (; printed < run.reports.length; printed++)
        printStep(run.reports[printed] as StepReport, run.output, context);
      if (report.exitCode !== exitCodes.done) break;
    }
    await recordEnd(run, configuration, signal);
  } finally {
    await run.metrics?.stop();
    if (!run.opens) await service.stop();
  }
}

function consoleOf({ service, journal }: Run): MigrationConsole | undefined {
  return service?.console && { id: journal?.id, service: service.console };
}

function isDirectory(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Begins an attempt in the journal, which the console of the service shows. */
async function openJournal(run: Run, configuration: Configuration, dataDirectory: string) {
  const { context, command, names, commandLine, output } = run;
  const { currentDirectory, program, clock, stderr } = context;
  if (configuration.values.to === STANDARD_OUTPUT) return;
  const { Journal } = await import("./journal.js");
  const facts = { configuration, command, names, commandLine, program, currentDirectory };
  const note = (message: string) => {
    if (output.log) stderr.write(logLine("warn", "journal", { message }));
    else if (!output.quiet) stderr.write(`${harmless(message)}\n`);
  };
  const journal = await Journal.open(dataDirectory, facts, { note, clock });
  if (journal !== undefined) run.journal = journal;
}

/** Returns a context that prints on standard error, without lines that move between events. */
function besideEvents(context: CommandContext): CommandContext {
  const { stdout, stderr } = context;
  const printed = stdout.isTTY === true ? { write: (text: string) => stderr.write(text) } : stderr;
  return { ...context, stdout: printed as CommandContext["stdout"], stderr: printed };
}

async function serveMetrics(run: Run, { metrics: address }: CompleteValues) {
  if (address === undefined) return;
  const { RunMetrics } = await import("../engine/run-metrics.js");
  run.metrics = await RunMetrics.listen(address);
  const { url } = run.metrics;
  const { stderr } = run.context;
  if (run.output.log) stderr.write(logLine("info", "metrics", { url }));
  else if (!run.output.quiet) stderr.write(`metrics: ${url}\n`);
}

/** Returns the line for a migration without new inputs, if an earlier one has done all steps. */
async function describeNothingNew(
  { isIdle, results: { export: exported } }: StepReport,
  configuration: Configuration,
  { embedded }: MigrationService,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (isIdle !== true || exported === undefined) return undefined;
  if (!(await isMigrated(configuration, exported, embedded?.stored, signal))) return undefined;
  const { totals, inputs } = exported.manifest;
  return (
    `Nothing new: all ${formatNumberOf(inputs.count, "input")} and ` +
    `${formatNumberOf(totals.rows, "event")} were migrated before.`
  );
}

async function recordEnd(
  { command, names, reports }: Run,
  configuration: Configuration,
  signal: AbortSignal,
) {
  const { export: exported } = resultsOf(reports);
  const isDone =
    reports.length === names.length && reports.every(({ exitCode }) => exitCode === exitCodes.done);
  if (command === "migrate" && isDone && exported !== undefined)
    await recordMigration(configuration, exported, signal);
}

async function runStep(
  { context, stdout, command, flags, output, commandLine, reports, metrics, journal }: Run,
  name: StepName,
  { configuration, embedded }: MigrationService,
): Promise<StepReport> {
  const { signal, program, environment } = context;
  const display = displayOf(name, output, context);
  const observer = metrics?.observe(name, display.observer) ?? display.observer;
  try {
    const report = await steps[name](configuration, {
      runs: { ...runs, ...context.runs },
      signal,
      environment,
      flags,
      stdout,
      program,
      commandLine,
      observer: journal?.begin(name, observer) ?? observer,
      results: resultsOf(reports),
      isMigration: command === "migrate",
      ...omitUndefined({ stored: embedded?.stored }),
    });
    await journal?.end(name, report);
    return report;
  } catch (error) {
    await journal?.fail(name, error, exitCodeOf(error, signal));
    throw error;
  } finally {
    display.stop();
  }
}

function exitCodeOf(error: unknown, signal: AbortSignal): number {
  if (error instanceof SwitchyardError) return error.exitCode;
  return signal.aborted ? exitCodes.interrupted : exitCodes.failed;
}

/** Exceeds the counts that a service has. */
const COUNTS_MAX = 10_000_000;

/** Relative to the output. */
const RECORD_PATH = "_switchyard/migration.json";

type Exported = Pick<ExportResult, "manifestPath" | "manifest">;

/** Records that all steps of a migration are done for the current manifest of its export. */
async function recordMigration(
  configuration: Configuration,
  exported: Exported,
  signal: AbortSignal,
): Promise<void> {
  const text = `${JSON.stringify({ digest: digestOf(configuration, exported) })}\n`;
  const output = await openOutput(placeOf(configuration, directoryOf(exported)));
  await output.put(RECORD_PATH, text, { signal });
}

/**
 * Returns true if an earlier migration of the same configuration did all its steps for this export, and
 * an embedded service still has as many events.
 */
async function isMigrated(
  configuration: Configuration,
  exported: Exported,
  stored: StoredEvents | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const output = await openOutput(placeOf(configuration, directoryOf(exported)));
  const text = (await output.get(RECORD_PATH, signal))?.toString();
  if (!text?.includes(`"${digestOf(configuration, exported)}"`)) return false;
  if (stored === undefined || !configuration.steps.includes("send")) return true;
  const counts = await stored.counts({ from: undefined, to: undefined }, COUNTS_MAX);
  const { rows } = exported.manifest.totals;
  return sum(counts, ({ count }) => count) === rows;
}

/** A digest of the options and the export, which changes if either changes. */
function digestOf({ steps, values }: Configuration, { manifest }: Exported): string {
  const isOutput = (name: string) => name in outputRows;
  const options = Object.entries(values).filter(([name]) => !isOutput(name));
  const facts = JSON.stringify([steps, options, manifest.version, manifest.run]);
  return createHash("sha256").update(facts).digest("hex");
}

function directoryOf({ manifestPath }: Exported): string {
  return manifestPath.slice(0, -MANIFEST_NAME.length - 1);
}
