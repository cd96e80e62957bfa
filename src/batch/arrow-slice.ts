import {
  type ArrowArray,
  type ArrowType,
  arrowTypes,
  hasBytes,
  isNested,
  isRepeated,
  type ValueType,
  valueBytes,
} from "./arrow-node.js";
import { type Kernel, Region } from "./kernel.js";
import { writeWords } from "./kernel-record.js";
import { arrowNodeLayout } from "./layouts.js";

/** Every buffer begins at a multiple of this, and has as much to read over behind its end. */
const ALIGN_BYTES = 16;
/** Bytes of the JSON of a decimal at the most, but for its places. */
const DECIMAL_SIZE_MAX = 256;

/** Rows of an array in kernel memory, as the kernels of src/kernels/arrow/arrow-cells.ts take them. */
export interface KernelNode {
  readonly address: number;
  readonly type: ArrowType;
  readonly name: string;
  /** Elements: rows at the top, fewer or more inside of lists. */
  readonly rows: number;
  /** Bytes that each value takes at the most as JSON, without what `bytes` holds. */
  readonly valueSize: number;
  /** Where the bytes that offsets point into lie, and how many they are. */
  readonly data: number;
  readonly dataSize: number;
  readonly children: readonly KernelNode[];
}

/** Rows in a list-view; see src/kernels/arrow/arrow-node.ts. Addresses hold as long as the batch. */
export interface RowViews {
  /** Of `rows` u32 addresses of values. */
  readonly starts: number;
  /** Of `rows` u32 lengths, for byte strings. */
  readonly lengths: number;
  /** Of `rows` u8 levels: how many of the optional nodes from the column down are there. */
  readonly levels: number;
  /** Bytes of all byte strings together. */
  readonly dataSize: number;
}

/** What a node has besides its name and children; all is 0 where it is not given. */
interface NodeLayout {
  readonly width?: number;
  readonly option?: number;
  readonly validity?: number;
  readonly bit?: number;
  readonly offsets?: number;
  readonly starts?: number;
  readonly lengths?: number;
  readonly levels?: number;
  readonly level?: number;
}

/** Lists that should have the same elements have not. */
export class ListMismatch extends Error {}

/**
 * Copies slices of arrays from another WebAssembly memory into the kernel, whole buffers at a time.
 * What was taken before is gone with the next `begin`.
 */
export class ArrowSlices {
  readonly #region: Region;
  #top = 0;
  #end = 0;
  readonly #names = new Map<string, Uint8Array>();

  constructor(private readonly kernel: Kernel) {
    this.#region = new Region(kernel, 64 * 1024);
  }

  /** Makes room for slices of `size` bytes together, as `sliceSize` tells; may move the memory. */
  begin(size: number): void {
    this.#region.ensure(size);
    this.#top = this.#region.address;
    this.#end = this.#top + this.#region.capacity;
  }

  take(memory: ArrayBufferLike, array: ArrowArray, start: number, rows: number): KernelNode {
    const first = array.offset + start;
    const source = new Uint8Array(memory);
    const validity = array.validity === 0 ? 0 : this.#bits(source, array.validity, first, rows);
    let data = 0;
    let dataSize = 0;
    let offsets = 0;
    let children: readonly KernelNode[] = [];
    if (array.type === arrowTypes.struct) {
      children = array.children.map((child) => this.take(memory, child, first, rows));
    } else if (hasBytes(array) || isRepeated(array)) {
      offsets = this.#copy(source, array.offsets + first * 4, (rows + 1) * 4);
      const { from, size } = span(memory, array, start, rows);
      if (isRepeated(array)) {
        children = array.children.map((child) => this.take(memory, child, from, size));
      } else {
        data = this.#copy(source, array.data + from, size);
        dataSize = size;
      }
    } else if (array.type === arrowTypes.boolean) {
      data = this.#bits(source, array.data, first, rows);
    } else {
      const width = valueBytes(array);
      data = this.#copy(source, array.data + first * width, rows * width);
    }
    const node = { type: array.type, name: array.name, rows, data, dataSize, children };
    const { width, option } = array;
    const address = this.#write(node, { width, option, validity, bit: first & 7, offsets });
    return { ...node, address, valueSize: valueSize(array) };
  }

  /** A leaf whose rows are where `views` says; there is a value from level `level` on. */
  view(
    name: string,
    value: ValueType,
    rows: number,
    { starts, lengths, levels, dataSize }: RowViews,
    level: number,
  ): KernelNode {
    const { type, width, option } = value;
    const node = { type, name, rows, data: 0, dataSize, children: [] };
    const address = this.#write(node, { width, option, starts, lengths, levels, level });
    return { ...node, address, valueSize: valueSize({ ...value, children: [] }) };
  }

  /** A struct of one member that is there from level `level` of that member's levels on. */
  levelled(name: string, member: KernelNode, levels: number, level: number): KernelNode {
    const type = arrowTypes.struct;
    const children = [member];
    const node = { type, name, rows: member.rows, data: 0, dataSize: 0, children };
    const address = this.#write(node, { levels, level });
    return { ...node, address, valueSize: valueSize({ type, width: 0, option: 0, children }) };
  }

