import { writeFileSync } from "node:fs";
import { Table, Utf8, vectorFromArray } from "apache-arrow";
import { openParquetReader } from "../../src/parquet/parquet-reader.js";
import { describeReader } from "../readers/conformance.js";
import { readerOptions, sourceOf, temporaryFile, text } from "./parquet-files.js";
import { writeParquet } from "./parquet-writer.js";

describeReader({
  name: "ParquetReader",
  open: ({ kernel, content, start, end, rowBytesMax, signal }) => {
    const path = temporaryFile();
    writeFileSync(path, content);
    const range = { source: sourceOf(path), start, end };
    const options = { ...readerOptions, rowBytesMax, signal };
    return openParquetReader(kernel, range, [text("a"), text("b")], options);
  },
  make: (rowBytes) => {
    const rows = rowBytes.map((bytes, index) => [
      `row ${index}`,
      "é".repeat(Math.max(0, Math.ceil((bytes - 10) / 2))),
    ]);
    const column = (index: number) =>
      vectorFromArray(
        rows.map((row) => row[index] ?? null),
        new Utf8(),
      );
    const content = writeParquet(new Table({ a: column(0), b: column(1) }));
    return { content, rows: rows.map(([a = null, b = null]) => [a, b]) };
  },
});
