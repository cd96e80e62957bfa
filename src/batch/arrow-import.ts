import { type ArrowArray, arrowTypes, hasBytes, isRepeated, type ValueType } from "./arrow-node.js";

/** A leaf's meaning and the layout that carries it, in the order of the schema's leaves. */
export type LeafTypes = Iterator<ValueType>;

/**
 * Reads an array out of the structs of Arrow's C data interface (32-bit layout), without a copy.
 * The leaves get their meaning from `leaves`; formats say only how they are laid out.
 * https://arrow.apache.org/docs/format/CDataInterface.html
 * Throws where a layout does not fit a leaf's meaning.
 */
export function importArrowArray(
  memory: ArrayBufferLike,
  arrayAddress: number,
  schemaAddress: number,
  leaves: LeafTypes,
): ArrowArray {
  const words = new Uint32Array(memory);
  return importNode(words, arrayAddress >> 2, schemaAddress >> 2, leaves);
}

// Words of struct ArrowArray: length 0–1, null count 2–3, offset 4–5, buffer count 6–7, child count
// 8–9, buffers 10, children 11. Of struct ArrowSchema: format 0, name 1, …, children 8. Counts are
// 64-bit, but in a 32-bit memory their upper halves are zero.
function importNode(
  words: Uint32Array,
  array: number,
  schema: number,
  leaves: LeafTypes,
): ArrowArray {
  const format = readText(words, words[schema]!);
  const name = readText(words, words[schema + 1]!);
  const nullCount = words[array + 2]!;
  const buffers = words[array + 10]! >> 2;
  const frame = {
    name,
    length: words[array]!,
    offset: words[array + 4]!,
    validity: format === "n" || nullCount === 0 ? 0 : words[buffers]!,
  };
  const child = (index: number) =>
    importNode(
      words,
      words[(words[array + 11]! >> 2) + index]! >> 2,
      words[(words[schema + 8]! >> 2) + index]! >> 2,
      leaves,
    );
  if (format === "+s") {
    const children = Array.from({ length: words[array + 8]! }, (_, index) => child(index));
    return { ...frame, ...nested(arrowTypes.struct), offsets: 0, data: 0, children };
  }
  if (format === "+l") {
    const offsets = words[buffers + 1]!;
    return { ...frame, ...nested(arrowTypes.list), offsets, data: 0, children: [child(0)] };
  }
  if (format === "+m") {
    const entries = child(0);
    // The entries struct only carries its offset; key and value take it over.
    const children = entries.children.map((member) => ({
      ...member,
      offset: member.offset + entries.offset,
    }));
    const offsets = words[buffers + 1]!;
    return { ...frame, ...nested(arrowTypes.map), offsets, data: 0, children };
  }
  const next = leaves.next();
  if (next.done) throw new Error(`an Arrow array that the schema does not have: ${name}`);
  const value = next.value;
  if (!fits(format, value)) throw new Error(`Arrow format ${format} for type ${value.type}`);
  const offsets = format === "z" ? words[buffers + 1]! : 0;
  const data = words[buffers + (format === "z" ? 2 : 1)]!;
  return { ...frame, ...value, offsets, data, children: [] };
}

function nested(type: ValueType["type"]): ValueType {
  return { type, width: 0, option: 0 };
}

function fits(format: string, value: ValueType): boolean {
  if (hasBytes(value)) return format === "z";
  switch (value.type) {
    case arrowTypes.boolean:
      return format === "b";
    case arrowTypes.float:
      return format === "f";
    case arrowTypes.double:
      return format === "g";
    case arrowTypes.int32:
    case arrowTypes.uint32:
    case arrowTypes.date:
    case arrowTypes.time32:
    case arrowTypes.decimal32:
      return format === "i";
    case arrowTypes.int64:
    case arrowTypes.uint64:
    case arrowTypes.time64:
    case arrowTypes.decimal64:
      return format === "l";
    case arrowTypes.timestamp:
      return format === "l" || format.startsWith("tsn:");
    case arrowTypes.null:
      return !isRepeated(value);
    default:
      return format === `w:${value.width}`;
  }
}

function readText(words: Uint32Array, address: number): string {
  const bytes = new Uint8Array(words.buffer);
  return decoder.decode(bytes.subarray(address, bytes.indexOf(0, address)));
}

const decoder = new TextDecoder();
