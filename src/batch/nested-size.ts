import { sum } from "../base/sum.js";
import type { Kernel } from "./kernel.js";
import { isRepeated, type LeafType, type NestedNode, nodeTypes } from "./nested-node.js";

/** Upper bound of the JSON bytes of a decimal, without its fraction digits. */
const DECIMAL_SIZE_MAX = 256;

/** Returns an upper bound of the bytes that the JSON, or the texts, of all values of a node take. */
export function jsonSize(kernel: Kernel, node: NestedNode): number {
  let size = node.rows * node.valueSize;
  if (node.type === nodeTypes.text) size += kernel.run.escapedSizes(node.address, node.rows);
  else if (node.type === nodeTypes.hex) size += node.dataSize * 2;
  else if (node.type === nodeTypes.decimal) size += node.dataSize * 3;
  for (const child of node.children) size += jsonSize(kernel, child);
  return size;
}

/** Returns a lower bound of the same size without reading any value. */
export function jsonSizeMin({ type, dataSize, children }: NestedNode): number {
  const hasText = type === nodeTypes.text || type === nodeTypes.hex;
  // An element has at least one byte, followed by a comma or a bracket.
  const elements = isRepeated({ type }) ? (children[0]?.rows ?? 0) : 0;
  const inside = sum(children, jsonSizeMin);
  return (hasText ? dataSize : 0) + 2 * elements + inside;
}

/** Returns an upper bound of what `writeRow` writes for a row that is cut to `bytesMax` bytes. */
export function cutJsonSize(node: NestedNode, bytesMax: number): number {
  return 6 * bytesMax + closingSize(node);
}

/** Returns the bytes of values that can begin before the cut, and of the open brackets. */
function closingSize({ valueSize, children }: NestedNode): number {
  return children.reduce((sum, child) => sum + closingSize(child), valueSize + DECIMAL_SIZE_MAX);
}

/** Returns `NestedNode.valueSize` for a type and its children. */
export function valueSizeOf(
  { type, width, option }: LeafType,
  children: readonly { readonly name: string }[] = [],
): number {
  switch (type) {
    case nodeTypes.struct:
      return children.reduce((sum, child) => sum + 6 * 3 * child.name.length + 4, 16);
    // The sizes of values include the commas and brackets that a list puts around its elements.
    case nodeTypes.list:
    case nodeTypes.map:
      return 16;
    case nodeTypes.fixedHex:
      return 2 * width + 16;
    case nodeTypes.fixedDecimal:
      return 3 * width + option + 16;
    case nodeTypes.decimal32:
    case nodeTypes.decimal64:
    case nodeTypes.decimal:
      return 32 + option;
    default:
      return 64;
  }
}
