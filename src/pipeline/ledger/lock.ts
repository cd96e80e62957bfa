import { randomUUID } from "node:crypto";
import { link, open, readFile, rm, rmdir } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { hasCode } from "../../base/error-code.js";
import { SwitchyardError } from "../../base/errors.js";
import { makeDirectory } from "../../base/make-directory.js";

/** Who holds an output directory. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, in the system's own words; tells a reused process id apart. */
  readonly processStart: string | null;
  /** ISO 8601. */
  readonly lockedAt: string;
  /** Makes each lock a different one, also within a process. */
  readonly token: string;
}

/** What a lock asks of the system. */
export interface ProcessTable {
  readonly pid: number;
  readonly host: string;
  /** null for a process that does not live or where the system does not say. */
  startOf(pid: number): Promise<string | null>;
  isAlive(pid: number): boolean;
}

export interface Lock {
  /** The dead process that the lock was taken over from. */
  readonly takenOverFrom: LockHolder | undefined;
  release(): Promise<void>;
}

/** Another run works in the same output directory, or did so on another host. Exit code 1. */
class LockedError extends SwitchyardError {
  constructor(lockFile: string, holder: LockHolder, sameHost: boolean) {
    const who = `process ${holder.pid} on ${holder.host}, since ${holder.lockedAt}`;
    super(
      "output_locked",
      sameHost
        ? `another run writes into ${dirname(dirname(lockFile))} (${who}): wait until it ends, or stop it`
        : `${lockFile} is held by ${who}: whether that run still lives cannot be seen from here; when you are sure that it does not, delete the file and run the same command again`,
    );
  }
}

/**
 * Takes the output directory for this run; throws `LockedError` while another one has it. The lock
 * of a process that has died on this host is taken over.
 */
export async function takeLock(
  lockFile: string,
  now: () => Date = () => new Date(),
  system: ProcessTable = processTable,
): Promise<Lock> {
  await makeDirectory(dirname(lockFile));
  const mine: LockHolder = {
    pid: system.pid,
    host: system.host,
    processStart: await system.startOf(system.pid),
    lockedAt: now().toISOString(),
    token: randomUUID(),
  };
  const draft = `${lockFile}.draft-${mine.token}`;
  await writeSynced(draft, `${JSON.stringify(mine)}\n`);
  try {
    const takenOverFrom = await acquire(lockFile, draft, system);
    return { takenOverFrom, release: () => release(lockFile, mine) };
  } finally {
    await rm(draft, { force: true });
  }
}

/** Whether a run is at work there, as far as can be seen from this host. */
export async function isLocked(
  lockFile: string,
  system: ProcessTable = processTable,
): Promise<boolean> {
  const holder = await readHolder(lockFile).catch(() => undefined);
  return holder !== undefined && !(await isDead(holder, system));
}

/**
 * Makes the draft the lock. It appears with its content in one step (a hard link), so that nobody
 * ever sees an empty one. Of many that find the same dead holder, only the one that holds the lock on
 * that holder's token may remove it: without that, the slower one would remove the faster one's.
 */
async function acquire(
  lockFile: string,
  draft: string,
  system: ProcessTable,
): Promise<LockHolder | undefined> {
  let dead: LockHolder | undefined;
  while (!(await linkNew(draft, lockFile))) {
    const holder = await readHolder(lockFile);
    if (holder === undefined) continue;
    if (!(await isDead(holder, system))) {
      throw new LockedError(lockFile, holder, holder.host === system.host);
    }
    const claim = `${lockFile}.${holder.token}`;
    await acquire(claim, draft, system);
    try {
      if ((await readHolder(lockFile))?.token === holder.token) await rm(lockFile, { force: true });
    } finally {
      await rm(claim, { force: true });
    }
    dead = holder;
  }
  return dead;
}

async function release(lockFile: string, mine: LockHolder): Promise<void> {
  if ((await readHolder(lockFile))?.token === mine.token) await rm(lockFile, { force: true });
  // A run that was refused before it began leaves nothing behind.
  await rmdir(dirname(lockFile)).catch(() => undefined);
}

async function isDead(holder: LockHolder, system: ProcessTable): Promise<boolean> {
  if (holder.host !== system.host) return false;
  if (!system.isAlive(holder.pid)) return true;
  const start = await system.startOf(holder.pid);
  return holder.processStart !== null && start !== null && start !== holder.processStart;
}

/** undefined where the lock was released in the meantime. */
async function readHolder(path: string): Promise<LockHolder | undefined> {
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
    `${path} is no lock that Switchyard wrote: when no other run is at work, delete the file and run the same command again`,
  );
}

/** The token becomes part of a file's name, so it has to be one that Switchyard could have made. */
function parseHolder(text: string): LockHolder | undefined {
  let holder: Partial<Record<keyof LockHolder, unknown>> | null;
  try {
    holder = JSON.parse(text) as typeof holder;
  } catch {
    return undefined;
  }
  const { pid, host, processStart, lockedAt, token } = holder ?? {};
  const isHolder =
    Number.isSafeInteger(pid) &&
    (pid as number) > 0 &&
    typeof host === "string" &&
    (processStart === null || typeof processStart === "string") &&
    typeof lockedAt === "string" &&
    typeof token === "string" &&
    /^[\w-]+$/.test(token);
  return isHolder ? (holder as LockHolder) : undefined;
}

async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "wx");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

const processTable: ProcessTable = {
  pid: process.pid,
  host: hostname(),
  async startOf(pid) {
    if (process.platform !== "linux") return null;
    try {
      const stat = await readFile(`/proc/${pid}/stat`, "utf8");
      // Field 22, proc(5); the name of the command before it may hold spaces and parentheses.
      return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
    } catch {
      return null;
    }
  },
  isAlive(pid) {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return hasCode(error, "EPERM");
    }
  },
};
