import { createHash, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { exitCodes, SwitchyardError, UsageError } from "../base/errors.js";
import { isDead, type LockHolder, parseHolder, thisProcess } from "../base/lock-file.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { option } from "../base/option-text.js";
import { runningMs } from "../base/running-clock.js";
import type { ObjectHead, ObjectStore } from "../store/object-store.js";
import type { HeldLock, LeaseTimes, OutputClaim } from "./output.js";

const times: LeaseTimes = { renewMs: 20_000, expireMs: 90_000, trustMs: 60_000 };

interface LeaseOptions {
  readonly store: ObjectStore;
  readonly key: string;
  /** The output, in messages. */
  readonly address: string;
  /** Accept a store that ignores conditions: two runs at once may then mix their files. */
  readonly isUnsafe: boolean;
  /** The process that takes the lock to plan, such as `shard 2/20`. */
  readonly planner?: string;
  readonly times?: LeaseTimes;
}

/**
 * The lock of an output in a store: an object that its holder renews. Each renewal is conditional
 * on the ETag of the one before: a process that was paused notices that another has taken its lock.
 */
export class LeaseLock implements HeldLock, OutputClaim {
  /** Aborted with the error when the lock is lost. */
  readonly #lost = new AbortController();
  readonly #token = randomUUID();
  readonly #lockedAt = new Date().toISOString();
  readonly #stop = new AbortController();
  readonly #times: LeaseTimes;
  #etag = "";
  #renewedMs = 0;
  #renewals = 0;
  #renewal: Promise<void> | undefined;
  #loop: Promise<void> | undefined;
  /** The process that held the lock and did not give it back. */
  takenOverFrom: LockHolder | undefined;

  private constructor(private readonly options: LeaseOptions) {
    this.#times = options.times ?? times;
  }

  /** Throws `output_locked` while another process holds it, and `store_unconditional`. */
  static async take(options: LeaseOptions): Promise<LeaseLock> {
    const lock = new LeaseLock(options);
    await lock.#acquire();
    try {
      if (!options.isUnsafe) await lock.#checkConditions();
    } catch (error) {
      await lock.release();
      throw error;
    }
    lock.#loop = lock.#renewRegularly();
    return lock;
  }

  /** Returns true if a process holds the lock of that key. */
  static async isHeld(store: ObjectStore, key: string, signal: AbortSignal): Promise<boolean> {
    const head = await store.head(key, signal);
    if (head === undefined || head.modifiedMs + times.expireMs <= head.nowMs) return false;
    const holder = holderIn(head);
    return holder === undefined || !(await isDead(holder, thisProcess));
  }

  /** Returns the process that has the lock of that key, alive or not; undefined if the lock is free. */
  static async holderOf(
    store: ObjectStore,
    key: string,
    signal: AbortSignal,
  ): Promise<LockHolder | undefined> {
    const head = await store.head(key, signal);
    return head && holderIn(head);
  }

  /** Aborted with the reason when the lock is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Milliseconds in which no other process can have taken it; 0 or less if one may have. */
  get leftMs(): number {
    return this.lost.aborted ? 0 : this.#times.trustMs - (performance.now() - this.#renewedMs);
  }

  /** Call before each write: renews the lock if the renewal is late. Throws `output_lock_lost`. */
  async check(): Promise<void> {
    this.lost.throwIfAborted();
    if (performance.now() - this.#renewedMs > this.#times.trustMs) await this.renew();
  }

  /** Throws `output_lock_lost`. */
  async renew(): Promise<void> {
    this.lost.throwIfAborted();
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    await this.#renewal;
  }

  async release(): Promise<void> {
    // Another process may have it now: do not remove its lock.
    if (this.leftMs <= 0) await this.renew().catch(() => undefined);
    this.#stop.abort();
    await this.#loop;
    if (this.leftMs <= 0) return;
    const { store, key } = this.options;
    const signal = AbortSignal.timeout(this.#times.renewMs);
    // The lock expires by itself.
    await store.remove([key], signal).catch(() => undefined);
  }

  async #acquire(): Promise<void> {
    const { store, key } = this.options;
    const signal = this.#stop.signal;
    for (let attempt = 1; ; attempt++) {
      if (await this.#put("absent")) return;
      const head = await store.head(key, signal);
      if (attempt > 1 || head === undefined)
        await waitForAgreement(attempt, `${this.options.address}: ${key}`);
      if (head === undefined) continue;
      const holder = holderIn(head);
      if (holder?.token === this.#token) {
        this.#accept(head.etag);
        return;
      }
      const leftMs = head.modifiedMs + this.#times.expireMs - head.nowMs;
      const hasDied = holder !== undefined && (await isDead(holder, thisProcess));
      if (leftMs > 0 && !hasDied) throw this.#locked(holder, leftMs);
      this.takenOverFrom = holder;
      if (await this.#put({ etag: head.etag })) return;
    }
  }

  /** Throws unless the store refuses to overwrite an object under the condition that it does not exist. */
  async #checkConditions(): Promise<void> {
    if (!(await this.#put("absent"))) return;
    throw new UsageError(
      "store_unconditional",
      `${this.options.address}: the store ignores If-None-Match, so two runs at the same time could mix their files. Choose another store, or pass ${option("unsafeLock")} if nothing else writes there.`,
    );
  }

  async #renewRegularly(): Promise<void> {
    for (;;) {
      await sleep(this.#times.renewMs, undefined, { signal: this.#stop.signal, ref: false }).catch(
        () => undefined,
      );
      if (this.#stop.signal.aborted || this.lost.aborted) return;
      // Ignore failures other than the loss of the lock: `check` throws once the lock is too old.
      await this.renew().catch(() => undefined);
    }
  }

  async #renew(): Promise<void> {
    const { store, key } = this.options;
    for (let attempt = 1; !(await this.#put({ etag: this.#etag })); attempt++) {
      if (attempt > 1) await waitForAgreement(attempt, `${this.options.address}: ${key}`);
      const head = await store.head(key, this.#stop.signal);
      const holder = head && holderIn(head);
      if (head === undefined || holder?.token !== this.#token) throw this.#lose(holder);
      // The object was stored, but the answer was lost.
      this.#etag = head.etag;
    }
  }

  /** Returns false if the condition is not met. */
  async #put(condition: "absent" | { readonly etag: string }): Promise<boolean> {
    const { store, key } = this.options;
    const holder: LockHolder & { readonly renewals: number } = {
      pid: thisProcess.pid,
      host: hostname(),
      processStart: await thisProcess.startOf(thisProcess.pid),
      lockedAt: this.#lockedAt,
      token: this.#token,
      ...omitUndefined({ planner: this.options.planner }),
      // The ETag of each renewal differs.
      renewals: this.#renewals++,
    };
    const bytes = Buffer.from(`${JSON.stringify(holder)}\n`);
    const startedMs = performance.now();
    const startedRunningMs = runningMs();
    // A signal of `AbortSignal.timeout` can be collected while a request listens to it.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(this.#silence()), this.#times.trustMs);
    try {
      const etag = await store.put(
        key,
        { bytes },
        {
          condition,
          sha256: createHash("sha256").update(bytes).digest("hex"),
          metadata: { "switchyard-holder": bytes.toString("base64") },
          signal: AbortSignal.any([this.#stop.signal, late.signal]),
        },
      );
      if (etag === "occupied") return false;
      this.#accept(etag, startedMs);
      return true;
    } catch (error) {
      const isLate = runningMs() - startedRunningMs >= this.#times.trustMs;
      if (isLate || !late.signal.aborted || this.#stop.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
    // The process was stopped in the meantime, so the store had no time to answer.
    return this.#put(condition);
  }

  #accept(etag: string, renewedMs = performance.now()): void {
    this.#etag = etag;
    this.#renewedMs = renewedMs;
  }

  #locked(holder: LockHolder | undefined, leftMs: number): SwitchyardError {
    const { address, key } = this.options;
    const who =
      holder === undefined
        ? `the object ${key}`
        : `process ${holder.pid} on ${holder.host}, since ${holder.lockedAt}`;
    return new SwitchyardError(
      "output_locked",
      `another run writes into ${address} (${who}); wait until it ends${
        holder?.host === hostname()
          ? ", or stop it"
          : ` (${Math.ceil(leftMs / 1000)} s if it has died)`
      }`,
      { exitCode: exitCodes.busy },
    );
  }

  #silence(): SwitchyardError {
    const { address } = this.options;
    return new SwitchyardError(
      "store_unreachable",
      `${address}: the store has not answered for ${this.#times.trustMs / 1000} s, so the lock could not be written; run the same command again to resume`,
    );
  }

  #lose(holder: LockHolder | undefined): SwitchyardError {
    const who = holder && `process ${holder.pid} on ${holder.host}`;
    const error = new SwitchyardError(
      "output_lock_lost",
      `${this.options.address}: this run did not renew its lock in time, and ${who === undefined ? "the lock was removed" : `${who} has taken it`}; this run stops writing. Run the same command again to resume`,
      { exitCode: exitCodes.busy },
    );
    this.#lost.abort(error);
    return error;
  }
}

const AGREEMENT_ATTEMPTS_MAX = 8;
const AGREEMENT_WAIT_MS = 100;

/**
 * Backs off while the store contradicts itself. Throws `store_unconditional` if it keeps failing a
 * condition that its own answers meet. Ceph does so in buckets with versions.
 */
export async function waitForAgreement(attempt: number, name: string): Promise<void> {
  if (attempt < AGREEMENT_ATTEMPTS_MAX) {
    await sleep(attempt * AGREEMENT_WAIT_MS);
    return;
  }
  throw new UsageError(
    "store_unconditional",
    `${name}: the store refuses a conditional write although the condition is met. Choose a bucket without versions, or another store.`,
  );
}

function holderIn({ metadata }: ObjectHead): LockHolder | undefined {
  return parseHolder(Buffer.from(metadata["switchyard-holder"] ?? "", "base64").toString());
}
