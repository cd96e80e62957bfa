import { randomUUID } from "node:crypto";
import { open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { hasCode } from "../base/errors.js";
import { isDead, type LockHolder, linkNew, readHolder, thisProcess } from "../base/lock-file.js";
import { makeDirectory } from "../base/make-directory.js";
import { claimTimes, type LeaseTimes, type OutputClaim } from "./output.js";

/**
 * A claim in a directory that all processes see: a numbered file that its holder rewrites
 * periodically. The next holder creates the file with the next number, which only one process can
 * do. Ages are differences of file system times, so the clocks of the machines need not agree.
 */
export class FileClaim implements OutputClaim {
  #renewedMs: number;
  readonly #timer: NodeJS.Timeout;

  private constructor(
    private readonly path: string,
    private readonly holder: LockHolder,
    private readonly times: LeaseTimes,
    startedMs: number,
  ) {
    this.#renewedMs = startedMs;
    this.#timer = setInterval(() => void this.#renew(), times.renewMs).unref();
  }

  /** Makes the claim; returns undefined while another process has it. */
  static async take(path: string, times = claimTimes): Promise<FileClaim | undefined> {
    await makeDirectory(dirname(path));
    const token = randomUUID();
    const draft = `${path}-draft-${token}`;
    const startedMs = performance.now();
    const holder = await holderNow(token);
    await writeFile(draft, contentOf(holder));
    try {
      for (;;) {
        const numbers = await numbersOf(path);
        const last = Math.max(0, ...numbers);
        const state = last === 0 ? "free" : await stateOf(fileOf(path, last), draft, times);
        if (state === "held") return undefined;
        if (state === "gone") continue;
        const file = fileOf(path, last + 1);
        if (!(await linkNew(draft, file))) return undefined;
        for (const number of numbers) await rm(fileOf(path, number), { force: true });
        return new FileClaim(file, holder, times, startedMs);
      }
    } finally {
      await rm(draft, { force: true });
    }
  }

  get leftMs(): number {
    return this.times.trustMs - (performance.now() - this.#renewedMs);
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    this.#renewedMs = Number.NEGATIVE_INFINITY;
    // Numbers start again after a release, so the file may belong to a later holder.
    const holder = await readHolder(this.path).catch(() => undefined);
    if (holder?.token === this.holder.token) await rm(this.path, { force: true });
  }

  async #renew(): Promise<void> {
    // Another process may have taken it: it stays lost.
    if (this.leftMs <= 0) return;
    const startedMs = performance.now();
    try {
      const file = await open(this.path, "r+");
      try {
        await file.writeFile(contentOf(this.holder));
      } finally {
        await file.close();
      }
      this.#renewedMs = Math.max(this.#renewedMs, startedMs);
    } catch {
      // The claim expires unless a later renewal succeeds.
    }
  }
}

function contentOf(holder: LockHolder): string {
  return `${JSON.stringify(holder)}\n`;
}

function fileOf(path: string, number: number): string {
  return `${path}-${number}`;
}

async function numbersOf(path: string): Promise<readonly number[]> {
  const start = `${basename(path)}-`;
  const names = await readdir(dirname(path));
  return names
    .filter((name) => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)))
    .map((name) => Number(name.slice(start.length)));
}

/** `draft`: a file that was written just now. */
async function stateOf(
  file: string,
  draft: string,
  { expireMs }: LeaseTimes,
): Promise<"held" | "free" | "gone"> {
  try {
    const holder = await readHolder(file);
    if (holder === undefined) return "gone";
    if (await isDead(holder, thisProcess)) return "free";
    const [held, now] = [await stat(file), await stat(draft)];
    return now.mtimeMs - held.mtimeMs < expireMs ? "held" : "free";
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "gone";
    throw error;
  }
}

async function holderNow(token: string): Promise<LockHolder> {
  const { pid, host } = thisProcess;
  const processStart = await thisProcess.startOf(pid);
  return { pid, host, processStart, lockedAt: new Date().toISOString(), token };
}
