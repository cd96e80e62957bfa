import { MIB } from "../../../src/base/limits.js";
import type { FieldRequest } from "../../../src/batch/batch.js";
import { CsvReader } from "../../../src/readers/csv/csv-reader.js";
import type { CsvDialect, Source } from "../../../src/sources/source.js";
import { usedKernel } from "../../support/used-kernel.js";
import { type Delivery, deliverBytes, type PlainRow, renderBatch } from "../conformance.js";

export function testSource(dialect: CsvDialect, size: number): Source {
  return {
    name: "test.csv",
    path: "/test.csv",
    codecs: [],
    size,
    fingerprint: "test",
    format: { kind: "csv", ...dialect },
  };
}

export function testDialect(columns: readonly string[], change: Partial<CsvDialect> = {}) {
  const dialect: CsvDialect = {
    delimiter: ",",
    quote: '"',
    columns,
    header: false,
    encoding: "utf-8",
    ...change,
  };
  return dialect;
}

export interface CsvRun {
  readonly fields?: readonly FieldRequest[];
  readonly rowBytesMax?: number;
  readonly windowBytes?: number;
  readonly start?: number;
  readonly end?: number | null;
  readonly delivery?: Delivery;
}

export interface CsvRow extends PlainRow {
  readonly explanation: string;
  readonly kinds: readonly number[];
}

const kernel = usedKernel();

/** Reads UTF-8 CSV with every column as `text`, or the fields that are asked for. */
export async function readCsv(
  content: string | Uint8Array,
  dialect: CsvDialect,
  run: CsvRun = {},
): Promise<CsvRow[]> {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const fields =
    run.fields ?? dialect.columns.map((name) => ({ path: [name], form: "text" as const }));
  const { start = 0, end = null, windowBytes, rowBytesMax = MIB } = run;
  const range = { source: testSource(dialect, bytes.length), start, end };
  const source = deliverBytes(bytes, start, run.delivery ?? {});
  const signal = new AbortController().signal;
  const options = { rowBytesMax, signal, ...(windowBytes !== undefined && { windowBytes }) };
  const reader = new CsvReader(kernel, range, dialect, fields, source, options);
  const rows: CsvRow[] = [];
  try {
    for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
      const { raw, columns } = batch;
      const plain = renderBatch(batch);
      rows.push(
        ...plain.map((row, index) => ({
          ...row,
          explanation: row.fault === 0 ? "" : raw.explain(index),
          kinds: columns.map((column) => column.kind(index)),
        })),
      );
    }
  } finally {
    await reader.close();
  }
  return rows;
}
