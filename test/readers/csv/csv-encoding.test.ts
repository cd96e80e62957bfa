import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Kernel } from "../../../src/batch/kernel.js";
import { Utf16Source } from "../../../src/readers/csv/csv-encoding.js";
import { openCsvReader } from "../../../src/readers/csv/csv-reader.js";
import { deliverBytes, renderBatch } from "../conformance.js";
import { testDialect, testSource } from "./csv-rows.js";

const encodings = ["utf-16le", "utf-16be"] as const;

function encode(text: string, encoding: (typeof encodings)[number]): Buffer {
  const bytes = Buffer.from(text, "utf16le");
  return encoding === "utf-16be" ? bytes.swap16() : bytes;
}

async function recode(
  bytes: Uint8Array,
  encoding: (typeof encodings)[number],
  chunks: readonly number[],
  targetBytes: number,
): Promise<Buffer> {
  const source = new Utf16Source(deliverBytes(bytes, 0, { chunks }), encoding);
  const parts: Buffer[] = [];
  const target = new Uint8Array(targetBytes);
  for (let read = await source.read(target); read > 0; read = await source.read(target)) {
    parts.push(Buffer.from(target.subarray(0, read)));
  }
  expect(await source.read(target)).toBe(0);
  return Buffer.concat(parts);
}

describe("Utf16Source", () => {
  test("gives the same text in UTF-8, whatever the chunks", async () => {
    const chunks = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
    const text = fc.string({ unit: "binary", maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...encodings),
        text,
        chunks,
        fc.integer({ min: 1, max: 50 }),
        async (encoding, text, chunks, targetBytes) => {
          const recoded = await recode(encode(text, encoding), encoding, chunks, targetBytes);
          expect(recoded).toEqual(Buffer.from(text));
        },
      ),
    );
  });

  test("recodes more than one buffer of three-byte characters", async () => {
    const text = "漢字😀".repeat(40_000);
    const recoded = await recode(encode(text, "utf-16be"), "utf-16be", [100_000], 1_000_000);
    expect(recoded.equals(Buffer.from(text))).toBe(true);
  });

  test("makes a row with a lone surrogate or half a unit invalid instead of changing it", async () => {
    const text = "\ufeffa,b\n\ud800,1\n\udc00,2\nok,😀\nx,\ud83d";
    for (const half of [[], [0x41]]) {
      const content = Buffer.concat([encode(text, "utf-16le"), Buffer.from(half)]);
      const dialect = testDialect(["a", "b"], { header: true, encoding: "utf-16le" });
      const source = testSource(dialect, content.length);
      const options = {
        rowBytesMax: 1_000,
        ratioMax: 1_000,
        temporaryDirectory: "/nowhere",
        signal: new AbortController().signal,
      };
      const fields = [{ path: ["b"], form: "text" }] as const;
      const range = { source, start: 0, end: null };
      const bytes = deliverBytes(content, 0, {});
      const reader = openCsvReader(
        { kernel: new Kernel(), range, fields, bytes, options },
        dialect,
      );
      const batch = await reader.next();
      if (batch === null) throw new Error("no batch");
      expect(renderBatch(batch).map(({ fault, cells }) => [fault, ...cells])).toEqual([
        [3, null],
        [3, null],
        [0, "😀"],
        [3, null],
      ]);
      expect(await reader.next()).toBeNull();
      await reader.close();
    }
  });
});
