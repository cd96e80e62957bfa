import { omitUndefined } from "../../../src/base/omit-undefined.js";
import { rejectCodeName } from "../../../src/base/reject-codes.js";
import type { FieldRequest } from "../../../src/batch/batch.js";
import { type Column, cellKinds } from "../../../src/batch/column.js";
import { JsonReader } from "../../../src/readers/json/json-reader.js";
import type { RowLayout } from "../../../src/readers/json/row-scanner.js";
import type { MisplacedCommas } from "../../../src/readers/reader.js";
import type { ByteSource } from "../../../src/sources/byte-source.js";
import type { Source } from "../../../src/sources/source.js";
import { usedKernel } from "../../support/used-kernel.js";

/** One for all readings, as the pipeline has it. */
const kernel = usedKernel();
const kindNames = Object.fromEntries(Object.entries(cellKinds).map(([name, kind]) => [kind, name]));

/** A row as its reader gave it: cells by form and path, kind before the text. */
export interface Row {
  fault?: string;
  cells: Record<string, string>;
  raw: string;
  offset: number | undefined;
}

/** Options of reading, where they matter. */
export interface Reading {
  layout?: RowLayout;
  start?: number;
  end?: number | null;
  chunkBytes?: number;
  windowBytes?: number;
  rowBytesMax?: number;
  failAt?: number;
  arrayStart?: number;
  /** Receives the misplaced commas that the reader found. */
  onCommas?: (commas: MisplacedCommas | undefined) => void;
}

function bytesOf(data: Uint8Array, start: number, chunkBytes: number, failAt: number): ByteSource {
  let position = start;
  return {
    get consumed() {
      return position - start;
    },
    read(target) {
      if (position >= failAt) throw new Error("the source broke");
      const end = Math.min(position + Math.min(target.length, chunkBytes), data.length, failAt);
      target.set(data.subarray(position, end));
      const read = end - position;
      position = end;
      return read;
    },
    close: async () => {},
  };
}

/** All rows of JSON bytes; what the reader throws is the last one's fault. */
export async function readJson(
  input: string | Uint8Array,
  fields: readonly FieldRequest[],
  reading: Reading = {},
): Promise<Row[]> {
  const data = typeof input === "string" ? Buffer.from(input) : input;
  const { layout = "lines", start = 0, end = null, arrayStart } = reading;
  const source: Source = {
    name: "test.json",
    path: "test.json",
    codecs: [],
    size: data.length,
    fingerprint: "",
    format:
      layout === "lines" ? { kind: "ndjson" } : { kind: "json", ...omitUndefined({ arrayStart }) },
  };
  const bytes = bytesOf(
    data,
    Math.max(0, start - 1),
    reading.chunkBytes ?? Number.POSITIVE_INFINITY,
    reading.failAt ?? Number.POSITIVE_INFINITY,
  );
  const reader = new JsonReader(kernel, { source, start, end }, fields, bytes, layout, {
    rowBytesMax: reading.rowBytesMax ?? 1 << 20,
    signal: new AbortController().signal,
    windowBytes: reading.windowBytes ?? 4096,
  });
  const rows: Row[] = [];
  try {
    for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
      for (let row = 0; row < batch.rows; row++) {
        const fault = kernel.bytes[batch.faults + row]!;
        const cells = fields.flatMap((field, index) => {
          const column = batch.columns[index]!;
          return column.kind(row) === cellKinds.null
            ? []
            : [[`${field.form} ${field.path.join(".")}`, cellOf(column, row)]];
        });
        rows.push({
          ...(fault === 0 ? {} : { fault: rejectCodeName(fault) }),
          cells: Object.fromEntries(cells),
          raw: Buffer.from(batch.raw.bytes(row)).toString("latin1"),
          offset: batch.raw.offset(row),
        });
      }
    }
  } catch (error) {
    rows.push({ fault: (error as Error).message, cells: {}, raw: "", offset: undefined });
  } finally {
    reading.onCommas?.(reader.misplacedCommas);
    await reader.close();
  }
  return rows;
}

function cellOf(column: Column, row: number): string {
  return `${kindNames[column.kind(row)]} ${column.text(row)}`;
}

/** Requests for a member's value. */
export const text = (...path: string[]): FieldRequest => ({ path, form: "text" });
export const json = (...path: string[]): FieldRequest => ({ path, form: "json" });
