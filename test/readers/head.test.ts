import { randomFillSync } from "node:crypto";
import { brotliCompressSync, deflateRawSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { SNIFF_BYTES } from "../../src/base/limits.js";
import { decodeHead } from "../../src/readers/head.js";

/** What discovery has read of a file when it asks. */
const EDGE_BYTES = 64 * 1024;

const lines = (count: number) =>
  Buffer.from(
    Array.from({ length: count }, (_, row) => `{"event_type":"click","event_id":${row}}\n`).join(
      "",
    ),
  );
const noise = (bytes: number) => randomFillSync(Buffer.alloc(bytes));
const first = (data: Uint8Array) => ({ bytes: data.subarray(0, EDGE_BYTES), complete: false });

describe("decodeHead", () => {
  const text = lines(60_000);

  it.each([
    ["gzip", gzipSync(text)],
    ["deflate", deflateRawSync(text)],
  ] as const)("gives the beginning of what is not there as a whole: %s", (codec, data) => {
    expect(data.length).toBeGreaterThan(2 * EDGE_BYTES);
    const head = decodeHead(codec, first(data));
    expect(head?.complete).toBe(false);
    expect(head?.bytes.length).toBeGreaterThanOrEqual(SNIFF_BYTES);
    expect(text.subarray(0, head?.bytes.length).equals(head?.bytes ?? Buffer.of())).toBe(true);
  });

  it("gives all that there is of what hardly gets smaller, though it is less than is looked at", () => {
    const content = noise(1_000_000);
    const head = decodeHead("gzip", first(gzipSync(content)));
    expect(head?.complete).toBe(false);
    expect(head?.bytes.length).toBeGreaterThan(EDGE_BYTES / 2);
    expect(head?.bytes.length).toBeLessThan(SNIFF_BYTES);
    expect(content.subarray(0, head?.bytes.length).equals(head?.bytes ?? Buffer.of())).toBe(true);
  });

  it("goes on in the next member of a gzip file", () => {
    const members = Array.from({ length: 3_000 }, (_, index) =>
      gzipSync(`{"event_id":${index}}\n`),
    );
    const head = decodeHead("gzip", first(Buffer.concat(members)));
    expect(Buffer.from(head?.bytes ?? []).toString()).toMatch(
      /^{"event_id":0}\n{"event_id":1}\n[\s\S]*{"event_id":1000}\n/,
    );
  });

  it("gives what is complete as a whole, whatever its codec", () => {
    const small = lines(50);
    for (const [codec, data] of [
      ["gzip", gzipSync(small)],
      ["deflate", deflateRawSync(small)],
      ["brotli", brotliCompressSync(small)],
    ] as const) {
      expect(decodeHead(codec, { bytes: data, complete: true })).toEqual({
        ...{ bytes: small, complete: true },
      });
    }
  });

  it("leaves to a stream what is damaged, cut though it should be whole, or grows too far", () => {
    const whole = gzipSync(lines(50));
    expect(decodeHead("gzip", { bytes: whole.subarray(0, -9), complete: true })).toBeNull();
    const damaged = gzipSync(text);
    damaged.fill(0xff, 20, 60);
    expect(decodeHead("gzip", first(damaged))).toBeNull();
    expect(decodeHead("gzip", first(gzipSync(Buffer.alloc(200_000_000))))).toBeNull();
  });

  it("leaves zstd to a stream, and brotli that goes on", () => {
    expect(decodeHead("brotli", first(brotliCompressSync(noise(200_000))))).toBeNull();
    expect(
      decodeHead("zstd", { bytes: Buffer.of(0x28, 0xb5, 0x2f, 0xfd), complete: true }),
    ).toBeNull();
  });
});
