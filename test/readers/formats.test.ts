import { expect, test } from "vitest";
import { formatOf, keptFormat } from "../../src/readers/formats.js";
import { type Format, formatKinds, isFormat } from "../../src/readers/source.js";

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
  for (const value of [null, "csv", {}, { kind: "avro" }, { kind: "csv", delimiter: "," }]) {
    expect(isFormat(value), JSON.stringify(value)).toBe(false);
  }
});
