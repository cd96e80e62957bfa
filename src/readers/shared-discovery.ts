import { setImmediate } from "node:timers/promises";
import { MAIN_THREAD_BYTES, SCOUT_FILES_MIN, SCOUT_HEAP_BYTES } from "../base/limits.js";
import { createFormatDetection } from "./detect-format.js";
import { type Discovery, joinDiscoveries } from "./discovery.js";
import type { InputFile } from "./inputs.js";
import { mapBounded } from "./map-bounded.js";
import { Scout } from "./scout.js";
import type { ScoutTask } from "./scout-messages.js";
import { discoverSources, PieceDiscovery } from "./sources.js";

/** Files that a thread looks at between two messages. */
const PIECE_FILES = 64;

/** Pieces that a scout has, so that it need not wait until this thread has looked at its own. */
const SCOUT_PIECES = 2;

export interface SharedDiscoveryOptions extends ScoutTask {
  /** That look at files, this one among them; fewer do where there are few files. */
  readonly threads: number;
  /** What the whole process may take. */
  readonly memoryBytes: number;
  readonly signal: AbortSignal;
}

/**
 * `discoverSources` on several threads, with the same result whatever their number. This thread looks
 * at files as well, and at those of which a scout dies.
 */
export async function discoverShared(
  files: readonly InputFile[],
  options: SharedDiscoveryOptions,
  scoutFilesMin = SCOUT_FILES_MIN,
): Promise<Discovery> {
  const { given, ratioMax, signal } = options;
  const detection = { detect: createFormatDetection(given), ratioMax, signal };
  const count = countScouts(files.length / scoutFilesMin, options);
  if (count === 0) return discoverSources(files, detection);
  signal.throwIfAborted();

  const own: PieceDiscovery[] = [];
  const scouts = startScouts(count, { given, ratioMax });
  const endScouts = () => Promise.all(scouts.map((scout) => scout.end()));
  signal.addEventListener("abort", endScouts, { once: true });
  const lanes = 1 + scouts.length * SCOUT_PIECES;
  try {
    const found = await mapBounded(piecesOf(files), lanes, async (piece, lane) => {
      const scout = lane === 0 ? undefined : scouts[lane % scouts.length];
      const seen = (await scout?.look(piece)) ?? null;
      if (seen !== null) return seen;
      own[lane] ??= new PieceDiscovery(detection);
      const looked = await own[lane].discover(piece);
      // Files are read without waiting for them: signals and scouts have their turn now.
      await setImmediate();
      return looked;
    });
    return joinDiscoveries(found);
  } finally {
    signal.removeEventListener("abort", endScouts);
    await endScouts();
  }
}

/** How many other threads are worth their start, at most `useful`, and fit into the memory. */
function countScouts(
  useful: number,
  { threads, memoryBytes }: Pick<SharedDiscoveryOptions, "threads" | "memoryBytes">,
): number {
  const affordable = Math.floor((memoryBytes - MAIN_THREAD_BYTES) / SCOUT_HEAP_BYTES);
  return Math.max(0, Math.min(threads - 1, affordable, Math.floor(useful)));
}

/** Fewer than `count` where the system, or the container's limit of processes, grants no more threads. */
function startScouts(count: number, task: ScoutTask): readonly Scout[] {
  const scouts: Scout[] = [];
  try {
    while (scouts.length < count) scouts.push(new Scout(task));
  } catch {
    // Those that are there, and this thread, look at all files.
  }
  return scouts;
}

function piecesOf(files: readonly InputFile[]): readonly (readonly InputFile[])[] {
  const count = Math.ceil(files.length / PIECE_FILES);
  return Array.from({ length: count }, (_, index) =>
    files.slice(index * PIECE_FILES, (index + 1) * PIECE_FILES),
  );
}
