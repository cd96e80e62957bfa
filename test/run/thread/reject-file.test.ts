import { isUtf8 } from "node:buffer";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rejectCodes } from "../../../src/base/reject-codes.js";
import type { EventBatch } from "../../../src/batch/event-batch.js";
import { Kernel, Region } from "../../../src/batch/kernel.js";
import { layoutOf } from "../../../src/output/layout.js";
import { RejectFile } from "../../../src/run/thread/reject-file.js";
import type { Source } from "../../../src/sources/source.js";
import { propertyRuns } from "../../support/property-runs.js";
import { scratchDirectory } from "../../support/scratch.js";

const kernel = new Kernel();
const room = new Region(kernel, 0);

interface Rejected {
  readonly raw: Uint8Array;
  readonly message: string;
  readonly byte?: number;
}

/** A batch of one row, with its bytes in kernel memory like those of a reader. */
function eventsOf({ raw, message, byte }: Rejected): EventBatch {
  room.ensure(raw.length);
  kernel.bytes.set(raw, room.address);
  return {
    sourceRow: () => 0,
    explain: () => message,
    batch: {
      raw: {
        number: () => 7,
        offset: () => byte,
        bytes: () => kernel.bytes.subarray(room.address, room.address + raw.length),
      },
    },
  } as unknown as EventBatch;
}

const dialect = { delimiter: ",", quote: '"', encoding: "utf-8" } as const;
const source: Source = {
  name: 'ü "1".csv',
  path: "",
  size: 0,
  codecs: [],
  fingerprint: "",
  format: { kind: "csv", ...dialect, columns: ["a", 'b"'], header: true },
};

/** Returns the documented line, made with JavaScript's own JSON. */
function lineOf({ raw, message, byte }: Rejected): string {
  const text = isUtf8(raw)
    ? { raw: Buffer.from(raw).toString() }
    : { rawBase64: Buffer.from(raw).toString("base64") };
  const place = { source: source.name, row: 7, byte };
  const format = { ...source.format, header: false };
  return JSON.stringify({ ...place, code: "time_missing", message, ...text, format });
}

async function writtenBy(use: (file: RejectFile) => void): Promise<string> {
  const layout = layoutOf(scratchDirectory("rejects"), "events");
  mkdirSync(layout.temporaryDirectory, { recursive: true });
  const file = new RejectFile(kernel, layout, "000003");
  use(file);
  await file.commit();
  return readFileSync(join(layout.rejectsDirectory, "part-000003.jsonl"), "utf8");
}

const piece = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom('"', "\\", "\n", "\u0000", "\u001f", "\u007f", "\u2028", "é", "東京", "😀"),
);
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
const raw = fc.oneof(
  { weight: 6, arbitrary: text.map((words) => Buffer.from(words)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 100 }) },
  // Six bytes for one, the maximum.
  { weight: 1, arbitrary: fc.nat(200_000).map((length) => Buffer.alloc(length, 1)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(text, fc.integer({ min: 1, max: 20_000 }))
      .map(([words, times]) => Buffer.from(words.repeat(times).slice(0, 300_000))),
  },
);
const rejected = fc.record(
  { raw, message: text, byte: fc.nat() },
  { requiredKeys: ["raw", "message"] },
);

describe("RejectFile", () => {
  it("writes the same lines as JSON.stringify for rows of any content", async () => {
    const property = fc.asyncProperty(
      fc.array(rejected, { minLength: 1, maxLength: 12 }),
      async (rows) => {
        const written = await writtenBy((file) => {
          for (const row of rows) file.add(source, eventsOf(row), 0, rejectCodes.time_missing);
        });
        expect(written).toBe(rows.map((row) => `${lineOf(row)}\n`).join(""));
      },
    );
    await fc.assert(property, { numRuns: propertyRuns(40) });
  });

  it("writes a message that is longer than the buffer", async () => {
    const row = { raw: Buffer.from("{}"), message: "é".repeat(200_000) };
    const written = await writtenBy((file) => {
      file.add(source, eventsOf(row), 0, rejectCodes.time_missing);
    });
    expect(written).toBe(`${lineOf(row)}\n`);
  });

  it("keeps a row longer than its batch lives", async () => {
    const row = { raw: Buffer.from('{"kept":"ü"}'), message: "no" };
    const written = await writtenBy((file) => {
      const refuse = file.keep(source, eventsOf(row), 0, rejectCodes.time_missing);
      eventsOf({ raw: Buffer.from("something else"), message: "" });
      refuse("no");
    });
    expect(written).toBe(`${lineOf(row)}\n`);
  });
});
