import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Kernel } from "../../../src/batch/kernel.js";
import {
  isOtherEncoding,
  recode as recodeSource,
  Utf16Source,
} from "../../../src/readers/csv/csv-encoding.js";
import { openCsvReader } from "../../../src/readers/csv/open-csv.js";
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
      const reader = await openCsvReader(
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

describe("recode", () => {
  test("gives the characters of an encoding, and makes other bytes invalid UTF-8", async () => {
    const read = async (hex: string, encoding: string) => {
      const bytes = recodeSource(
        deliverBytes(Buffer.from(hex, "hex"), 0, { chunks: [1] }),
        encoding,
      );
      const found: Buffer[] = [];
      for (;;) {
        const target = Buffer.alloc(3);
        const count = await bytes.read(target);
        if (count === 0) return Buffer.concat(found);
        found.push(target.subarray(0, count));
      }
    };
    expect((await read("4de92080", "windows-1252")).toString()).toBe("Mé €");
    expect((await read("93fa967b", "shift_jis")).toString()).toBe("日本");
    expect(await read("93fa41ff42", "shift_jis")).toEqual(
      Buffer.concat([Buffer.from("日A"), Buffer.from([0xff]), Buffer.from("B")]),
    );
    // Half a character at the end.
    expect(await read("4193", "shift_jis")).toEqual(Buffer.from([0x41, 0xff]));
  });

  test("is needed for heads with more bytes that are not UTF-8 than other characters", () => {
    const latin = Buffer.from("name;é\n".repeat(30), "latin1");
    expect(isOtherEncoding(latin)).toBe(true);
    expect(isOtherEncoding(Buffer.from("name;é\n".repeat(30)))).toBe(false);
    expect(
      isOtherEncoding(Buffer.concat([Buffer.from("é;日本\n".repeat(30)), latin.subarray(0, 60)])),
    ).toBe(false);
    expect(isOtherEncoding(latin.subarray(0, 70))).toBe(false);
  });
});
