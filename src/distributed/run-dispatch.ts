import type { Dispatch, WorkClaim } from "../run/pool/dispatch.js";
import type { QueuedWork } from "./queue-records.js";
import type { QueuedOutput } from "./queued-output.js";
import type { QueueClaim, WorkQueue } from "./work-queue.js";

/** A worker leaves a run after this time without work, and returns when there is some. */
const IDLE_MS = 60_000;

export interface RunDispatchOptions<Work> extends Pick<QueuedWork, "run" | "kind" | "epoch"> {
  readonly queue: Pick<WorkQueue, "claim" | "isEnded">;
  readonly output: Pick<QueuedOutput, "isRecorded">;
  /** The splits or the merges of the epoch, by id. */
  readonly works: ReadonlyMap<string, Work>;
  /** Aborted when this process must stop claiming. */
  readonly stop: AbortSignal;
  now(): number;
}

/** Dispatches the splits or the merges of an epoch from a queue that this process shares with others. */
export class RunDispatch<Work extends object> implements Dispatch<Work> {
  readonly threadsMax = Number.POSITIVE_INFINITY;
  /** Other machines may be free before it is done. */
  readonly allowsReserve = false;
  /** Claimed work of other runs and epochs, and of the other kind. */
  readonly #others: QueueClaim[] = [];
  readonly #claimed: QueueClaim[];
  readonly #held = new Set<QueueClaim>();
  #usedMs: number;
  #isEmpty = false;

  constructor(
    first: QueueClaim | undefined,
    private readonly options: RunDispatchOptions<Work>,
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

  /** The work that this process has begun. */
  get held(): ReadonlySet<QueueClaim> {
    return this.#held;
  }

  async claim(waits: boolean): Promise<(Work & WorkClaim) | undefined> {
    const { queue, stop, now } = this.options;
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
      const work = this.#workOf(claim);
      if (work === undefined) {
        this.#others.push(claim);
        this.#isEmpty = true;
      } else if (stop.aborted) await claim.release();
      else if (await this.#isRecorded(claim)) await claim.done();
      else return this.#hold(claim, work);
    }
    return undefined;
  }

  #workOf({ work: { run, kind, epoch, id } }: QueueClaim): Work | undefined {
    const { options } = this;
    const isOfThis = run === options.run && kind === options.kind && epoch === options.epoch;
    return isOfThis ? options.works.get(id) : undefined;
  }

  #hold(claim: QueueClaim, work: Work): Work & WorkClaim {
    this.#held.add(claim);
    const end = (how: () => Promise<void>) => async () => {
      this.#held.delete(claim);
      this.#usedMs = this.options.now();
      await how();
    };
    return {
      ...work,
      isWanted: async () => !(await this.#isRecorded(claim)),
      done: end(() => claim.done()),
      failed: end(() => claim.release()),
    };
  }

  async #isOver(): Promise<boolean> {
    const { queue, run, now } = this.options;
    if (this.#held.size > 0) return false;
    return now() - this.#usedMs > IDLE_MS || (await queue.isEnded(run));
  }

  #isRecorded({ work }: QueueClaim): Promise<boolean> {
    return this.options.output.isRecorded(work, new AbortController().signal);
  }
}
