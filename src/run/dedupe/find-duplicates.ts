import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../../base/durable-file.js";
import { SwitchyardError } from "../../base/errors.js";
import { option } from "../../base/option-text.js";
import { asOutput } from "../../base/output-error.js";
import { readDrops } from "../../dedupe/drop-list.js";
import { KeyDamage, KeyFile } from "../../dedupe/key-file.js";
import {
  dropFileOf,
  type KeyLayout,
  keyFileOf,
  keyLayoutOf,
  keySplitOf,
  readKeyRecord,
} from "../../dedupe/key-layout.js";
import type { MatchFile } from "../../dedupe/key-matcher.js";
import type { Layout } from "../../output/layout.js";
import type { Plan, Split } from "../../plan/plan.js";
import { dispatchHere } from "../pool/dispatch.js";
import { type SplitProgress, SplitRunner } from "../pool/split-runner.js";
import type { WorkerPool } from "../pool/worker-pool.js";
import { compareKeys } from "./compare-keys.js";

export interface FindDuplicatesJob {
  readonly layout: Layout;
  /** All splits of the plan. */
  readonly splits: readonly Split[];
  /** Ids of splits that were written. */
  readonly finished: ReadonlySet<string>;
  /** Set if a decision about a split is final: its drops and its events stay. */
  readonly isFinal: boolean;
  /** Key files of earlier epochs, whose events stay. */
  readonly prior: readonly MatchFile[];
  /** Checksums of key files by path that this run has read; more are added. */
  readonly checksums: Map<string, number>;
  /** Workers that read keys. */
  readonly pool: WorkerPool;
  /** Called once, before missing keys are looked for: adds those that another run has read. */
  takeKept(paths: KeyLayout): Promise<void>;
  /** Called before keys are read. `read`: ids of the splits whose keys were read before. */
  started(progress: () => SplitProgress, read: ReadonlySet<string>): void;
}

/** Digests of the drop lists by split; splits without drops are missing. */
export type DropDigests = ReadonlyMap<string, string>;

/** The digest of each drop list by key id, empty for a split without drops. */
type Decided = Readonly<Record<string, string>>;

/** `decided.json`. */
interface DecidedFile {
  /** Identifies the content of the key files of earlier epochs. */
  readonly prior: string;
  readonly lists: Decided;
}

/** Maximum rewrites of damaged key files. */
const REPAIRS_MAX = 2;

/**
 * Finds the events of a run that repeat earlier ones: reads the keys of all splits, or resumes
 * that, and compares them. Returns undefined if it was interrupted. The order of splits decides
 * which events stay, not the order in which they are read.
 */
export async function findDuplicates(job: FindDuplicatesJob): Promise<DropDigests | undefined> {
  const paths = keyLayoutOf(job.layout);
  const splits = job.splits.map(keySplitOf);
  await prepare(paths, new Set(splits.map(({ id }) => id)));
  await job.takeKept(paths);
  for (let repairs = 0; ; repairs++) {
    const missing = await unreadSplits(paths, splits);
    if (!(await readKeys(job, splits, missing))) return undefined;
    await refuseLost(job, paths, missing);
    try {
      const isNew = (id: string) => missing.some((split) => split.id === id);
      const decided = await decide(job, paths, splits, isNew, repairs);
      return new Map(
        job.splits.map(({ id }, index) => [id, decided[splits[index]?.id ?? ""] ?? ""]),
      );
    } catch (error) {
      if (job.pool.isStopping && !(error instanceof KeyDamage)) throw error;
      if (!(error instanceof KeyDamage) || repairs === REPAIRS_MAX) throw error;
      await rm(error.path, { force: true });
    }
  }
}

/** Makes the directories, and removes the files of other splits. */
async function prepare(paths: KeyLayout, ids: ReadonlySet<string>): Promise<void> {
  const { layout, keysDirectory, dropsDirectory } = paths;
  await asOutput(keysDirectory, async () => {
    await rm(layout.temporaryDirectory, { recursive: true, force: true });
    for (const directory of [
      layout.temporaryDirectory,
      layout.splitsDirectory,
      keysDirectory,
      dropsDirectory,
    ]) {
      await mkdir(directory, { recursive: true });
      for (const name of await readdir(directory)) {
        if (!ids.has(name.replace(/\..*$/, "")) && name !== DECIDED_NAME) {
          await rm(join(directory, name), { force: true });
        }
      }
    }
  });
}

/** Returns the splits with an incomplete, missing or damaged key file. */
async function unreadSplits(paths: KeyLayout, splits: readonly Split[]): Promise<readonly Split[]> {
  const unread: Split[] = [];
  for (const split of splits) {
    const record = await readKeyRecord(paths, split.id);
    if (record?.status !== "complete" || !isSound(keyFileOf(paths, split.id))) unread.push(split);
  }
  return unread;
}

function isSound(path: string): boolean {
  try {
    return new KeyFile(path).trailer.events >= 0;
  } catch (error) {
    if (error instanceof KeyDamage) return false;
    throw error;
  }
}

/** Reads keys; returns false if that was interrupted. */
async function readKeys(
  { pool, started }: FindDuplicatesJob,
  splits: readonly Split[],
  missing: readonly Split[],
): Promise<boolean> {
  if (missing.length === 0) return true;
  const runner = new SplitRunner(dispatchHere(missing), pool, () => undefined);
  const unread = new Set(missing.map(({ id }) => id));
  const read = splits.filter(({ id }) => !unread.has(id)).map(({ id }) => splitIdOf(id));
  started(() => runner.progress(), new Set(read));
  return (await runner.run()) === "done";
}

