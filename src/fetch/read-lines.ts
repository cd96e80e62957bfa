import { openBytes } from "../sources/open-bytes.js";
import type { SourceBytes } from "../sources/source.js";

/** Bytes that are decompressed at a time. */
const BLOCK_BYTES = 1 << 18;

const LINE_FEED = 0x0a;

/** The lines of a source that was read to its end. */
interface ReadLines {
  /** Lines that are not empty. */
  readonly lines: number;
  /** False if the last line has no line feed; true if there is no line. */
  readonly isEnded: boolean;
  /** The first and the last byte of the last line that is not empty, as text. */
  readonly lastEnds: string;
}

/** Reads a source to its end, with its checksums. Throws `SourceError` if it is cut or damaged. */
export async function readLines(source: SourceBytes, signal: AbortSignal): Promise<ReadLines> {
  const bytes = await openBytes(source, 0, { signal, ratioMax: Number.POSITIVE_INFINITY });
  const block = Buffer.alloc(BLOCK_BYTES);
  const count = new LineCount();
  try {
    for (;;) {
      const read = await bytes.read(block);
      if (read === 0) return count.end();
      count.add(block.subarray(0, read));
    }
  } finally {
    await bytes.close();
  }
}

class LineCount {
  #lines = 0;
  /** Bytes of the line that is not ended yet. */
  #bytes = 0;
  #first = 0;
  #last = 0;

  add(block: Buffer): void {
    let start = 0;
    for (let end = block.indexOf(LINE_FEED); end !== -1; end = block.indexOf(LINE_FEED, start)) {
      this.#extend(block, start, end);
      if (this.#bytes > 0) this.#lines += 1;
      this.#bytes = 0;
      start = end + 1;
    }
    this.#extend(block, start, block.length);
  }

  #extend(block: Buffer, start: number, end: number): void {
    if (end === start) return;
    if (this.#bytes === 0) this.#first = block[start] ?? 0;
    this.#last = block[end - 1] ?? 0;
    this.#bytes += end - start;
  }

  end(): ReadLines {
    const isEnded = this.#bytes === 0;
    const lines = this.#lines + (isEnded ? 0 : 1);
    const lastEnds = lines === 0 ? "" : String.fromCharCode(this.#first, this.#last);
    return { lines, isEnded, lastEnds };
  }
}
