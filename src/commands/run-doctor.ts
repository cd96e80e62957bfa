import { exitCodes, throwIfInterrupted } from "../base/errors.js";
import type { Check } from "../doctor/check.js";
import { failed, ok } from "../doctor/check.js";
import { diagnose } from "../doctor/diagnose.js";
import { type GivenOption, listOrigins } from "../doctor/option-origins.js";
import { type SystemFacts, thisSystem } from "../doctor/system-facts.js";
import {
  type Configuration,
  type GivenFlags,
  loadConfiguration,
} from "../options/configuration.js";
import { formatNumberOf } from "../report/quantities.js";
import { harmless } from "../report/terminal-text.js";
import { type CommandContext, outputOf } from "./context.js";
import { printFailure, printResult } from "./print-result.js";
import type { CommandLine } from "./run-configured.js";
import { serviceOptionsOf } from "./service/service-options.js";

/** Checks what runs of a configuration need, and returns the exit code; never throws. */
export async function runDoctor(
  { flags, configPath }: CommandLine,
  context: CommandContext,
  system: SystemFacts = thisSystem(),
): Promise<number> {
  const { environment, currentDirectory, signal } = context;
  let output = outputOf(flags);
  const checks: Check[] = [];
  const add = (check: Check) => {
    checks.push(check);
    if (!output.json && !(output.quiet && check.state === "ok"))
      printResult(describeCheck(check), output, context);
  };
  const end = (exitCode: number, options: readonly GivenOption[]) => {
    if (output.json) {
      const result = { command: "doctor", exitCode, checks, options };
      context.stdout.write(`${JSON.stringify(result)}\n`);
    } else if (!output.quiet) printResult(summarize(checks, options), output, context);
    return exitCode;
  };
  try {
    const from = { flags: flagsOf(flags), configPath, environment, currentDirectory };
    const configuration = await loadConfiguration(from).catch((error: unknown) => {
      add(failed("configuration", error));
      return undefined;
    });
    if (configuration === undefined) return end(exitCodes.usage, []);
    output = outputOf(configuration.values);
    const options = listOrigins(configuration);
    add(describeConfiguration(configuration, options));
    const { dataDirectory } = serviceOptionsOf(configuration.values, currentDirectory);
    const diagnosis = { configuration, environment, dataDirectory, system, signal };
    for await (const check of diagnose(diagnosis)) add(check);
    const hasFailed = checks.some(({ state }) => state === "failed");
    return end(hasFailed ? exitCodes.failed : exitCodes.done, options);
  } catch (error) {
    return printFailure("doctor", interruptionOf(error, signal), output, context);
  }
}

function interruptionOf(error: unknown, signal: AbortSignal): unknown {
  try {
    throwIfInterrupted(signal);
    return error;
  } catch (interrupted) {
    return interrupted;
  }
}

/** Gives `--to` with a URL to `send`. */
function flagsOf({ to, ...others }: GivenFlags): GivenFlags {
  if (to === undefined) return others;
  const isUrl = typeof to === "string" && /^https?:/i.test(to);
  return { ...others, ...(isUrl ? { sendTo: to } : { to }) };
}

function describeConfiguration(
  { fileName }: Configuration,
  options: readonly GivenOption[],
): Check {
  const count = options.filter(({ from }) => from !== "default").length;
  const file = fileName ?? "no file";
  return ok("configuration", `${file}; ${formatNumberOf(count, "option")} given, see below`);
}

function describeCheck({ name, state, message, code }: Check): string {
  const lines = message.split("\n").map(harmless).join("\n    ");
  return `  ${state.padEnd(9)} ${name}: ${lines}${code === undefined ? "" : ` [${code}]`}`;
}

function summarize(checks: readonly Check[], options: readonly GivenOption[]): string {
  const given = options.filter(({ from }) => from !== "default");
  const count = (state: Check["state"]) => checks.filter((one) => one.state === state).length;
  const failures = count("failed");
  const warnings = formatNumberOf(count("warning"), "warning");
  return [
    ...(given.length === 0 ? [] : ["Options (--json lists the defaults too):"]),
    ...given.map(({ name, value, from }) =>
      harmless(`  ${name} = ${JSON.stringify(value)} from ${from}`),
    ),
    failures === 0
      ? `Nothing failed: ${formatNumberOf(checks.length, "check")}, ${warnings}`
      : `Failed: ${failures} of ${formatNumberOf(checks.length, "check")}, ${warnings}`,
  ].join("\n");
}
