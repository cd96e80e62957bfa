import { crc32 } from "node:zlib";
import type { Kernel } from "../batch/kernel.js";
import { KernelRecord } from "../batch/kernel-record.js";
import { streamLayout } from "../batch/layouts.js";
import { GZIP_HEADER_BYTES, GZIP_MAGIC, passGzipHeader } from "../sources/gzip-header.js";
import { CODE_LENGTHS_BYTES, DecodeFailure, inflateStatuses } from "../sources/inflater.js";
import { type Bytes, LOOSE_BYTES } from "./page-memory.js";

/** Bytes of a member's trailer. */
const TRAILER_BYTES = 8;

type PageStream = KernelRecord<keyof typeof streamLayout.words>;

/** Decompresses gzip pages in kernel memory. */
export class GzipPages {
  #stream: PageStream | undefined;

  constructor(private readonly kernel: Kernel) {}

  /** Fills `target`. Returns false if `source` is damaged or has another number of bytes. */
  decompress(source: Bytes, target: Bytes): boolean {
    // Before views are taken: allocating can move the memory.
    this.#stream ??= new KernelRecord(this.kernel, streamLayout, CODE_LENGTHS_BYTES);
    const stream = this.#stream;
    const bytes = this.kernel.bytes.subarray(0, source.end);
    const view = new DataView(this.kernel.memory.buffer);
    let p = source.start;
    let t = target.start;
    // One member after the other; what does not begin like a member is padding.
    do {
      const data = passHeader(bytes, p);
      const inflated =
        data === 0
          ? undefined
          : this.#inflate(stream, { start: data, end: source.end }, { start: t, end: target.end });
      if (inflated === undefined || source.end - inflated.input < TRAILER_BYTES) return false;
      const { input, output } = inflated;
      if (view.getUint32(input, true) !== crc32(this.kernel.bytes.subarray(t, output)))
        return false;
      if (view.getUint32(input + 4, true) !== output - t) return false;
      p = input + TRAILER_BYTES;
      t = output;
    } while (source.end - p >= GZIP_HEADER_BYTES && view.getUint16(p, true) === GZIP_MAGIC);
    return t === target.end;
  }

  #inflate(stream: PageStream, source: Bytes, target: Bytes) {
    const { kernel } = this;
    stream.set("input", source.start);
    stream.set("inputEnd", source.end);
    stream.set("inputIsLast", 1);
    stream.set("output", target.start);
    stream.set("outputEnd", target.end + LOOSE_BYTES);
    stream.set("history", target.start);
    stream.set("phase", 0);
    stream.set("bitCount", 0);
    kernel.doubles[stream.address / 8 + streamLayout.longs.bits] = 0;
    if (kernel.run.inflate(stream.address) !== inflateStatuses.done) return undefined;
    const output = stream.get("output");
    return output > target.end ? undefined : { input: stream.get("input"), output };
  }

  free(): void {
    this.#stream?.free();
    this.#stream = undefined;
  }
}

/** Returns the address after a member's header, or 0 if it is damaged. `bytes` end with the page. */
function passHeader(bytes: Uint8Array, start: number): number {
  const header = passGzipHeader();
  let p = start;
  try {
    for (let demand = header.next(); demand.done !== true; ) {
      const end = p + demand.value;
      if (end > bytes.length) return 0;
      demand = header.next(bytes.subarray(p, end));
      p = end;
    }
  } catch (error) {
    if (error instanceof DecodeFailure) return 0;
    throw error;
  }
  return p;
}
