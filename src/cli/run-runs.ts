import { readdir } from "node:fs/promises";
import path from "node:path";
import { exitCodes } from "../base/errors.js";
import { loadConfiguration } from "../pipeline/configuration/configuration.js";
import { placeOf, valuesOf } from "../pipeline/configuration/run-options.js";
import { MANIFEST_NAME } from "../pipeline/ledger/layout.js";
import { isObjectUrl, type OutputPlace, withFilesOf } from "../pipeline/remote/output-place.js";
import { type ListedExport, listExports } from "../pipeline/run-history.js";
import { listRuns } from "../pipeline/sent-runs.js";
import { describeRuns } from "../report/runs-summary.js";
import type { CommandContext } from "./context.js";
import { outputOf } from "./output.js";
import { printFailure, printResult } from "./print-outcome.js";
import type { ServiceInvocation } from "./service/service-options.js";

/** Prints the exports here and the runs of `send` and returns the exit code; never throws. */
export async function runRuns(
  { flags, configPath }: ServiceInvocation,
  context: CommandContext,
): Promise<number> {
  let output = outputOf(flags);
  try {
    const { environment, currentDirectory } = context;
    const configuration = await loadConfiguration({
      flags,
      configPath,
      environment,
      currentDirectory,
    });
    output = outputOf(configuration.values);
    const { runs: directory } = valuesOf(configuration);
    const runs = await listRuns(directory);
    const { to } = configuration.values;
    const isStored = to !== undefined && isObjectUrl(to);
    const exports = [
      ...(isStored ? await listStored(placeOf(configuration, to), context.signal) : []),
      ...(await listExports(await exportDirectories(isStored ? undefined : to, currentDirectory))),
    ];
    if (output.json) {
      const result = { command: "runs", exitCode: exitCodes.done, directory, runs, exports };
      context.stdout.write(`${JSON.stringify(result)}\n`);
    } else {
      printResult(describeRuns(exports, runs, directory, context.program), output, context);
    }
    return exitCodes.done;
  } catch (error) {
    return printFailure("runs", error, output, context);
  }
}

/** Lists the export in a store, if there is one. */
async function listStored(
  place: OutputPlace,
  signal: AbortSignal,
): Promise<readonly ListedExport[]> {
  const { isLockedInStore } = await import("../pipeline/remote/output-copy.js");
  const { directory, s3 } = place;
  const isListed = (file: string) =>
    file === MANIFEST_NAME || /\/(?:plan|splits\/[\w-]+)\.json$/.test(file);
  const found = await withFilesOf(place, isListed, signal, (copy) => listExports([copy]));
  const isLocked = await isLockedInStore({ address: directory, s3, signal });
  return found.map((one) => ({ ...one, directory, ...(isLocked ? { state: "at_work" } : {}) }));
}

/** Returns the directory that is named or configured, and those that are here. */
async function exportDirectories(
  to: string | undefined,
  currentDirectory: string,
): Promise<readonly string[]> {
  const entries = await readdir(currentDirectory, { withFileTypes: true });
  const here = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => path.join(currentDirectory, name));
  return [
    ...new Set([...(to === undefined ? [] : [path.resolve(currentDirectory, to)]), ...here.sort()]),
  ];
}
