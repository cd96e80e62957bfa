import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { exitCodes, UsageError } from "../base/errors.js";
import { settleUnlessRunning } from "../check/compact/settle-compaction.js";
import { type ListedExport, listExports } from "../check/run-history.js";
import { placeOf, valuesOf } from "../options/run-options.js";
import { MANIFEST_NAME } from "../output/layout.js";
import { openOutput } from "../output/open-output.js";
import type { OutputPlace } from "../output/output-place.js";
import { isAtWork } from "../output/shared-locks.js";
import { listRuns } from "../run/sent-runs.js";
import { isObjectUrl } from "../store/object-url.js";
import type { CommandContext } from "./context.js";
import { type CommandLine, runConfigured } from "./run-configured.js";
import { type Listing, printListing, type Watch, watchRuns } from "./watch-runs.js";

interface RunsInvocation extends CommandLine {
  /** Print the listing again when it changes, until everything has ended. */
  readonly watch: boolean;
}

/** Prints the exports here and the runs of `send` and returns the exit code; never throws. */
export function runRuns(
  { watch, ...line }: RunsInvocation,
  context: CommandContext,
  wait: Watch["wait"] = (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
): Promise<number> {
  return runConfigured("runs", line, context, async (configuration, output) => {
    const { currentDirectory, signal } = context;
    const { runs: directory } = valuesOf(configuration);
    const { to } = configuration.values;
    const print: Watch["print"] = (listing, pace) => {
      const result = { command: "runs", exitCode: exitCodes.done, ...listing };
      if (output.json) context.stdout.write(`${JSON.stringify(result)}\n`);
      else printListing(listing, output, context, pace);
    };
    const place = to !== undefined && isObjectUrl(to) ? placeOf(configuration, to) : undefined;
    // Watch a named export alone: the others in this directory may never end.
    const isTyped = line.flags["to"] !== undefined;
    const isAlone = watch && isTyped;
    const named = to === undefined || place ? [] : [path.resolve(currentDirectory, to)];
    // A watched export may begin later.
    if (isTyped && !watch) await requireDirectories(named);
    return await withStored(place, signal, async (stored) => {
      const look = async (): Promise<Listing> => {
        if (isAlone)
          return {
            runs: [],
            exports: [...(await stored()), ...(await listExports(named, signal))],
          };
        const directories = new Set([...named, ...(await directoriesIn(currentDirectory))]);
        const exports = [...(await stored()), ...(await listExports([...directories], signal))];
        const runs = await listRuns({ ...placeOf(configuration, directory), signal });
        return { directory, runs, exports };
      };
      if (watch && !(await watchRuns({ look, print, wait }, context))) return exitCodes.interrupted;
      if (!watch) print(await look());
      return exitCodes.done;
    });
  });
}

/** Throws `UsageError` (`export_missing`) for a path that is not a directory. */
async function requireDirectories(directories: readonly string[]): Promise<void> {
  for (const directory of directories) {
    const found = await stat(directory).catch(() => undefined);
    if (found?.isDirectory() === true) continue;
    const reason = found === undefined ? "does not exist" : "is not a directory";
    throw new UsageError(
      "export_missing",
      `${directory} ${reason}: pass the output directory of an export.`,
    );
  }
}

/** Calls `work` with a function that lists the export in a store, if there is one. */
async function withStored(
  place: OutputPlace | undefined,
  signal: AbortSignal,
  work: (list: () => Promise<readonly ListedExport[]>) => Promise<number>,
): Promise<number> {
  if (place === undefined) return work(async () => []);
  const { fetchWanted, withStoredFiles } = await import("../output/open-files.js");
  const { directory } = place;
  const output = { ...place, signal };
  await settleUnlessRunning(output);
  const isListed = (file: string) =>
    file === MANIFEST_NAME || /\/(?:plan|splits\/[\w-]+)\.json$/.test(file);
  const nothing = () => false;
  return withStoredFiles(output, nothing, (files) =>
    work(async () => {
      await files.refresh();
      await fetchWanted(files, isListed);
      const found = await listExports([files.directory], signal);
      const isLocked = await isAtWork(await openOutput(output), signal);
      return found.map((one) => ({ ...one, directory, ...(isLocked ? { state: "at_work" } : {}) }));
    }),
  );
}

async function directoriesIn(currentDirectory: string): Promise<readonly string[]> {
  const entries = await readdir(currentDirectory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => path.join(currentDirectory, name))
    .sort();
}
