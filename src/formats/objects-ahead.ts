import { KIB, MIB } from "../base/limits.js";
import { fetchObject, type ObjectOptions } from "../sources/object-bytes.js";
import type { FetchedBytes } from "../sources/read-options.js";
import type { SourceRange } from "../sources/source.js";
import { isObjectUrl } from "../store/object-url.js";
import { formatOf } from "./input-formats.js";

/** Smaller objects are fetched as a whole. Of formats that are not read from the front, only these. */
const SMALL_BYTES = 256 * KIB;
/** Bytes of a larger object that are fetched before its turn; then it has several requests under way on its own. */
const FIRST_BYTES = 8 * MIB;
/** Ranges that are fetched before their turn, and their bytes: a request for one after the other would wait each time. */
export const RANGES_AHEAD_MAX = 16;
const BYTES_AHEAD_MAX = 16 * MIB;

interface Ahead extends FetchedRange {
  readonly fetched: Promise<FetchedBytes>;
}

interface FetchedRange {
  readonly start: number;
  readonly end: number;
}

/** Fetches the first bytes of ranges of objects, in their order, before they are read. */
export class ObjectsAhead {
  #ranges: readonly SourceRange[] = [];
  /** In the order of the ranges. */
  readonly #ahead = new Map<string, Ahead>();
  readonly #closing = new AbortController();
  /** Shared by all requests: to make one for each takes longer than to sign it. */
  #signal: AbortSignal | undefined;
  #next = 0;

  constructor(private readonly options: ObjectOptions) {}

  /** Sets the ranges that are read now, and after them those that probably follow. */
  begin(ranges: readonly SourceRange[]): void {
    const keys = new Set(ranges.map(keyOf));
    for (const key of this.#ahead.keys()) if (!keys.has(key)) this.#ahead.delete(key);
    this.#ranges = ranges;
    this.#next = 0;
  }

  /**
   * Returns the first bytes of a range, and asks for those after it; undefined if it has not asked for them
   * before, and the object is not small. Indexes must grow. Throws `SourceError`, or the signal's reason.
   */
  async take(index: number): Promise<FetchedBytes | undefined> {
    const range = this.#ranges[index] as SourceRange;
    const part = partOf(range);
    if (part !== undefined && part.end - part.start <= SMALL_BYTES) this.#ask(range, part);
    const key = keyOf(range);
    const found = this.#ahead.get(key);
    this.#ahead.delete(key);
    this.#next = Math.max(this.#next, index + 1);
    let bytes = 0;
    for (const { start, end } of this.#ahead.values()) bytes += end - start;
    for (; this.#next < Math.min(index + RANGES_AHEAD_MAX, this.#ranges.length); this.#next++) {
      const next = this.#ranges[this.#next] as SourceRange;
      const first = partOf(next);
      if (first === undefined) continue;
      bytes += this.#ahead.has(keyOf(next)) ? 0 : first.end - first.start;
      if (bytes > BYTES_AHEAD_MAX) break;
      this.#ask(next, first);
    }
    return found?.fetched;
  }

  /** Stops what is under way. */
  close(): void {
    this.#closing.abort();
  }

  #ask(range: SourceRange, part: FetchedRange): void {
    const key = keyOf(range);
    if (this.#ahead.has(key)) return;
    const fetched = this.#fetch(range, part);
    // An error is thrown when its turn comes.
    fetched.catch(() => undefined);
    this.#ahead.set(key, { ...part, fetched });
  }

  async #fetch({ source }: SourceRange, { start, end }: FetchedRange): Promise<FetchedBytes> {
    const bytes = Buffer.allocUnsafeSlow(end - start);
    this.#signal ??= AbortSignal.any([this.options.signal, this.#closing.signal]);
    const options = { ...this.options, signal: this.#signal };
    await fetchObject(source, { start, end }, options, (part, position) => {
      bytes.set(part, position - start);
    });
    return { start, bytes };
  }
}

function keyOf({ source, start }: SourceRange): string {
  return `${start} ${source.path} ${source.fingerprint}`;
}

/** Returns the bytes of a range that are fetched before its turn; undefined if there are none. */
function partOf({ source, start, end }: SourceRange): FetchedRange | undefined {
  const { entry, size, path, format } = source;
  if (entry !== undefined || size === 0 || !isObjectUrl(path)) return undefined;
  // Such a range has no position in bytes.
  if (formatOf(format).rangeUnit !== "bytes")
    return size <= SMALL_BYTES && start === 0 ? { start, end: size } : undefined;
  // Readers of lines begin at the byte before their range.
  const from = Math.max(0, start - 1);
  return { start: from, end: Math.min(end ?? size, from + FIRST_BYTES) };
}