  /** Lists or maps of elements that `views` has the offsets of; there from level `level` on. */
  repeated(
    type: ArrowType,
    name: string,
    element: KernelNode,
    rows: number,
    views: { readonly offsets: number; readonly levels: number },
    level: number,
  ): KernelNode {
    const children = [element];
    const node = { type, name, rows, data: 0, dataSize: 0, children };
    const address = this.#write(node, { ...views, level });
    return { ...node, address, valueSize: valueSize({ type, width: 0, option: 0, children }) };
  }

  /** Room for `size` bytes, of those that `begin` was told; `roomSize` of them are taken. */
  room(size: number): number {
    return this.#reserve(size);
  }

  /** A struct of nodes that are there already; with `sparse` its JSON leaves null members out. */
  struct(children: readonly KernelNode[], rows: number, sparse: boolean): KernelNode {
    const type = arrowTypes.struct;
    const node = { type, name: "", rows, data: 0, dataSize: 0, children };
    const address = this.#write(node, { option: sparse ? 1 : 0 });
    return { ...node, address, valueSize: valueSize({ type, width: 0, option: 0, children }) };
  }

  /**
   * One struct of structs with the same rows, which each have some of its members. Structs and lists
   * inside that stand in several of them are merged as well; of other members with the same name the
   * first counts. Throws `ListMismatch`.
   */
  merge(nodes: readonly KernelNode[]): KernelNode {
    const [first] = nodes;
    if (first === undefined) throw new Error("no structs to merge");
    if (nodes.length === 1 || !isNested(first)) return first;
    if (isRepeated(first)) this.#compareLists(first, nodes);
    const groups = new Map<string, KernelNode[]>();
    for (const child of nodes.flatMap(({ children }) => children)) {
      const group = groups.get(child.name);
      if (group === undefined) groups.set(child.name, [child]);
      else group.push(child);
    }
    const children = [...groups.values()].map((group) => this.merge(group));
    // Validity and name are those of any of them.
    const address = this.#reserve(arrowNodeLayout.bytes);
    const list = this.#reserve(children.length * 4);
    const { words } = this.kernel;
    words.copyWithin(address / 4, first.address / 4, (first.address + arrowNodeLayout.bytes) / 4);
    words[address / 4 + arrowNodeLayout.words.children] = list;
    words[address / 4 + arrowNodeLayout.words.childCount] = children.length;
    for (const [index, child] of children.entries()) words[list / 4 + index] = child.address;
    const size = valueSize({ type: first.type, width: 0, option: 0, children });
    return { ...first, address, children, valueSize: size };
  }

  #compareLists(first: KernelNode, nodes: readonly KernelNode[]): void {
    const { bytes, words } = this.kernel;
    const offsets = ({ address, rows }: KernelNode) => {
      const start = words[address / 4 + arrowNodeLayout.words.offsets]!;
      return bytes.subarray(start, start + (rows + 1) * 4);
    };
    const expected = offsets(first);
    if (nodes.some((node) => Buffer.compare(offsets(node), expected) !== 0)) {
      throw new ListMismatch("the members of a list's elements are not as many as each other");
    }
  }

  #write(node: Omit<KernelNode, "address" | "valueSize">, layout: NodeLayout): number {
    const { width = 0, option = 0, validity = 0, bit = 0, offsets = 0 } = layout;
    const { starts = 0, lengths = 0, levels = 0, level = 0 } = layout;
    const children = this.#reserve(node.children.length * 4);
    const name = this.#name(node.name);
    const nameAddress = this.#reserve(name.length);
    const address = this.#reserve(arrowNodeLayout.bytes);
    const { words, bytes } = this.kernel;
    bytes.set(name, nameAddress);
    for (const [index, child] of node.children.entries()) {
      words[children / 4 + index] = child.address;
    }
    writeWords(this.kernel, arrowNodeLayout, address, {
      ...{ type: node.type, validity, validityBit: bit, data: node.data, dataBit: bit, offsets },
      ...{ width, option, children, childCount: node.children.length },
      ...{ name: nameAddress, nameLength: name.length, starts, lengths, levels, level },
    });
    return address;
  }

  #name(name: string): Uint8Array {
    let bytes = this.#names.get(name);
    if (bytes === undefined) {
      bytes = new TextEncoder().encode(`${JSON.stringify(name)}:`);
      this.#names.set(name, bytes);
    }
    return bytes;
  }

  // Whole bytes; the first row's bit is that of `first & 7`.
  #bits(source: Uint8Array, address: number, first: number, rows: number): number {
    const skipped = first >> 3;
    return this.#copy(source, address + skipped, ((first + rows + 7) >> 3) - skipped);
  }

  #copy(source: Uint8Array, address: number, size: number): number {
    const target = this.#reserve(size);
    this.kernel.bytes.set(source.subarray(address, address + size), target);
    return target;
  }

  #reserve(size: number): number {
    const address = this.#top;
    this.#top += aligned(size);
    if (this.#top > this.#end) throw new Error("Arrow slices outgrow the size that was computed");
    return address;
  }

  free(): void {
    this.#region.free();
  }
}

