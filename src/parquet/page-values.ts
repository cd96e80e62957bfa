import { GIB } from "../base/limits.js";
import type { Kernel } from "../batch/kernel.js";
import { type HybridBytes, type ValueForm, valueForms } from "../batch/page-cursor.js";
import type { Leaf } from "./leaf.js";
import { type DataHeader, encodings } from "./page-header.js";
import type { Bytes } from "./page-memory.js";
import { PageError } from "./parquet-errors.js";
import { physicalTypes } from "./value-type.js";

// The encodings of values. https://parquet.apache.org/docs/file-format/data-pages/encodings/

/** Allocates kernel memory that is freed with the page, and returns its address. */
export type Allocate = (size: number) => number;

/** The values of a page in a form that `readPageRows` takes. */
interface Values extends Bytes {
  readonly form: ValueForm;
  readonly indexes?: HybridBytes;
}

/** Bytes of an entry of a list: address and length. */
const ENTRY_BYTES = 8;
/** Bytes of the byte arrays of a page in DELTA_BYTE_ARRAY, which can repeat each other at no cost. */
const PREFIXED_BYTES_MAX = 1 * GIB;

/** Decodes the values of a page, as far as rows cannot be read from them directly. Throws `PageError`. */
export function decodeValues(
  kernel: Kernel,
  allocate: Allocate,
  { encoding, values: rows }: DataHeader,
  leaf: Leaf,
  values: Bytes,
): Values {
  const { physical, width } = leaf;
  const isBytes = physical === physicalTypes.byteArray;
  switch (encoding) {
    case encodings.plain:
      if (physical === physicalTypes.boolean) {
        // The bits are one packed run without a header.
        const packed = (values.end - values.start) * 8;
        return {
          ...values,
          form: valueForms.indexedFixed,
          indexes: { ...values, width: 1, packed },
        };
      }
      return { ...values, form: isBytes ? valueForms.plainBytes : valueForms.plainFixed };
    case encodings.rle:
      if (physical !== physicalTypes.boolean) break;
      return { ...values, form: valueForms.indexedFixed, indexes: booleanRuns(kernel, values) };
    case encodings.plainDictionary:
    case encodings.rleDictionary:
      if (physical === physicalTypes.boolean) break;
      return {
        ...values,
        form: isBytes ? valueForms.indexedBytes : valueForms.indexedFixed,
        indexes: indexBytes(kernel, values),
      };
    case encodings.deltaBinaryPacked:
      if (physical !== physicalTypes.int32 && physical !== physicalTypes.int64) break;
      return decodeIntegers(kernel, allocate, width, values, rows);
    case encodings.deltaLengthByteArray:
      if (!isBytes) break;
      return decodeLengths(kernel, allocate, values, rows);
    case encodings.deltaByteArray:
      if (!isBytes && physical !== physicalTypes.fixedBytes) break;
      return decodePrefixed(kernel, allocate, width, values, rows);
    case encodings.byteStreamSplit:
      if (width === 0 || physical === physicalTypes.int96) break;
      return decodeStreams(kernel, allocate, width, values, rows);
  }
  throw new PageError(`a page has the encoding ${encoding}, which its type does not have`);
}

/** Returns the bytes after their length (u32). */
export function lengthBytes({ memory }: Kernel, { start, end }: Bytes, fault: string): Bytes {
  const room = end - start - 4;
  const length = room < 0 ? 0 : new DataView(memory.buffer).getUint32(start, true);
  if (room < length) throw new PageError(fault);
  return { start: start + 4, end: start + 4 + length };
}

function booleanRuns(kernel: Kernel, values: Bytes): HybridBytes {
  // A page of nothing but nulls may have no bytes, here and below.
  if (values.start === values.end) return { ...values, width: 1 };
  return { ...lengthBytes(kernel, values, "a page's booleans are cut off"), width: 1 };
}

function indexBytes({ bytes }: Kernel, { start, end }: Bytes): HybridBytes {
  if (start === end) return { start, end, width: 0 };
  const width = bytes[start]!;
  if (width > 32) throw new PageError(`a page's dictionary indexes have ${width} bits`);
  return { start: start + 1, end, width };
}

const DELTA_FAULT = "a page's deltas cannot be decoded";

function decodeIntegers(
  { run }: Kernel,
  allocate: Allocate,
  width: number,
  { start, end }: Bytes,
  rows: number,
): Values {
  const target = allocate(rows * width);
  const form = valueForms.plainFixed;
  if (start === end) return { form, start: target, end: target };
  if (run.unpackDeltas(start, end, rows, width, width, target) === 0) {
    throw new PageError(DELTA_FAULT);
  }
  return { form, start: target, end: target + run.deltaCount() * width };
}

function decodeLengths(
  { run }: Kernel,
  allocate: Allocate,
  { start, end }: Bytes,
  rows: number,
): Values {
  const list = allocate(rows * ENTRY_BYTES);
  const form = valueForms.listedBytes;
  if (start === end) return { form, start: list, end: list };
  const after = run.unpackDeltas(start, end, rows, 4, ENTRY_BYTES, list + 4);
  const count = run.deltaCount();
  if (after === 0 || run.listDeltaLengths(list, count, after, end) === 0) {
    throw new PageError(DELTA_FAULT);
  }
  return { form, start: list, end: list + count * ENTRY_BYTES };
}

/** DELTA_BYTE_ARRAY: the lengths of all prefixes, the lengths of all suffixes, and the suffixes. */
function decodePrefixed(
  { run }: Kernel,
  allocate: Allocate,
  width: number,
  { start, end }: Bytes,
  rows: number,
): Values {
  const list = allocate(rows * ENTRY_BYTES);
  const form = valueForms.listedBytes;
  if (start === end) return { form, start: list, end: list };
  const suffixes = run.unpackDeltas(start, end, rows, 4, ENTRY_BYTES, list);
  const count = run.deltaCount();
  if (suffixes === 0) throw new PageError(DELTA_FAULT);
  const data = run.unpackDeltas(suffixes, end, rows, 4, ENTRY_BYTES, list + 4);
  if (data === 0 || run.deltaCount() !== count) throw new PageError(DELTA_FAULT);
  const size = run.measurePrefixed(list, count, data, end);
  if (size < 0) throw new PageError(DELTA_FAULT);
  if (size > PREFIXED_BYTES_MAX) throw new PageError(`a page's texts have ${size} bytes`);
  const target = allocate(size);
  if (run.joinPrefixed(list, count, data, width, target) === 0) {
    throw new PageError(`a value does not have the ${width} bytes of its type`);
  }
  if (width > 0) return { form: valueForms.plainFixed, start: target, end: target + size };
  return { form, start: list, end: list + count * ENTRY_BYTES };
}

function decodeStreams(
  { run }: Kernel,
  allocate: Allocate,
  width: number,
  { start, end }: Bytes,
  rows: number,
): Values {
  const count = (end - start) / width;
  if (!Number.isInteger(count) || count > rows) {
    throw new PageError(`a page's ${end - start} bytes are not ${width} streams of values`);
  }
  const target = allocate(end - start);
  run.joinStreams(start, count, width, target);
  return { form: valueForms.plainFixed, start: target, end: target + (end - start) };
}
