import { gzipSync } from "node:zlib";
import { TEXT_BYTES } from "../base/limits.js";
import { type Kernel, Region } from "../batch/kernel.js";
import type { PartFormat } from "./part-format.js";
import type { PartOutput } from "./part-output.js";
import { LOOSE_BYTES, type Segment } from "./segment.js";

/** The columns of CSV and Parquet in their order. */
export const CSV_HEADER = "event,timestamp,userID,stableID,value,user,metadata\r\n";

/** Turns rows into lines or records; the shape of `encodeLines` in src/kernels/jsonl.ts. */
interface TextKernel {
  measure(columns: number, row: number): number;
  encode(
    columns: number,
    timestamps: number,
    order: number,
    from: number,
    to: number,
    target: number,
    bytesMax: number,
    result: number,
  ): void;
}

/** One line of JSON for each event, as the event webhook takes them. */
export function createJsonlFormat(kernel: Kernel): PartFormat {
  return createTextFormat(kernel, "jsonl", "", jsonlKernel(kernel), identity);
}

/** `createJsonlFormat` in gzip members of up to TEXT_BYTES of text, which any gunzip takes as one. */
export function createJsonlGzipFormat(kernel: Kernel): PartFormat {
  return createTextFormat(kernel, "jsonl.gz", "", jsonlKernel(kernel), compressMember);
}

/**
 * CSV by RFC 4180, so with CRLF: a null is an empty cell, an empty text is `""`. With `safe`, cells
 * that a spreadsheet would run as a formula (they begin with = + - @ tab or CR) begin with `'`.
 */
export function createCsvFormat(kernel: Kernel, safe: boolean): PartFormat {
  const { run } = kernel;
  const safeFlag = safe ? 1 : 0;
  const records: TextKernel = {
    measure: run.measureRecord,
    encode: (columns, timestamps, order, from, to, target, bytesMax, result) =>
      run.encodeRecords(columns, timestamps, order, from, to, target, bytesMax, safeFlag, result),
  };
  return createTextFormat(kernel, "csv", CSV_HEADER, records, identity);
}

function jsonlKernel({ run }: Kernel): TextKernel {
  return { measure: run.measureLine, encode: run.encodeLines };
}

function identity(text: Uint8Array): Uint8Array {
  return text;
}

/** Measured on events: 2.3 times as fast as level 6, and the files are a sixth larger. */
const GZIP_LEVEL = 3;
const GZIP_OS_OFFSET = 9;
const GZIP_OS_UNKNOWN = 255;

/** zlib writes no time into the header, but the system that it runs on: that byte is made the same. */
function compressMember(text: Uint8Array): Uint8Array {
  const member = gzipSync(text, { level: GZIP_LEVEL });
  member[GZIP_OS_OFFSET] = GZIP_OS_UNKNOWN;
  return member;
}

function createTextFormat(
  kernel: Kernel,
  extension: string,
  header: string,
  text: TextKernel,
  pack: (text: Uint8Array) => Uint8Array,
): PartFormat {
  const region = new Region(kernel, TEXT_BYTES + LOOSE_BYTES);
  const result = kernel.allocate(8);

  /** Encodes up to TEXT_BYTES from place `start` on, one row at least; returns the place after. */
  function encode(segment: Segment, order: number, start: number, end: number): number {
    const { columnList, timestamps } = segment;
    text.encode(columnList, timestamps, order, start, end, region.address, TEXT_BYTES, result);
    const next = kernel.words[result / 4] ?? 0;
    if (next > start) return next;
    // A row that may take more than TEXT_BYTES is encoded alone.
    const row = kernel.words[order / 4 + start] ?? 0;
    const bytesMax = text.measure(columnList, row);
    region.ensure(bytesMax + LOOSE_BYTES);
    text.encode(columnList, timestamps, order, start, start + 1, region.address, bytesMax, result);
    return start + 1;
  }

  return {
    extension,
    openPart(output: PartOutput) {
      if (header !== "") output.append(new TextEncoder().encode(header));
      return {
        append(segment, order, start, end) {
          const next = encode(segment, order, start, end);
          const length = kernel.words[result / 4 + 1] ?? 0;
          output.append(pack(kernel.bytes.subarray(region.address, region.address + length)));
          return next;
        },
        finish() {},
        heldBytes: 0,
      };
    },
  };
}
