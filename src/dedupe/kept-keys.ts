import { createHash } from "node:crypto";
import { copyFile, link, mkdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../base/durable-file.js";
import { hasCode } from "../base/errors.js";
import { KEPT_KEYS_BYTES_MAX } from "../base/limits.js";
import { asOutput } from "../base/output-error.js";
import { version } from "../base/package-files.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import { recordRunOptions } from "../ledger/recorded-options.js";
import type { DedupeOptions } from "../options/dedupe-options.js";
import type { RunOptions } from "../options/options.js";
import type { Split } from "../plan/plan.js";
import { type KeyLayout, keyFileOf, keySplitOf, readKeyRecord } from "./key-layout.js";

/** `keys.json`: what the key files beside it were read with. */
interface KeptFacts {
  /** Digest of the options that decide which events there are, and of the key. */
  readonly basis: string;
  /** Milliseconds since 1970 UTC; events at or after it were rejected. */
  readonly maxTimeMs: number;
  /** False if no event was rejected for its time: a later `maxTimeMs` then changes nothing. */
  readonly hasTimeRejects: boolean;
}

const FACTS_NAME = "keys.json";

/** The key and the options with which keys are read. */
type KeyOptions = Omit<RunOptions, "outputDirectory"> & { readonly dedupe: DedupeOptions };

interface KeysToKeep {
  readonly options: KeyOptions;
  readonly maxTimeMs: number;
  readonly splits: readonly Split[];
  readonly records: readonly SplitRecord[];
  keyFileOf(split: Split): string;
}

/**
 * Keeps the keys of a dry run that read everything, for the export or the sending that follows. Keeps none
 * if a source failed, a transform may give other results the next time, or they have more than
 * `KEPT_KEYS_BYTES_MAX` bytes.
 */
export async function keepKeys(directory: string, keys: KeysToKeep): Promise<void> {
  const { options, maxTimeMs, splits, records } = keys;
  await forgetKeys(directory);
  const isWhole = records.length === splits.length && records.every(isComplete);
  if (!isWhole || options.transformPath !== undefined) return;
  const files = splits.map((split) => ({ from: keys.keyFileOf(split), name: nameOf(split) }));
  let bytes = 0;
  for (const { from } of files) bytes += (await stat(from)).size;
  if (bytes > KEPT_KEYS_BYTES_MAX) return;
  await asOutput(directory, async () => {
    await mkdir(directory, { recursive: true });
    for (const { from, name } of files) await linkOrCopy(from, join(directory, name));
    const hasTimeRejects = records.some(({ rejects }) =>
      rejects.some(({ code }) => code === "time_out_of_range"),
    );
    const facts: KeptFacts = { basis: await basisOf(options), maxTimeMs, hasTimeRejects };
    await writeDurably(join(directory, FACTS_NAME), JSON.stringify(facts));
  });
}

/** Removes the keys of an earlier dry run. */
export async function forgetKeys(directory: string): Promise<void> {
  await asOutput(directory, () => rm(directory, { recursive: true, force: true }));
}

/**
 * Puts kept keys of the same inputs, mapping and key among those of a run, for splits whose keys were not
 * read yet. Returns the number of splits. Files that are damaged are found when they are read.
 */
export async function takeKeys(
  directory: string,
  { options, maxTimeMs }: Pick<KeysToKeep, "options" | "maxTimeMs">,
  paths: KeyLayout,
  splits: readonly Split[],
): Promise<number> {
  const facts = await readFacts(directory);
  if (facts === undefined || options.transformPath !== undefined) return 0;
  const isSameTime = facts.hasTimeRejects
    ? facts.maxTimeMs === maxTimeMs
    : facts.maxTimeMs <= maxTimeMs;
  if (!isSameTime || facts.basis !== (await basisOf(options))) return 0;
  let taken = 0;
  for (const split of splits) {
    const { id } = keySplitOf(split);
    if ((await readKeyRecord(paths, id)) !== undefined) continue;
    const to = keyFileOf(paths, id);
    const isThere = await asOutput(to, () => takeFile(join(directory, nameOf(split)), to));
    if (!isThere) continue;
    const record = JSON.stringify({ status: "complete", failures: [] });
    await writeDurably(join(paths.layout.splitsDirectory, `${id}.json`), record);
    taken++;
  }
  return taken;
}

function isComplete({ status }: SplitRecord): boolean {
  return status === "complete";
}

/** Returns a name that depends only on the ranges of a split: its number may be another one in the next run. */
function nameOf(split: Split): string {
  return `${keySplitOf(split).id.slice(-16)}.keys`;
}

async function basisOf({ dedupe, ...options }: KeyOptions): Promise<string> {
  const { splitBytes: _, maxTime: __, ...recorded } = await recordRunOptions(options);
  const facts = [version, recorded, options.types ?? null, dedupe];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}

async function readFacts(directory: string): Promise<KeptFacts | undefined> {
  try {
    return JSON.parse(await readFile(join(directory, FACTS_NAME), "utf8"));
  } catch {
    return undefined;
  }
}

/** Returns false if there is no such file. */
async function takeFile(from: string, to: string): Promise<boolean> {
  await rm(to, { force: true });
  try {
    await linkOrCopy(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

/** Key files never change, so two names may share one; not every file system can do that. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw error;
    await copyFile(from, to);
  }
}
