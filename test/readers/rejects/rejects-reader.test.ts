import { describe, expect, test } from "vitest";
import { rejectCodeName } from "../../../src/base/reject-codes.js";
import { Kernel } from "../../../src/batch/kernel.js";
import { JsonReader } from "../../../src/readers/json/json-reader.js";
import { RejectsReader } from "../../../src/readers/rejects/rejects-reader.js";
import type { ByteSource } from "../../../src/sources/byte-source.js";
import type { Format, Source } from "../../../src/sources/source.js";

const kernel = new Kernel();
const source: Source = {
  name: "rejects/part-000000.jsonl",
  path: "rejects/part-000000.jsonl",
  codecs: [],
  size: 0,
  fingerprint: "",
  format: { kind: "rejects" },
};
const range = { source, start: 0, end: null };

function bytesOf(text: string): ByteSource {
  const data = Buffer.from(text);
  let position = 0;
  return {
    get consumed() {
      return position;
    },
    read(target) {
      const read = data.copy(target, 0, position, position + 7);
      position += read;
      return read;
    },
    close: async () => {},
  };
}

/** Reads a rejects file: `a` of each row or its fault, its origin, its bytes. */
async function retry(lines: readonly unknown[]) {
  const fields = [{ path: ["a"], form: "text" }] as const;
  const text = lines
    .map((line) => (typeof line === "string" ? line : JSON.stringify(line)))
    .join("\n");
  const reader = new RejectsReader(range, bytesOf(text), async (format: Format, bytes) => {
    const layout = format.kind === "json" ? "values" : "lines";
    const options = { rowBytesMax: 1 << 20, signal: new AbortController().signal };
    return new JsonReader(kernel, range, fields, bytes, layout, options);
  });
  const rows = [];
  for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
    for (let row = 0; row < batch.rows; row++) {
      const fault = kernel.bytes[batch.faults + row]!;
      rows.push({
        a: fault === 0 ? batch.columns[0]?.text(row) : rejectCodeName(fault),
        number: batch.raw.number(row),
        origin: batch.raw.origin?.(row),
        raw: Buffer.from(batch.raw.bytes(row)).toString("latin1"),
        ...(fault === 0 ? {} : { why: batch.raw.explain(row) }),
      });
    }
  }
  await reader.close();
  return rows;
}

const ndjson = { kind: "ndjson" } as const;
const json = { kind: "json" } as const;

describe("a rejects file", () => {
  test("gives each kept row again, with its first place", async () => {
    const rows = await retry([
      {
        source: "a.jsonl",
        row: 3,
        byte: 20,
        code: "time_missing",
        message: "",
        raw: '{"a":1}',
        format: ndjson,
      },
      {
        source: "a.jsonl",
        row: 4,
        byte: 40,
        code: "time_missing",
        message: "",
        raw: '{"a":2}',
        format: ndjson,
      },
      "",
      { source: "b.json", code: "time_missing", message: "", raw: '{\n "a":3\n}', format: json },
    ]);
    expect(rows).toEqual([
      {
        a: "1",
        number: 1,
        raw: '{"a":1}',
        origin: { source: "a.jsonl", row: 3, byte: 20, format: ndjson },
      },
      {
        a: "2",
        number: 2,
        raw: '{"a":2}',
        origin: { source: "a.jsonl", row: 4, byte: 40, format: ndjson },
      },
      { a: "3", number: 3, raw: '{\n "a":3\n}', origin: { source: "b.json", format: json } },
    ]);
  });

  test("keeps malformed rows apart from their neighbours, bytes and all", async () => {
    const broken = { source: "a", code: "malformed_row", message: "", format: ndjson };
    const rows = await retry([
      { ...broken, code: "time_missing", raw: '{"a":1}' },
      { ...broken, raw: '{"a":"unclosed' },
      {
        ...broken,
        code: "invalid_utf8",
        rawBase64: Buffer.from('{"a":"\xff"}', "latin1").toString("base64"),
      },
      { ...broken, raw: '{"a":4}' },
    ]);
    expect(rows.map(({ a, raw }) => [a, raw])).toEqual([
      ["1", '{"a":1}'],
      ["malformed_row", '{"a":"unclosed'],
      ["invalid_utf8", '{"a":"\xff"}'],
      ["4", '{"a":4}'],
    ]);
  });

  test("says where a row that was too long to keep can be read whole", async () => {
    const [row] = await retry([
      { source: "a", code: "row_too_long", message: "", raw: '{"a":"xxx', format: ndjson },
    ]);
    expect(row?.why).toMatch(/--max-row-size/);
  });

  test("counts lines that are not rejects as rows of their own", async () => {
    const rows = await retry([
      '{"a":"plain"}',
      "garbage",
      { source: "a", code: "x", raw: "{}", format: {} },
    ]);
    expect(rows.map(({ a, origin }) => [a, origin])).toEqual([
      ["plain", undefined],
      ["malformed_row", undefined],
      [undefined, undefined],
    ]);
  });
});
