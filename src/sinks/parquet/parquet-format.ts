import type { Kernel } from "../../batch/kernel.js";
import type { EncodedPart } from "../encoded-part.js";
import type { RowsOptions } from "../output-columns.js";
import type { PartEncoder, PartFormat } from "../part-format.js";
import type { PartOutput } from "../part-output.js";
import type { RowBuffer } from "../row-buffer.js";
import { ColumnChunkWriter } from "./column-chunk-writer.js";
import { FileMetadata } from "./file-metadata.js";
import { createPageCompression } from "./page-compression.js";
import type { ParquetCompression } from "./parquet-compressions.js";
import { PARQUET_MAGIC, type ParquetColumn, parquetColumns } from "./parquet-schema.js";

/** The length of the footer, and the magic bytes. */
const TAIL_BYTES = 4 + PARQUET_MAGIC.length;

/**
 * Creates Parquet parts with the columns of `parquetColumns` and data pages of format v1. Each append
 * is a row group. Throws `UsageError` if the compression is not available.
 */
export function createParquetFormat(
  kernel: Kernel,
  compression: ParquetCompression,
  options: RowsOptions,
): PartFormat {
  const writer = new ColumnChunkWriter(kernel, createPageCompression(kernel, compression));
  const columns = parquetColumns(options);
  return {
    ...options,
    extension: "parquet",
    rows: "columns",
    openPart: (output) => new ParquetEncoder(writer, columns, output),
  };
}

class ParquetEncoder implements PartEncoder {
  readonly #metadata: FileMetadata;

  constructor(
    private readonly writer: ColumnChunkWriter,
    private readonly columns: readonly ParquetColumn[],
    private readonly output: PartOutput,
  ) {
    this.#metadata = new FileMetadata(columns);
    output.append(PARQUET_MAGIC);
  }

  get heldBytes(): number {
    return this.#metadata.heldBytes;
  }

  append(rowBuffer: RowBuffer, order: number, start: number, end: number): number {
    const offset = this.output.size;
    const rows = { rowBuffer, order, start, end };
    const chunks = this.columns.map((column) => this.writer.write(column, rows, this.output));
    this.#metadata.addRowGroup(end - start, offset, chunks);
    return end;
  }

  appendPart(part: EncodedPart): void {
    const start = PARQUET_MAGIC.length;
    const tail = part.read(part.size - TAIL_BYTES, part.size);
    const end =
      part.size - TAIL_BYTES - new DataView(tail.buffer, tail.byteOffset).getUint32(0, true);
    const footer = part.read(end, part.size - TAIL_BYTES);
    const added = this.#metadata.addCopied(footer, this.output.size - start);
    if (added !== "added") throw part.mismatch(`it has ${added}`);
    part.copyTo(this.output, start, end);
  }

  finish(): void {
    const footer = this.#metadata.encode();
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, footer.length, true);
    this.output.append(footer);
    this.output.append(length);
    this.output.append(PARQUET_MAGIC);
  }
}
