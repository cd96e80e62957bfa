import { type ValueForm, valueForms } from "../../../batch/page-cursor.js";
import type { Leaf } from "../columns/flat-leaf.js";
import { physicalTypes } from "../footer/value-type.js";
import { DecodeError } from "../library/page-decoder.js";
import { encodings } from "./page-header.js";
import type { PageMemory } from "./page-memory.js";
import type { UnpackedPage } from "./unpack-page.js";

/** Values that were decoded out of a page. */
export interface DeltaValues {
  readonly form: ValueForm;
  readonly next: number;
  readonly end: number;
  /** Where they are; to be given back after their use. */
  readonly block: UnpackedPage;
}

/** Bytes of an entry of a list: address and length. */
const ENTRY_BYTES = 8;

/** Whether values of this leaf in this encoding are decoded by `decodeDeltas`. */
export function isDelta(encoding: number, { physical }: Leaf): boolean {
  if (physical === physicalTypes.byteArray) return encoding === encodings.deltaLengthByteArray;
  const integers = physical === physicalTypes.int32 || physical === physicalTypes.int64;
  return integers && encoding === encodings.deltaBinaryPacked;
}

/** Decodes at most `rows` values that lie from `start` to `end`. Throws `DecodeError`. */
export function decodeDeltas(
  memory: PageMemory,
  { width }: Leaf,
  { start, end }: { readonly start: number; readonly end: number },
  rows: number,
): DeltaValues {
  const { run } = memory.kernel;
  const size = rows * (width === 0 ? ENTRY_BYTES : width);
  const block = { address: memory.allocate(size), size };
  const next = block.address;
  // Of a list, the lengths come first.
  const [bytes, stride, target] = width === 0 ? [4, ENTRY_BYTES, next + 4] : [width, width, next];
  // A page of nothing but nulls need not even have a header.
  const after = start === end ? end : run.unpackDeltas(start, end, rows, bytes, stride, target);
  const count = start === end ? 0 : run.deltaCount();
  if (after === 0 || (width === 0 && run.listDeltaLengths(next, count, after, end) === 0)) {
    memory.free(block.address, block.size);
    throw new DecodeError("a page's deltas cannot be decoded");
  }
  const form = width === 0 ? valueForms.listedBytes : valueForms.plainFixed;
  return { form, next, end: next + count * stride, block };
}
