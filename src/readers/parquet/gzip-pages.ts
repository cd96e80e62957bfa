import { crc32 } from "node:zlib";
import type { Kernel } from "../../batch/kernel.js";
import { KernelRecord } from "../../batch/kernel-record.js";
import { streamLayout } from "../../batch/layouts.js";
import { CODE_LENGTHS_BYTES, inflateStatuses } from "../inflater.js";
import { type Bytes, LOOSE_BYTES } from "./page-memory.js";

const MAGIC = 0x8b1f;
const METHOD_DEFLATE = 8;
/** Bytes of a member's header without its optional parts, and of its trailer. */
const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
/** Bits of a member's flags (RFC 1952, 2.3.1). */
const flags = { headerChecksum: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const;

type Stream = KernelRecord<keyof typeof streamLayout.words>;

/** Decompresses gzip pages in kernel memory. */
export class GzipPages {
  #stream: Stream | undefined;

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
      const data = passHeader(bytes, view, p);
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
    } while (source.end - p >= HEADER_BYTES && view.getUint16(p, true) === MAGIC);
    return t === target.end;
  }

  #inflate(stream: Stream, source: Bytes, target: Bytes) {
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

/** Returns the address behind a member's header, or 0 if it is damaged. `bytes` end with the page. */
function passHeader(bytes: Uint8Array, view: DataView, start: number): number {
  const { length } = bytes;
  if (length - start < HEADER_BYTES || view.getUint16(start, true) !== MAGIC) return 0;
  const set = view.getUint8(start + 3);
  if (view.getUint8(start + 2) !== METHOD_DEFLATE || (set & flags.reserved) !== 0) return 0;
  let p = start + HEADER_BYTES;
  if ((set & flags.extra) !== 0) p += length - p < 2 ? length : 2 + view.getUint16(p, true);
  for (const flag of [flags.name, flags.comment]) {
    if ((set & flag) === 0 || p === 0 || p > length) continue;
    p = bytes.indexOf(0, p) + 1;
  }
  if (p === 0 || p > length || (set & flags.headerChecksum) === 0) return p > length ? 0 : p;
  const expected = crc32(bytes.subarray(start, p)) & 0xffff;
  return length - p < 2 || view.getUint16(p, true) !== expected ? 0 : p + 2;
}
