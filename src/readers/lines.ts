import type { ByteSource } from "./byte-source.js";

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 256 * 1024;

/** A line of a source without its line feed. */
export interface Line {
  readonly bytes: Buffer;
  /** Of its first byte in the source. */
  readonly offset: number;
}

/** The lines of a source one by one: for what is read by JavaScript, not for events at full speed. */
export async function* readLines(source: ByteSource): AsyncGenerator<Line, void, void> {
  let pending: Buffer[] = [];
  let offset = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = await source.read(chunk);
    if (read === 0) break;
    let start = 0;
    for (;;) {
      const feed = chunk.subarray(0, read).indexOf(LINE_FEED, start);
      if (feed < 0) break;
      const bytes = Buffer.concat([...pending, chunk.subarray(start, feed)]);
      yield { bytes, offset };
      offset += bytes.length + 1;
      pending = [];
      start = feed + 1;
    }
    if (start < read) pending.push(chunk.subarray(start, read));
  }
  const bytes = Buffer.concat(pending);
  if (bytes.length > 0) yield { bytes, offset };
}
