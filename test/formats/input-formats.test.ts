import { expect, it, test } from "vitest";
import { createFormatDetection, formatOf, keptFormat } from "../../src/formats/input-formats.js";
import { type Format, formatKinds, isFormat } from "../../src/sources/source.js";

const dialect = {
  delimiter: ";",
  quote: '"',
  columns: ["a"],
  header: true,
  encoding: "utf-8",
} as const;
const formats = formatKinds.map(
  (kind): Format => (kind === "csv" ? { kind, ...dialect } : { kind }),
);

test("rejected rows of every format are kept in one that can be read again", () => {
  for (const format of formats) {
    const kept = keptFormat(format);
    expect(formatOf(kept).readKept, kept.kind).toBeDefined();
    expect(keptFormat(kept)).toBe(kept);
    expect(isFormat(JSON.parse(JSON.stringify(kept)))).toBe(true);
  }
  expect(keptFormat({ kind: "csv", ...dialect })).toEqual({
    kind: "csv",
    ...dialect,
    header: false,
  });
  expect(keptFormat({ kind: "parquet" })).toEqual({ kind: "ndjson" });
});

test("values that lack a member of a format are not formats", () => {
  expect(formats.every(isFormat)).toBe(true);
  for (const value of [null, "csv", {}, { kind: "orc" }, { kind: "csv", delimiter: "," }]) {
    expect(isFormat(value), JSON.stringify(value)).toBe(false);
  }
});

const name = "input";
const rejectLine = JSON.stringify({
  source: "a",
  code: "b",
  raw: "{}",
  format: { kind: "ndjson" },
});
const detection = createFormatDetection({ csv: {} });
const detect = async (head: Uint8Array, known: string) =>
  detection({ bytes: head, extent: "whole" }, known);

it("tells an encrypted Parquet file from a CSV file with a column PARENT_ID", async () => {
  const csv = Buffer.from("PARENT_ID,event_type\n1,open\n2,close\n");
  expect(await detect(csv, name)).toMatchObject({ kind: "csv", header: true });
  await expect(detect(Buffer.from("PARE\x15\x00\x00"), name)).rejects.toThrow(/encrypted/);
});

it.each(["", "\r\n \n", "\ufeff", "\ufeff\r\n"])("takes %j for an empty file", async (text) => {
  expect(await detect(Buffer.from(text), name)).toEqual({ kind: "ndjson" });
});

it("rejects spaces that JSON does not allow, instead of reading a file without rows", async () => {
  await expect(detect(Buffer.from("\u00a0\n"), name)).rejects.toThrow(/no known format/);
});

it("asks for more if a part does not decide", async () => {
  const rows = `event_type,user_id\n${"open,1\n".repeat(2_000)}`;
  const undecided = {
    "CSV, whose delimiters may still come": rows,
    "an object that goes on": `{"a":"${"x".repeat(5_000)}`,
    "fewer bytes than tell the encoding": '{"a":1}\n',
    "only blanks": " \n".repeat(5_000),
    "rejects that may be followed by others": `${rejectLine}\n`.repeat(15).padEnd(5_000),
  };
  for (const [what, text] of Object.entries(undecided)) {
    expect(await detection({ bytes: Buffer.from(text), extent: "part" }, name), what).toBeNull();
  }
  const head = Buffer.concat([Buffer.from('{"a":1}\n'), Buffer.from("é".repeat(3_000), "utf16le")]);
  expect(await detection({ bytes: head.subarray(0, 4_000), extent: "part" }, name)).toBeNull();
});

it("decides from the first bytes only if later ones cannot change the result", async () => {
  const decided = {
    ndjson: '{"a":1}\n'.padEnd(5_000),
    json: "[\n".padEnd(5_000),
    rejects: `${rejectLine}\n`.repeat(80),
    parquet: "PAR1",
    avro: "Obj\x01",
  };
  for (const [kind, text] of Object.entries(decided)) {
    expect(await detection({ bytes: Buffer.from(text), extent: "part" }, name)).toEqual({ kind });
  }
});
