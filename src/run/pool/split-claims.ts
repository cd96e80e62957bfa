import type { ClaimTime } from "../../base/claim-time.js";
import type { OutputClaim } from "../../output/output.js";
import type { Split } from "../../plan/plan.js";

const WATCH_INTERVAL_MS = 100;

/**
 * The claims, in the output, of splits that must not be done twice. A dispatch can lose what it has
 * given to a process; a claim in the output cannot be lost without notice.
 */
export class SplitClaims {
  readonly #held = new Map<Split, OutputClaim>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    /** Returns undefined while another process has the split with this id. */
    private readonly claim: (id: string) => Promise<OutputClaim | undefined>,
    /** Read by the threads that send. */
    private readonly claimTime: ClaimTime,
  ) {}

  /** Returns false while another process has the split. */
  async take(split: Split): Promise<boolean> {
    const claim = await this.claim(split.id);
    if (claim === undefined) return false;
    this.#held.set(split, claim);
    this.#timer ??= setInterval(() => this.#tell(), WATCH_INTERVAL_MS).unref();
    this.#tell();
    return true;
  }

  /** Does nothing for a split that is not held. */
  async release(split: Split): Promise<void> {
    const claim = this.#held.get(split);
    this.#held.delete(split);
    if (this.#held.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.#tell();
    await claim?.release();
  }

  /** Tells the threads how long every claim is still valid. */
  #tell(): void {
    const left = [...this.#held.values()].map(({ leftMs }) => leftMs);
    this.claimTime.leftMs = left.length === 0 ? 0 : Math.min(...left);
  }
}
