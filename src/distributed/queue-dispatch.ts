import type { Dispatch } from "../run/pool/dispatch.js";
import type { QueuedWork } from "./queue-records.js";
import type { QueuedOutput } from "./queued-output.js";
import type { QueueClaim, WorkQueue } from "./work-queue.js";

/** A worker leaves a run after this time without work, and returns when there is some. */
const IDLE_MS = 60_000;

interface QueueDispatchOptions<Work> extends Pick<QueuedWork, "run" | "kind" | "epoch"> {
  readonly queue: Pick<WorkQueue, "claim" | "isEnded">;
  readonly output: Pick<QueuedOutput, "isRecorded">;
  /** The splits or the merges of the epoch, by id. */
  readonly works: ReadonlyMap<string, Work>;
  /** Aborted when this process must stop claiming. */
  readonly stop: AbortSignal;
  now(): number;
}

/** Dispatches the splits or the merges of an epoch from a queue that this process shares with others. */
export class QueueDispatch<Work extends object> implements Dispatch<Work> {
  readonly threadsMax = Number.POSITIVE_INFINITY;
  /** Claimed work of other runs and epochs, and of the other kind. */
  readonly #others: QueueClaim[] = [];
  readonly #claimed: QueueClaim[];
  readonly #held = new Map<Work, QueueClaim>();
  #usedMs: number;
  #isEmpty = false;

  constructor(
    first: QueueClaim | undefined,
    private readonly options: QueueDispatchOptions<Work>,
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
  get held(): readonly QueueClaim[] {
    return [...this.#held.values()];
  }

  async claim(waits: boolean): Promise<Work | undefined> {
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
      else if (await this.#isDone(claim)) await claim.done();
      else {
        this.#held.set(work, claim);
        return work;
      }
    }
    return undefined;
  }

  async isRecorded(work: Work): Promise<boolean> {
    const claim = this.#held.get(work);
    return claim !== undefined && this.#isDone(claim);
  }

  done(work: Work): Promise<void> {
    return this.#end(work, "done");
  }

  failed(work: Work): Promise<void> {
    return this.#end(work, "release");
  }

  async #end(work: Work, how: "done" | "release"): Promise<void> {
    const claim = this.#held.get(work);
    this.#held.delete(work);
    this.#usedMs = this.options.now();
    await claim?.[how]();
  }

  /** Returns a new object: a queue that has lost its content may give the same work twice. */
  #workOf({ work: { run, kind, epoch, id } }: QueueClaim): Work | undefined {
    const { options } = this;
    const isOfThis = run === options.run && kind === options.kind && epoch === options.epoch;
    const work = isOfThis ? options.works.get(id) : undefined;
    return work && { ...work };
  }

  async #isOver(): Promise<boolean> {
    const { queue, run, now } = this.options;
    if (this.#held.size > 0) return false;
    return now() - this.#usedMs > IDLE_MS || (await queue.isEnded(run));
  }

  #isDone({ work }: QueueClaim): Promise<boolean> {
    return this.options.output.isRecorded(work, new AbortController().signal);
  }
}
