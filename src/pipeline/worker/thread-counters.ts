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
const WORDS_BYTES = 16;
const DOUBLES = 8;

/**
 * What a worker thread and the main thread tell each other without a message: where the worker is,
 * and that it should stop. Readable at any time, also after the worker has died. Nothing that the
 * output depends on goes this way.
 */
export class ThreadCounters {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;

  constructor(buffer = new SharedArrayBuffer(WORDS_BYTES + DOUBLES * 8)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer, 0, WORDS_BYTES / 4);
    this.#doubles = new Float64Array(buffer, WORDS_BYTES, DOUBLES);
  }

  /** Whether the worker is asked to stop at its next batch. */
  get stopped(): boolean {
    return Atomics.load(this.#words, STOP) !== 0;
  }

  stop(): void {
    Atomics.store(this.#words, STOP, 1);
  }

  /** Index of the range of its split that the worker reads; -1 while it reads none. */
  get range(): number {
    return Atomics.load(this.#words, RANGE) - 1;
  }

  set range(index: number) {
    Atomics.store(this.#words, RANGE, index + 1);
  }

  /** Whether the worker's sink waits for the service that it sends to. */
  get waiting(): boolean {
    return Atomics.load(this.#words, WAITING) !== 0;
  }

  set waiting(isWaiting: boolean) {
    Atomics.store(this.#words, WAITING, isWaiting ? 1 : 0);
  }

  /** Rows of the present split that are done with, a batch being done with event by event. */
  get rows(): number {
    return Math.floor(this.#get(ROWS) + this.#get(BATCH_ROWS) * this.#share());
  }

  /** Rows rejected in the present split. */
  get rejects(): number {
    return this.#get(REJECTS);
  }

  /** Bytes on disk of the present split that are done with. */
  get bytes(): number {
    return this.#get(BYTES) + this.#get(BATCH_BYTES) * this.#share();
  }

  /** Events of the present split that a service has taken; 0 where events go to files. */
  get delivered(): number {
    return this.#get(DELIVERED);
  }

  /** A split begins. */
  reset(): void {
    this.#doubles.fill(0);
  }

  /** All batches so far are done with. */
  set(rows: number, rejects: number, bytes: number): void {
    this.begin(0, 0, 0);
    this.#doubles[ROWS] = rows;
    this.#doubles[REJECTS] = rejects;
    this.#doubles[BYTES] = bytes;
  }

  /** A batch goes to the sink, with so many events among its rows. */
  begin(rows: number, bytes: number, events: number): void {
    this.#doubles[BATCH_SETTLED] = 0;
    this.#doubles[BATCH_ROWS] = rows;
    this.#doubles[BATCH_BYTES] = bytes;
    this.#doubles[BATCH_EVENTS] = events;
  }

  /** The sink knows what became of some more events, before it is done with their batch. */
  settle(delivered: number, refused: number): void {
    this.#doubles[DELIVERED]! += delivered;
    this.#doubles[REJECTS]! += refused;
    this.#doubles[BATCH_SETTLED]! += delivered + refused;
  }

  /** Of the batch that is with the sink. The last events of the one before may count for it. */
  #share(): number {
    const events = this.#get(BATCH_EVENTS);
    return events === 0 ? 0 : Math.min(1, this.#get(BATCH_SETTLED) / events);
  }

  #get(index: number): number {
    return this.#doubles[index] ?? 0;
  }
}
