import { KIB } from "../base/limits.js";
import { isObjectUrl } from "../store/object-url.js";
import { fetchObject, type ObjectOptions } from "./object-bytes.js";
import type { SourceRange } from "./source.js";

/** Larger objects have several requests under way on their own. */
const OBJECT_BYTES_MAX = 256 * KIB;
/** Objects that are asked for before their turn: a request for one after the other would wait each time. */
const AHEAD_MAX = 16;

/** Fetches small objects of a list of ranges, in their order, before they are read. */
export class ObjectsAhead {
  /** By index of the range. */
  readonly #fetched = new Map<number, Promise<Uint8Array>>();
  readonly #closing = new AbortController();
  /** Shared by all requests: to make one for each takes longer than to sign it. */
  #signal: AbortSignal | undefined;
  #next = 0;

  constructor(
    private readonly ranges: readonly SourceRange[],
    private readonly options: ObjectOptions,
  ) {}

  /**
   * Returns the bytes of the object of a range, and asks for those after it; undefined for anything but a
   * small object that is read as a whole. Indexes must grow. Throws `SourceError`, or the signal's reason.
   */
  async take(index: number): Promise<Uint8Array | undefined> {
    this.#next = Math.max(this.#next, index);
    for (; this.#next < Math.min(index + AHEAD_MAX, this.ranges.length); this.#next++) {
      const range = this.ranges[this.#next] as SourceRange;
      if (!isSmallObject(range)) continue;
      const fetched = this.#fetch(range);
      // An error is thrown when its turn comes.
      fetched.catch(() => undefined);
      this.#fetched.set(this.#next, fetched);
    }
    const found = this.#fetched.get(index);
    this.#fetched.delete(index);
    return found;
  }

  /** Stops what is under way. */
  close(): void {
    if (this.#fetched.size > 0) this.#closing.abort();
  }

  async #fetch({ source }: SourceRange): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafeSlow(source.size);
    this.#signal ??= AbortSignal.any([this.options.signal, this.#closing.signal]);
    const signal = this.#signal;
    const range = { start: 0, end: source.size };
    await fetchObject(source, range, { ...this.options, signal }, (part, position) => {
      bytes.set(part, position);
    });
    return bytes;
  }
}

function isSmallObject({ source, start, end }: SourceRange): boolean {
  const isWhole = start === 0 && end === null && source.entry === undefined;
  return isWhole && source.size > 0 && source.size <= OBJECT_BYTES_MAX && isObjectUrl(source.path);
}
