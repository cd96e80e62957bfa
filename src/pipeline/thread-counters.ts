const STOP = 0;
const RANGE = 1;
const WAITING = 2;
const ROWS = 0;
const REJECTS = 1;
const BYTES = 2;
const WORDS_BYTES = 16;
const DOUBLES = 3;

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

  /** Rows read in the present split. */
  get rows(): number {
    return this.#doubles[ROWS] ?? 0;
  }

  /** Rows rejected in the present split. */
  get rejects(): number {
    return this.#doubles[REJECTS] ?? 0;
  }

  /** Bytes on disk read in the present split. */
  get bytes(): number {
    return this.#doubles[BYTES] ?? 0;
  }

  set(rows: number, rejects: number, bytes: number): void {
    this.#doubles[ROWS] = rows;
    this.#doubles[REJECTS] = rejects;
    this.#doubles[BYTES] = bytes;
  }
}
