import { existsSync } from "node:fs";
import type { InspectedInputs } from "../engine/inspect-inputs.js";
import type { ExportOptions } from "../options/options.js";
import { layoutOf } from "../output/layout.js";
import { openOutput } from "../output/open-output.js";
import type { SignalledPlace } from "../output/output-place.js";
import { isAtWork } from "../output/shared-locks.js";
import { formatBytes } from "../report/quantities.js";
import { isObjectUrl } from "../store/object-url.js";
import { type Check, ok, type PlannedCheck, warning } from "./check.js";
import { probeDirectories, probeDirectory } from "./directory-probe.js";
import { checkClock } from "./machine-checks.js";
import { estimateExport, estimateTemporary, type SizeEstimate } from "./size-estimate.js";
import type { SystemFacts } from "./system-facts.js";

/** Checks a directory or a place in a store with what an export does there. */
export async function checkOutput(
  place: SignalledPlace,
  dataset: string,
  system: SystemFacts,
): Promise<readonly Check[]> {
  const { directory } = place;
  if (isObjectUrl(directory)) return checkStore(place, system);
  const { datasetDirectory, ledgerDirectory, rejectsDirectory } = layoutOf(directory, dataset);
  await probeDirectories([directory, ledgerDirectory, datasetDirectory, rejectsDirectory]);
  if (await isOutputInUse(place)) return [inUse(directory)];
  return [ok("output", `${directory}: files can be written, linked, renamed and removed`)];
}

async function checkStore(place: SignalledPlace, system: SystemFacts): Promise<readonly Check[]> {
  const { directory } = place;
  const { probeStore } = await import("./store-probe.js");
  const nowMs = await probeStore(place);
  const done = "objects can be listed, written under conditions, read and removed";
  const isInUse = await isOutputInUse(place);
  const output = isInUse ? inUse(directory) : ok("output", `${directory}: ${done}`);
  return [output, ...checkClock(`the store of ${directory}`, nowMs, system)];
}

async function isOutputInUse(place: SignalledPlace): Promise<boolean> {
  return isAtWork(await openOutput(place), place.signal);
}

function inUse(directory: string): Check {
  return warning("output", `another run writes into ${directory} now; wait until it ends`);
}

/** Plans the check of a directory that files are written to. */
export function checkDirectory(name: string, directory: string): PlannedCheck {
  return {
    name,
    async run() {
      await probeDirectory(directory);
      return [ok(name, `${directory}: writable`)];
    },
  };
}

/** Compares the free space of the disk with the size of the inputs. */
export async function checkSpace(
  options: ExportOptions,
  inputs: InspectedInputs,
  { temporaryDirectory, freeBytes }: Pick<SystemFacts, "temporaryDirectory" | "freeBytes">,
): Promise<Check> {
  const { outputDirectory, dataset } = options;
  const isStored = isObjectUrl(outputDirectory);
  const directory = isStored ? temporaryDirectory : outputDirectory;
  const estimate = isStored ? estimateTemporary(inputs, options) : estimateExport(inputs, options);
  // Files of an earlier run need no more space.
  const isBegun = !isStored && existsSync(layoutOf(directory, dataset).ledgerDirectory);
  return compareSpace(directory, await freeBytes(directory), estimate, isBegun);
}

function compareSpace(
  directory: string,
  free: number,
  { expected, atMost }: SizeEstimate,
  isBegun: boolean,
): Check {
  const range = `by an estimate about ${formatBytes(expected)}, rarely more than ${formatBytes(atMost)}`;
  const message = `${directory}: ${formatBytes(free)} free, the export needs ${range}`;
  if (free >= atMost) return ok("space", message);
  const advice = `${message}; free some space, or choose another directory`;
  // The estimate can be wrong by a factor of two.
  return free >= expected / 2 || isBegun
    ? warning("space", advice)
    : { name: "space", state: "failed", message: advice, code: "disk_full" };
}
