import type { Split } from "../plan.js";
import type { Claim, Dispatch } from "../worker/dispatch.js";
import type { QueuedOutput } from "./queued-output.js";
import type { QueueClaim, WorkQueue } from "./work-queue.js";

/** Without work for so long, a worker leaves a run, and returns when there is some. */
const IDLE_MS = 60_000;

export interface RunDispatchOptions {
  readonly queue: Pick<WorkQueue, "claim" | "isEnded">;
  readonly output: Pick<QueuedOutput, "isRecorded">;
  readonly run: string;
  /** The splits of an epoch, by id. */
  readonly splits: ReadonlyMap<string, Split>;
  /** Aborted when this process should claim nothing more. */
  readonly stop: AbortSignal;
  now(): number;
}

/** Dispatches the splits of an epoch as a queue gives them out, to this process and to others. */
export class RunDispatch implements Dispatch {
  readonly threadsMax = Number.POSITIVE_INFINITY;
  /** Other machines may be free before it is read. */
  readonly allowsReserve = false;
  /** Claimed splits of other runs and epochs. */
  readonly #others: QueueClaim[] = [];
  readonly #claimed: QueueClaim[];
  readonly #held = new Set<QueueClaim>();
  #usedMs: number;
  #isEmpty = false;

  constructor(
    first: QueueClaim | undefined,
    private readonly options: RunDispatchOptions,
  ) {
    this.#claimed = first === undefined ? [] : [first];
    this.#usedMs = options.now();
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Claims that have to wait for the end of this run. */
  get rest(): readonly QueueClaim[] {
    return [...this.#claimed, ...this.#others];
  }

  /** The splits at work. */
  get held(): ReadonlySet<QueueClaim> {
    return this.#held;
  }

  async claim(waits: boolean): Promise<Claim | undefined> {
    const { queue, run, splits, stop, now } = this.options;
    while (!this.#isEmpty) {
      if (stop.aborted) {
        this.#isEmpty = true;
        break;
      }
      const claim = this.#claimed.shift() ?? (await queue.claim(waits));
      if (claim === undefined) {
        if (!waits) return undefined;
        this.#isEmpty ||= await this.#isOver();
        continue;
      }
      this.#usedMs = now();
      const split = claim.work.run === run ? splits.get(claim.work.split) : undefined;
      if (split === undefined) {
        this.#others.push(claim);
        this.#isEmpty = true;
      } else if (stop.aborted) await claim.release();
      else if (await this.#isRecorded(split)) await claim.done();
      else return this.#hold(claim, split);
    }
    return undefined;
  }

  #hold(claim: QueueClaim, split: Split): Claim {
    this.#held.add(claim);
    const end = (how: () => Promise<void>) => async () => {
      this.#held.delete(claim);
      this.#usedMs = this.options.now();
      await how();
    };
    return {
      split,
      isWanted: async () => !(await this.#isRecorded(split)),
      done: end(() => claim.done()),
      failed: end(() => claim.release()),
    };
  }

  async #isOver(): Promise<boolean> {
    const { queue, run, now } = this.options;
    if (this.#held.size > 0) return false;
    return now() - this.#usedMs > IDLE_MS || (await queue.isEnded(run));
  }

  #isRecorded({ id }: Split): Promise<boolean> {
    return this.options.output.isRecorded(id, new AbortController().signal);
  }
}
