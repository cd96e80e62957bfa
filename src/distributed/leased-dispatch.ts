import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimTime } from "../base/claim-time.js";
import type { OutputClaim } from "../output/output.js";
import type { Claim, Dispatch } from "../run/pool/dispatch.js";

const POLL_MS = 500;
const WATCH_INTERVAL_MS = 100;

interface LeasedDispatchOptions {
  /** Returns undefined while another process holds the lease of the split. */
  lease(split: string): Promise<OutputClaim | undefined>;
  /** Read by the threads that send. */
  readonly claimTime: ClaimTime;
  /** Aborted when this process must stop claiming. */
  readonly stop: AbortSignal;
}

/**
 * Dispatches splits that must not be sent twice. A split from the queue counts as claimed once this
 * process holds its lease, because a queue can lose claims and a lease cannot be lost. Splits
 * leased by others wait until they are recorded or free.
 */
export class LeasedDispatch implements Dispatch {
  readonly allowsReserve = false;
  readonly #aside: Claim[] = [];
  readonly #leases = new Set<OutputClaim>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly inner: Dispatch,
    private readonly options: LeasedDispatchOptions,
  ) {
    this.#timer = setInterval(() => this.#watch(), WATCH_INTERVAL_MS).unref();
  }

  get isEmpty(): boolean {
    return this.inner.isEmpty && this.#aside.length === 0;
  }

  get threadsMax(): number {
    return this.inner.threadsMax;
  }

  async claim(waits: boolean): Promise<Claim | undefined> {
    for (;;) {
      const held = await this.#takeAside();
      if (held !== undefined) return held;
      const isBusy = this.#aside.length > 0;
      const next = await this.inner.claim(waits && !isBusy);
      if (next !== undefined) this.#aside.push(next);
      else if (!waits || !isBusy) return undefined;
      else await sleep(POLL_MS, undefined, { signal: this.options.stop }).catch(() => undefined);
    }
  }

  /** Returns waiting splits to the queue once all claims have ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#aside.splice(0).map((claim) => claim.failed()));
  }

  async #takeAside(): Promise<Claim | undefined> {
    for (let left = this.#aside.length; left > 0; left--) {
      const claim = this.#aside.shift() as Claim;
      if (this.options.stop.aborted) await claim.failed();
      else if (!(await claim.isWanted())) await claim.done();
      else {
        const lease = await this.options.lease(claim.split.id);
        if (lease === undefined) this.#aside.push(claim);
        else {
          const held = this.#hold(claim, lease);
          // Its holder may have recorded it before the lease was free.
          if (await claim.isWanted()) return held;
          await held.done();
        }
      }
    }
    return undefined;
  }

  #hold(claim: Claim, lease: OutputClaim): Claim {
    this.#leases.add(lease);
    this.#watch();
    const end = (how: () => Promise<void>) => async () => {
      this.#leases.delete(lease);
      await lease.release();
      await how();
    };
    return {
      split: claim.split,
      isWanted: () => claim.isWanted(),
      done: end(() => claim.done()),
      failed: end(() => claim.failed()),
    };
  }

  /** Tells the threads how long every lease is still valid. */
  #watch(): void {
    const left = [...this.#leases].map(({ leftMs }) => leftMs);
    this.options.claimTime.leftMs = left.length === 0 ? 0 : Math.min(...left);
  }
}
