import type { LockHolder } from "../base/lock-file.js";

/**
 * The small files and the locks of one output: a directory, or a place in an object store. Paths are relative
 * to the output, with `/`.
 */
export interface Output {
  /**
   * Writes a file as a whole: a crash leaves the old file or the new one. With the condition `absent`, returns
   * false and writes nothing if the file exists.
   */
  put(path: string, content: string | Uint8Array, options: PutFileOptions): Promise<boolean>;
  /** Returns undefined if the file does not exist. */
  get(path: string, signal: AbortSignal): Promise<Buffer | undefined>;
  /**
   * Returns the paths that begin with `prefix` and have no further `/`, in order. Those of directories end
   * with `/`.
   */
  list(prefix: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Removes files; those that do not exist are ignored. */
  remove(paths: readonly string[], signal: AbortSignal): Promise<void>;
  /** `planner`: the process that would hold it to plan, such as `shard 2/20`. */
  lock(path: string, planner?: string): OutputLock;
  /** Claims work that must not be done twice; returns undefined while another process has it. */
  claim(path: string): Promise<OutputClaim | undefined>;
}

export interface PutFileOptions {
  /** Write only if no file has the path; absent: replace it. */
  readonly condition?: "absent";
  readonly signal: AbortSignal;
}

/** A lock that this process may take. */
export interface OutputLock {
  /** Throws `output_locked` while another process holds it, and `store_unconditional`. */
  take(): Promise<HeldLock>;
  /** Returns the process that has the lock, alive or not; undefined if the lock is free. */
  holder(signal: AbortSignal): Promise<LockHolder | undefined>;
  /** Returns true if a process holds the lock and is alive, as far as this host can tell. */
  isHeld(signal: AbortSignal): Promise<boolean>;
}

/** A lock that this process holds. */
export interface HeldLock {
  /** The process that held the lock and did not give it back. */
  readonly takenOverFrom: LockHolder | undefined;
  /** Aborted with the reason when the lock is lost. A lock in a directory is never lost. */
  readonly lost: AbortSignal;
  /** Call before each write: renews the lock if the renewal is late. Throws `output_lock_lost`. */
  check(): Promise<void>;
  /** Throws `output_lock_lost`. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

/** The right to do some work, valid while it is renewed. */
export interface OutputClaim {
  /** Milliseconds in which no other process can have taken it; 0 or less if one may have. */
  readonly leftMs: number;
  release(): Promise<void>;
}

/** The times of a lock or claim that its holder renews. */
export interface LeaseTimes {
  readonly renewMs: number;
  /**
   * Others may take it after this time without a renewal, by the clock of the store or file system.
   */
  readonly expireMs: number;
  /** The holder stops writing and sending after this time without a renewal, by its own clock. */
  readonly trustMs: number;
}

export const claimTimes: LeaseTimes = {
  renewMs: 4_000,
  expireMs: 30_000,
  trustMs: 20_000,
};
