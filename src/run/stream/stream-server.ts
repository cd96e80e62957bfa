import type { SplitRecord } from "../../ledger/ledger-records.js";

/** A piece of the lines, or the record of all of them at the end. */
type StreamPiece = readonly [lines: ArrayBuffer] | readonly [end: null, record: SplitRecord];

/** Reads and maps the split that it was set up for; passes lines to `put`, and returns the record. */
type WriteLines = (put: (lines: ArrayBuffer) => Promise<void>) => Promise<SplitRecord>;

/**
 * The calls of the thread of a stream. It makes lines while the main thread writes the ones before;
 * then it waits until they are taken.
 */
export class StreamServer<Setup> {
  #lines: ArrayBuffer | undefined;
  #filled = new Moment();
  #taken = new Moment();
  #ended: Promise<SplitRecord> | undefined;

  constructor(private readonly prepare: (setup: Setup) => Promise<WriteLines>) {}

  /** Called first; throws what makes the stream impossible. */
  async setUp(setup: Setup): Promise<void> {
    const writeLines = await this.prepare(setup);
    this.#ended = writeLines((lines) => this.#put(lines));
    // `next` reports it.
    this.#ended.catch(() => undefined);
  }

  /** Returns the next lines, or the record after the last ones. */
  async next(): Promise<StreamPiece> {
    const ended = this.#ended as Promise<SplitRecord>;
    await Promise.race([this.#filled.promise, ended]);
    const lines = this.#lines;
    if (lines === undefined) return [null, await ended];
    this.#lines = undefined;
    this.#filled = new Moment();
    this.#taken.come();
    return [lines];
  }

  async #put(lines: ArrayBuffer): Promise<void> {
    if (this.#lines !== undefined) await this.#taken.promise;
    this.#taken = new Moment();
    this.#lines = lines;
    this.#filled.come();
  }
}

/** A promise that resolves when `come` is called. */
class Moment {
  come: () => void = () => undefined;
  readonly promise = new Promise<void>((resolve) => {
    this.come = resolve;
  });
}
