import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, readdir, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { writeSynced } from "./durable-file.js";
import { exitCodes, hasCode, SwitchyardError } from "./errors.js";
import { makeDirectory, removeEmpty } from "./make-directory.js";
import { omitUndefined } from "./omit-undefined.js";
import { checkValue } from "./schema.js";

const lockHolder = z.object({
  pid: z.int().min(1),
  host: z.string(),
  /** Start of the process as the system reports it; distinguishes a reused process id. */
  processStart: z.string().nullable(),
  /** ISO 8601. */
  lockedAt: z.string(),
  /**
   * Distinguishes each lock from every other, also within one process. It becomes part of a file name, so
   * only characters of a UUID are accepted.
   */
  token: z.string().regex(/^[\w-]+$/),
  /** The process that plans under the lock, such as `shard 2/20`; absent for other work. */
  planner: z.string().exactOptional(),
});

/** The process that holds a lock; the content of the lock file. */
export type LockHolder = Readonly<z.output<typeof lockHolder>>;

interface LockOptions extends Pick<LockHolder, "planner"> {
  readonly now?: () => Date;
  readonly system?: ProcessTable;
}

/** The system calls that a lock needs; tests replace them. */
export interface ProcessTable {
  readonly pid: number;
  readonly host: string;
  /** Returns null for a process that is not alive, or if the system does not know. */
  startOf(pid: number): Promise<string | null>;
  isAlive(pid: number): boolean;
}

export interface LockFile {
  /** The dead process whose lock was taken over. */
  readonly takenOverFrom: LockHolder | undefined;
  release(): Promise<void>;
}

/**
 * Another run holds the lock of the output directory. Exit code 4 if it is alive, 1 if this host cannot
 * tell.
 */
class LockedError extends SwitchyardError {
  constructor(path: string, holder: LockHolder, sameHost: boolean) {
    const who = `process ${holder.pid} on ${holder.host}, since ${holder.lockedAt}`;
    super(
      "output_locked",
      sameHost
        ? `another run writes into ${dirname(dirname(path))} (${who}); wait until it ends, or stop it`
        : `${path} is held by ${who}, and this host cannot tell whether that process is still alive; if it is not, delete the file and run the same command again`,
      { exitCode: sameHost ? exitCodes.busy : exitCodes.failed },
    );
  }
}

const DRAFT_NAME = /\.draft-[\w-]+$/;

/**
 * Locks an output directory for one run by a file in its ledger directory. Throws `LockedError`
 * while another run holds it. The lock of a process that died on this host is taken over.
 */
export async function takeLockFile(
  path: string,
  { now = () => new Date(), system = thisProcess, planner }: LockOptions = {},
): Promise<LockFile> {
  const created = await makeDirectory(dirname(path));
  const mine: LockHolder = {
    pid: system.pid,
    host: system.host,
    processStart: await system.startOf(system.pid),
    lockedAt: now().toISOString(),
    token: randomUUID(),
    ...omitUndefined({ planner }),
  };
  const draft = `${path}.draft-${mine.token}`;
  // A run that was refused before it began leaves no empty directory.
  const levels = created.length === 0 ? [dirname(path)] : created;
  try {
    await writeSynced(draft, `${JSON.stringify(mine)}\n`);
    const takenOverFrom = await acquire(path, draft, system);
    await removeDeadDrafts(dirname(path), system);
    return { takenOverFrom, release: () => release(path, mine, levels) };
  } catch (error) {
    await rm(draft, { force: true });
    await removeEmpty(levels);
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Returns true if a run holds the lock, as far as this host can tell. */
export async function isLocked(path: string): Promise<boolean> {
  const holder = await readHolder(path).catch(() => undefined);
  return holder !== undefined && !(await isDead(holder, thisProcess));
}

/**
 * Links the draft to the lock's path. A hard link creates the file with its content in one step, so
 * no process ever reads an empty lock. Several processes may find the same dead holder: only the
 * one that locks that holder's token may remove the old file. Otherwise a slower process would
 * remove the new lock of a faster one.
 */
async function acquire(
  path: string,
  draft: string,
  system: ProcessTable,
): Promise<LockHolder | undefined> {
  let dead: LockHolder | undefined;
  while (!(await linkNew(draft, path))) {
    const holder = await readHolder(path);
    if (holder === undefined) continue;
    if (!(await isDead(holder, system))) {
      throw new LockedError(path, holder, holder.host === system.host);
    }
    const claim = `${path}.${holder.token}`;
    await acquire(claim, draft, system);
    try {
      if ((await readHolder(path))?.token === holder.token) await rm(path, { force: true });
    } finally {
      await rm(claim, { force: true });
    }
    dead = holder;
  }
  return dead;
}

/** Removes the drafts of processes that were killed while they took a lock. */
async function removeDeadDrafts(directory: string, system: ProcessTable): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!DRAFT_NAME.test(name)) continue;
    const draft = join(directory, name);
    const holder = parseHolder(await readFile(draft, "utf8").catch(() => ""));
    if (holder !== undefined && (await isDead(holder, system))) await rm(draft, { force: true });
  }
}

async function release(path: string, mine: LockHolder, levels: readonly string[]): Promise<void> {
  if ((await readHolder(path))?.token === mine.token) await rm(path, { force: true });
  await removeEmpty(levels);
}

/** Returns true if a process has certainly ended. On another host, it may be alive. */
export async function isDead(
  holder: Pick<LockHolder, "host" | "pid" | "processStart">,
  system: ProcessTable,
): Promise<boolean> {
  if (holder.host !== system.host) return false;
  if (!system.isAlive(holder.pid)) return true;
  const start = await system.startOf(holder.pid);
  return holder.processStart !== null && start !== null && start !== holder.processStart;
}

/** Returns undefined if the lock has been released. Throws for a file that is not a lock. */
export async function readHolder(path: string): Promise<LockHolder | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
  const holder = parseHolder(text);
  if (holder !== undefined) return holder;
  throw new SwitchyardError(
    "output_locked",
    `${path} is not a lock that Switchyard wrote; if no other run is active, delete the file and run the same command again`,
  );
}

/** Returns undefined for text that is not the content of a lock. */
export function parseHolder(text: string): LockHolder | undefined {
  try {
    return checkValue(lockHolder, JSON.parse(text)).value;
  } catch {
    return undefined;
  }
}

/** Gives a file a second name; returns false if another file has it. */
export async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

export const thisProcess: ProcessTable = {
  pid: process.pid,
  host: hostname(),
  async startOf(pid) {
    return statOf(pid)?.[19] ?? null;
  },
  isAlive(pid) {
    // A process that was killed stays a zombie where its parent does not wait for it, as in many containers.
    if (["Z", "X"].includes(statOf(pid)?.[0] ?? "")) return false;
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return hasCode(error, "EPERM");
    }
  },
};

/** Returns the fields of proc(5) from the third on, the state; undefined where the system has none. */
function statOf(pid: number): readonly string[] | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name before them may contain spaces and parentheses.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