const DECIDED_NAME = "decided.json";

/** Compares the keys that have not been compared, and returns the digests of all drop lists. */
async function decide(
  job: FindDuplicatesJob,
  paths: KeyLayout,
  splits: readonly Split[],
  isNew: (id: string) => boolean,
  repairs: number,
): Promise<Decided> {
  const { isFinal, prior, pool } = job;
  const priorDigest = isFinal ? undefined : digestOf(prior, job.checksums);
  const known = await readDecided(paths, splits, isNew, priorDigest);
  const isKnown = ({ id }: Split) => known[id] !== undefined;
  if (splits.every(isKnown) && Object.keys(known).length === splits.length) return known;
  const stays = isFinal ? splits.filter(isKnown) : [];
  const rest = isFinal ? splits.filter((split) => !isKnown(split)) : splits;
  const fileOf = ({ id }: Split, isPrior: boolean): MatchFile => {
    const drops = dropFileOf(paths, id);
    const path = keyFileOf(paths, id);
    return isPrior && known[id] !== "" ? { path, isPrior, drops } : { path, isPrior };
  };
  for (const { id } of rest) await rm(dropFileOf(paths, id), { force: true });
  const digests = await compareKeys(
    {
      keyIds: [...prior.map(() => undefined), ...[...stays, ...rest].map(({ id }) => id)],
      files: [
        ...prior,
        ...stays.map((split) => fileOf(split, true)),
        ...rest.map((split) => fileOf(split, false)),
      ],
    },
    paths,
    pool,
    repairs,
  );
  const own = rest.map(({ id }) => [id, digests.get(id) ?? ""]);
  const decided: Decided = {
    ...Object.fromEntries(stays.map(({ id }) => [id, known[id] ?? ""])),
    ...Object.fromEntries(own),
  };
  const { temporaryDirectory } = paths.layout;
  const path = join(paths.dropsDirectory, DECIDED_NAME);
  const file: DecidedFile = { prior: priorDigest ?? "", lists: decided };
  await writeDurably(path, JSON.stringify(file), { temporaryDirectory });
  return decided;
}

/**
 * Returns the saved decisions about splits with unchanged keys and sound drop lists. If the keys of other
 * epochs have changed since (`prior`), there are none; undefined means that they do not matter.
 */
async function readDecided(
  paths: KeyLayout,
  splits: readonly Split[],
  isNew: (id: string) => boolean,
  prior: string | undefined,
): Promise<Decided> {
  const file = await readDecidedFile(paths);
  if (file === undefined || (prior !== undefined && file.prior !== prior)) return {};
  const decided = file.lists;
  const ids = splits.map(({ id }) => id);
  const sound = ids.filter((id) => {
    const digest = decided[id];
    if (digest === undefined || isNew(id)) return false;
    return readDrops(dropFileOf(paths, id)).digest === digest;
  });
  return Object.fromEntries(sound.map((id) => [id, decided[id] ?? ""]));
}

async function readDecidedFile({ dropsDirectory }: KeyLayout): Promise<DecidedFile | undefined> {
  try {
    return JSON.parse(await readFile(join(dropsDirectory, DECIDED_NAME), "utf8"));
  } catch {
    return undefined;
  }
}

function digestOf(prior: readonly MatchFile[], checksums: Map<string, number>): string {
  const facts = prior.map(({ path }) => {
    const checksum = checksums.get(path) ?? new KeyFile(path).checksum;
    checksums.set(path, checksum);
    return [path, checksum];
  });
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}

/**
 * Returns the key files of another epoch, whose events stay. `isSent`: only events that were sent count.
 */
export async function priorKeys(
  layout: Layout,
  { splits }: Plan,
  isSent: boolean,
): Promise<readonly MatchFile[]> {
  const paths = keyLayoutOf(layout);
  const lists = isSent ? ((await readDecidedFile(paths))?.lists ?? {}) : undefined;
  return splits.map(keySplitOf).flatMap(({ id }): MatchFile[] => {
    const file = { path: keyFileOf(paths, id), isPrior: true };
    if (lists === undefined || lists[id] === "") return [file];
    return lists[id] === undefined ? [] : [{ ...file, drops: dropFileOf(paths, id) }];
  });
}

/** Throws if the keys of a written split are lost and its inputs cannot be read again. */
async function refuseLost(
  { finished }: FindDuplicatesJob,
  paths: KeyLayout,
  missing: readonly Split[],
): Promise<void> {
  for (const { id } of missing) {
    if (!finished.has(splitIdOf(id))) continue;
    const record = await readKeyRecord(paths, id);
    if (record?.status === "complete") continue;
    throw new SwitchyardError(
      "keys_damaged",
      `${keyFileOf(paths, id)} is missing or damaged, and its inputs cannot be read again (${record?.failures[0]?.message ?? "no record"}): put them back, or start over with ${option("fresh")}`,
    );
  }
}

/** Returns the id of the split that a key id belongs to. */
function splitIdOf(keyId: string): string {
  return keyId.replace(/-[0-9a-f]{16}$/, "");
}
