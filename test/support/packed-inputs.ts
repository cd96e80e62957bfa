import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { writeZip } from "../sources/zip-writer.js";

const fixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url));

/** Rows in each of the files below that is generated. */
export const PACKED_ROWS = 20;

/** Fixtures whose formats nothing here can write, with their rows. */
const samples = {
  "traps/zstd/input": 3,
  "traps/parquet-codecs/input": 6,
} as const;

/**
 * Writes one Amplitude export in every format and compression to `directory`, and Mixpanel's for the examples
 * of the library's page. Returns the rows of the Amplitude export.
 */
export function writePackedInputs(directory: string): number {
  mkdirSync(directory, { recursive: true });
  const lines = textOf((index) => JSON.stringify(amplitudeRow(index)));
  const header = "event_type;event_time;user_id;event_properties";
  const csv = textOf((index) => {
    const { event_type, event_time, user_id, event_properties } = amplitudeRow(index);
    const properties = JSON.stringify(event_properties).replaceAll('"', '""');
    return `${event_type};${event_time};${user_id};"${properties}"`;
  });
  const files: Readonly<Record<string, string | Buffer>> = {
    "lines.jsonl": lines,
    "lines.jsonl.gz": gzipSync(lines),
    "lines.jsonl.br": brotliCompressSync(lines),
    "array.json": `[${lines.trimEnd().replaceAll("\n", ",")}]`,
    "table.csv": `${header}\n${csv}`,
    "table-utf-16.csv": Buffer.from(`\ufeff${header}\n${csv}`, "utf16le"),
    "lines.zip": writeZip([{ name: "a/lines.json", data: Buffer.from(lines), method: 8 }]),
  };
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(directory, name), content);
  for (const path of Object.keys(samples)) {
    cpSync(join(fixtures, path), join(directory, path.replaceAll("/", "-")), { recursive: true });
  }
  const ofSamples = Object.values(samples).reduce((sum, rows) => sum + rows, 0);
  return Object.keys(files).length * PACKED_ROWS + ofSamples;
}

/** Rows whose times have a pattern and are local. */
export function writePatternRows(file: string): void {
  const text = textOf((index) =>
    JSON.stringify({ ...amplitudeRow(index), event_time: `${10 + index}.03.2026 00:30` }),
  );
  writeFileSync(file, text);
}

function amplitudeRow(index: number) {
  return {
    event_type: index % 2 === 0 ? "seen" : "bought",
    event_time: new Date(Date.UTC(2026, 2, 1 + index, 23, 30))
      .toISOString()
      .replace("T", " ")
      .slice(0, -1),
    user_id: `u-${index % 7}`,
    $insert_id: `i-${index}`,
    event_properties: { price: index },
  };
}

function textOf(line: (index: number) => string): string {
  return Array.from({ length: PACKED_ROWS }, (_, index) => `${line(index)}\n`).join("");
}