/** Bytes that `take` of this slice needs. */
export function sliceSize(
  memory: ArrayBufferLike,
  array: ArrowArray,
  start: number,
  rows: number,
): number {
  const names = 3 * array.name.length * 6 + 3;
  let size =
    aligned(arrowNodeLayout.bytes) +
    aligned(names) +
    aligned(array.children.length * 4) +
    aligned(rows / 8 + 2);
  if (array.type === arrowTypes.struct) {
    for (const child of array.children) {
      size += sliceSize(memory, child, array.offset + start, rows);
    }
    return size;
  }
  if (!hasBytes(array) && !isRepeated(array)) {
    return size + aligned(rows * valueBytes(array) + rows / 8 + 2);
  }
  const { from, size: length } = span(memory, array, start, rows);
  size += aligned((rows + 1) * 4);
  if (!isRepeated(array)) return size + aligned(length);
  for (const child of array.children) size += sliceSize(memory, child, from, length);
  return size;
}

/** Bytes that `ArrowSlices.room` takes for `size` bytes. */
export const roomSize = aligned;

/** Bytes that `ArrowSlices.view`, `levelled` or `repeated` needs for a node of this name. */
export function viewSize(name: string): number {
  return aligned(arrowNodeLayout.bytes) + aligned(3 * name.length * 6 + 3) + aligned(4);
}

/** Bytes that `ArrowSlices.struct` needs, or `merge` for each struct that it makes. */
export function structSize(children: number): number {
  return aligned(arrowNodeLayout.bytes) + aligned(children * 4) + aligned(3);
}

// Elements of the child, or bytes, that rows have together.
function span(
  memory: ArrayBufferLike,
  array: ArrowArray,
  start: number,
  rows: number,
): { from: number; size: number } {
  const words = new Uint32Array(memory, array.offsets, array.offset + start + rows + 1);
  const from = words[array.offset + start]!;
  return { from, size: words[array.offset + start + rows]! - from };
}

/** Bytes that the JSON or the text of all values of a node takes at the most. */
export function jsonSize(kernel: Kernel, node: KernelNode): number {
  let size = node.rows * node.valueSize;
  if (node.type === arrowTypes.text) size += escapedSize(kernel, node);
  else if (node.type === arrowTypes.hex) size += node.dataSize * 2;
  else if (node.type === arrowTypes.decimal) size += node.dataSize * 3;
  for (const child of node.children) size += jsonSize(kernel, child);
  return size;
}

/** Bytes that it takes at the least: found without a look at any value. */
export function jsonSizeMin({ type, dataSize, children }: KernelNode): number {
  const hasText = type === arrowTypes.text || type === arrowTypes.hex;
  // An element has a byte at the least, and a comma or a bracket behind it.
  const elements = isRepeated({ type }) ? (children[0]?.rows ?? 0) : 0;
  const inside = children.reduce((sum, child) => sum + jsonSizeMin(child), 0);
  return (hasText ? dataSize : 0) + 2 * elements + inside;
}

/** Bytes that `writeRow` takes at the most for a row that is cut to `bytesMax` bytes. */
export function cutJsonSize(node: KernelNode, bytesMax: number): number {
  return 6 * bytesMax + closingSize(node);
}

// What may be begun before the cut, and all that is open there.
function closingSize({ valueSize, children }: KernelNode): number {
  return children.reduce((sum, child) => sum + closingSize(child), valueSize + DECIMAL_SIZE_MAX);
}

// Lists of texts have no list-views: their rows are elements.
function escapedSize({ run }: Kernel, { address, rows, data, dataSize }: KernelNode): number {
  return data === 0 ? run.escapedSizes(address, rows) : run.escapedSize(data, dataSize);
}

/** Bytes that a value's JSON takes at the most, without its bytes and its children. */
function valueSize(
  array: ValueType & { readonly children: readonly { readonly name: string }[] },
): number {
  switch (array.type) {
    case arrowTypes.struct: {
      const names = array.children.reduce((sum, child) => sum + 6 * 3 * child.name.length + 4, 0);
      return names + 16;
    }
    // Every size has room for the commas and brackets that a list or map puts around its elements.
    case arrowTypes.list:
    case arrowTypes.map:
      return 16;
    case arrowTypes.fixedHex:
      return 2 * array.width + 16;
    case arrowTypes.fixedDecimal:
      return 3 * array.width + array.option + 16;
    case arrowTypes.decimal32:
    case arrowTypes.decimal64:
    case arrowTypes.decimal:
      return 32 + array.option;
    default:
      return 64;
  }
}

function aligned(size: number): number {
  return Math.ceil(size / ALIGN_BYTES) * ALIGN_BYTES + ALIGN_BYTES;
}
