import { WAITING_REASON_MAX } from "../../base/limits.js";
import type { SendWait } from "../../webhook/sender.js";

const STOP = 0;
const RANGE = 1;
const WAITING = 2;
const ROWS = 0;
const REJECTS = 1;
const BYTES = 2;
const BATCH_ROWS = 3;
const BATCH_BYTES = 4;
const BATCH_EVENTS = 5;
const BATCH_SETTLED = 6;
const DELIVERED = 7;
const ATTEMPTS = 8;
const UNTIL_MS = 9;
const WORDS_BYTES = 16;
const DOUBLES = 10;
const TEXT_START = WORDS_BYTES + DOUBLES * 8;
/** A character of UTF-16 becomes at most 3 bytes of UTF-8. */
const TEXT_BYTES = 3 * WAITING_REASON_MAX;

const encoder = new TextEncoder();

/**
 * Memory shared by a worker thread and the main thread: the progress of the worker, and the request
 * to stop. Readable at any time, also after the worker has died. The output does not depend on it.
 */
export class ThreadCounters {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  readonly #text: Uint8Array;

  constructor(buffer = new SharedArrayBuffer(TEXT_START + TEXT_BYTES)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer, 0, WORDS_BYTES / 4);
    this.#doubles = new Float64Array(buffer, WORDS_BYTES, DOUBLES);
    this.#text = new Uint8Array(buffer, TEXT_START, TEXT_BYTES);
  }

  /** Returns true if the worker must stop at its next batch. */
  get stopped(): boolean {
    return Atomics.load(this.#words, STOP) !== 0;
  }

  stop(): void {
    Atomics.store(this.#words, STOP, 1);
  }

  /** Index of the range that the worker reads; -1 if it reads none. */
  get range(): number {
    return Atomics.load(this.#words, RANGE) - 1;
  }

  set range(index: number) {
    Atomics.store(this.#words, RANGE, index + 1);
  }

  /** The last failure while the sink of the worker waits for its service. */
  get waiting(): SendWait | undefined {
    const length = Atomics.load(this.#words, WAITING);
    if (length === 0) return undefined;
    const reason = Buffer.from(this.#text.subarray(0, length)).toString();
    return { reason, attempts: this.#get(ATTEMPTS), untilMs: this.#get(UNTIL_MS) };
  }

  set waiting(waiting: SendWait | undefined) {
    // A reader may see a mixture of two failures; its next read is correct.
    const reason = waiting?.reason.slice(0, WAITING_REASON_MAX) ?? "";
    this.#doubles[ATTEMPTS] = waiting?.attempts ?? 0;
    this.#doubles[UNTIL_MS] = waiting?.untilMs ?? 0;
    Atomics.store(this.#words, WAITING, encoder.encodeInto(reason, this.#text).written);
  }

  /** Finished rows of the current split; within a batch, estimated from its finished events. */
  get rows(): number {
    return Math.floor(this.#get(ROWS) + this.#get(BATCH_ROWS) * this.#share());
  }

  /** Rejected rows of the current split. */
  get rejects(): number {
    return this.#get(REJECTS);
  }

  /** Finished bytes on disk of the current split. */
  get bytes(): number {
    return this.#get(BYTES) + this.#get(BATCH_BYTES) * this.#share();
  }

  /** Events of the current split that a service has accepted; 0 if events go to files. */
  get delivered(): number {
    return this.#get(DELIVERED);
  }

  /** Begins a split. */
  reset(): void {
    this.#doubles.fill(0, 0, ATTEMPTS);
  }

  /** Records that all batches so far are finished. */
  set(rows: number, rejects: number, bytes: number): void {
    this.begin(0, 0, 0);
    this.#doubles[ROWS] = rows;
    this.#doubles[REJECTS] = rejects;
    this.#doubles[BYTES] = bytes;
  }

  /** Begins a batch with this number of events. */
  begin(rows: number, bytes: number, events: number): void {
    this.#doubles[BATCH_SETTLED] = 0;
    this.#doubles[BATCH_ROWS] = rows;
    this.#doubles[BATCH_BYTES] = bytes;
    this.#doubles[BATCH_EVENTS] = events;
  }

  /** Counts events that the sink has finished before the rest of their batch. */
  settle(delivered: number, refused: number): void {
    this.#doubles[DELIVERED]! += delivered;
    this.#doubles[REJECTS]! += refused;
    this.#doubles[BATCH_SETTLED]! += delivered + refused;
  }

  /** The finished share of the current batch. Late events of the previous batch may count for it. */
  #share(): number {
    const events = this.#get(BATCH_EVENTS);
    return events === 0 ? 0 : Math.min(1, this.#get(BATCH_SETTLED) / events);
  }

  #get(index: number): number {
    return this.#doubles[index] ?? 0;
  }
}
