import { type Column, cellKinds } from "../batch/column.js";
import { parseBigint, parseDouble, type TextType } from "../batch/text-types.js";
import type { OrderedRows } from "./row-buffer.js";

/** Parses the cells of ordered rows, which have the type; nulls have no value. */
export function parseNumbers(
  type: TextType,
  column: Column,
  { rowBuffer, order, start, end }: OrderedRows,
): Float64Array | BigInt64Array {
  const { bytes, u32 } = rowBuffer.kernel;
  const [starts, lengths, places] = [column.starts / 4, column.lengths / 4, order / 4];
  const doubles = new Float64Array(type === "double" ? end - start : 0);
  const bigints = new BigInt64Array(type === "bigint" ? end - start : 0);
  let count = 0;
  for (let place = start; place < end; place++) {
    const row = u32[places + place]!;
    if (bytes[column.kinds + row] === cellKinds.null) continue;
    const from = u32[starts + row]!;
    const to = from + u32[lengths + row]!;
    if (type === "double") doubles[count++] = parseDouble(bytes, from, to);
    else bigints[count++] = parseBigint(bytes, from, to);
  }
  return type === "double" ? doubles.subarray(0, count) : bigints.subarray(0, count);
}
