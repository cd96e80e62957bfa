import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { exitCodes, SwitchyardError } from "../../base/errors.js";
import {
  KEY_CALLS_MAX,
  KEY_PARTS_MAX,
  KEY_TABLE_KEYS_MAX,
  KEY_TABLE_KEYS_MIN,
} from "../../base/limits.js";
import { sum } from "../../base/sum.js";
import { KEY_BUCKETS } from "../../dedupe/key-digests.js";
import { type BucketRange, KeyDamage, KeyFile } from "../../dedupe/key-file.js";
import { dropFileOf, type KeyLayout } from "../../dedupe/key-layout.js";
import type { CountedDrops, DropSlice, MatchFile, MatchWork } from "../../dedupe/key-matcher.js";
import type { KeySlice } from "../../dedupe/key-table.js";
import { asFatal, type WorkerPool } from "../pool/worker-pool.js";

/** Key files, in the order in which their events have priority. */
interface ComparedKeys {
  /** By id of the key split; undefined for files of earlier epochs. */
  readonly keyIds: readonly (string | undefined)[];
  readonly files: readonly MatchFile[];
}

/**
 * Finds the repeated events of key files. Writes a drop list for each file with repeated events
 * that is not prior. Returns their digests by id. `generation` differs after files were written
 * again. Throws `KeyDamage` for a damaged file.
 */
export async function compareKeys(
  { keyIds, files }: ComparedKeys,
  paths: KeyLayout,
  pool: WorkerPool,
  generation: number,
): Promise<ReadonlyMap<string, string>> {
  await mkdir(paths.dropsDirectory, { recursive: true });
  const slices = await matchKeys(files, paths, pool, generation);
  const digests = new Map<string, string>();
  const lists = files.flatMap((_, file) => {
    const [keyId, own = []] = [keyIds[file], slices[file]];
    return keyId === undefined || own.length === 0 ? [] : [{ keyId, slices: own }];
  });
  await runAll(pool, lists, async ({ remote }, { keyId, slices: own }) => {
    const digest = await remote.call("gatherDrops", {
      files,
      slices: own,
      path: dropFileOf(paths, keyId),
      temporaryDirectory: paths.layout.temporaryDirectory,
    });
    digests.set(keyId, digest);
  });
  await rm(paths.matchDirectory, { recursive: true, force: true });
  return digests;
}

/** Counts the repeated events of key files that have groups. */
export async function countRepeated(
  files: readonly MatchFile[],
  paths: KeyLayout,
  pool: WorkerPool,
): Promise<readonly CountedDrops[]> {
  const slices = await matchKeys(files, paths, pool, 0);
  const counted: (CountedDrops | undefined)[] = files.map(() => undefined);
  const works = files.flatMap(({ path }, file) => {
    const own = slices[file] ?? [];
    return own.length === 0 ? [] : [{ file, work: { keys: path, slices: own } }];
  });
  await runAll(pool, works, async ({ remote }, { file, work }) => {
    counted[file] = await remote.call("countDrops", work);
  });
  return counted.filter((one) => one !== undefined);
}

/** Returns the drops of each file. */
async function matchKeys(
  files: readonly MatchFile[],
  paths: KeyLayout,
  pool: WorkerPool,
  generation: number,
): Promise<readonly (readonly DropSlice[])[]> {
  await rm(paths.matchDirectory, { recursive: true, force: true });
  await mkdir(paths.matchDirectory, { recursive: true });
  const { totals, own } = countKeys(files);
  const works = planMatch(totals, own, tableKeysFor(totals)).map((part, index): MatchWork => {
    return { ...part, files, generation, path: join(paths.matchDirectory, String(index)) };
  });
  const slices: DropSlice[][] = files.map(() => []);
  await runAll(pool, works, async ({ remote }, work) => {
    const result = await remote.call("compareKeys", work);
    if ("damaged" in result) throw new KeyDamage(result.damaged, "is damaged");
    let start = 0;
    result.drops.forEach((count, file) => {
      if (count > 0) slices[file]?.push({ path: work.path, start, count });
      start += count;
    });
  });
  return slices;
}

function tableKeysFor(totals: Float64Array): number {
  const keys = sum(totals, (count) => count) / KEY_PARTS_MAX;
  return Math.min(KEY_TABLE_KEYS_MAX, Math.max(KEY_TABLE_KEYS_MIN, keys));
}

function countKeys(files: readonly MatchFile[]) {
  const [totals, own] = [new Float64Array(KEY_BUCKETS), new Float64Array(KEY_BUCKETS)];
  for (const { path, isPrior } of files) {
    const file = new KeyFile(path);
    file.countKeys(totals);
    if (!isPrior) file.countKeys(own);
  }
  return { totals, own };
}

type Taken = NonNullable<Awaited<ReturnType<WorkerPool["take"]>>>;

/** Does pieces of work on all workers of a pool. */
async function runAll<Work>(
  pool: WorkerPool,
  works: readonly Work[],
  run: (worker: Taken, work: Work) => Promise<void>,
): Promise<void> {
  const queue = [...works];
  let damage: KeyDamage | undefined;
  const drain = async (worker: Taken) => {
    for (let work = queue.shift(); work !== undefined && !pool.isStopping; work = queue.shift()) {
      try {
        await run(worker, work);
      } catch (error) {
        queue.length = 0;
        if (!(error instanceof KeyDamage)) throw asFatal("compared keys", error);
        // It must not stop the pool: a damaged file is written again.
        damage = error;
      }
    }
  };
  const serve = async () => {
    const worker = await pool.take();
    if (worker === undefined) return;
    await Promise.all(Array.from({ length: KEY_CALLS_MAX }, () => drain(worker)));
    pool.giveBack(worker);
  };
  await pool.run(Array.from({ length: Math.min(pool.threads, works.length) }, () => serve));
  if (damage !== undefined) throw damage;
  // The lists are not complete.
  if (pool.isStopping) {
    throw new SwitchyardError("interrupted", "interrupted", { exitCode: exitCodes.interrupted });
  }
}

/** Keys that are compared together. */
interface KeyPart extends KeySlice, BucketRange {
  readonly keys: number;
}

/**
 * Packs buckets into parts of at most `keysMax` keys, in order. A larger bucket is divided by bits
 * of the digest, and read once for each of these slices. Leaves out buckets without keys of `own`,
 * the files from which events may be removed. Pure.
 */
export function planMatch(
  totals: Float64Array,
  own: Float64Array,
  keysMax: number,
): readonly KeyPart[] {
  const parts: KeyPart[] = [];
  for (let bucket = 0; bucket < KEY_BUCKETS; bucket++) {
    const keys = totals[bucket]!;
    if (own[bucket] === 0) continue;
    const open = parts.at(-1);
    const isNext = open?.slices === 1 && areEmpty(totals, open.end, bucket);
    if (open !== undefined && isNext && open.keys + keys <= keysMax) {
      parts[parts.length - 1] = { ...open, end: bucket + 1, keys: open.keys + keys };
      continue;
    }
    const slices = 2 ** Math.max(0, Math.ceil(Math.log2(keys / keysMax)));
    // Digests are even, but not exactly.
    const share = slices === 1 ? keys : Math.ceil((keys / slices) * 1.05) + 1_000;
    for (let slice = 0; slice < slices; slice++) {
      parts.push({ first: bucket, end: bucket + 1, keys: share, slice, slices });
    }
  }
  return parts;
}

function areEmpty(totals: Float64Array, first: number, end: number): boolean {
  return totals.subarray(first, end).every((keys) => keys === 0);
}
