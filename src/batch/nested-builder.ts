import { type Kernel, Region } from "./kernel.js";
import { writeWords } from "./kernel-record.js";
import { nestedNodeLayout } from "./layouts.js";
import {
  isNested,
  isRepeated,
  type LeafType,
  type NestedNode,
  type NodeType,
  nodeTypes,
} from "./nested-node.js";
import { valueSizeOf } from "./nested-size.js";

/** Every block begins at a multiple of this, with as many spare bytes after its end. */
const ALIGN_BYTES = 16;

/** The positions of a leaf's rows. Addresses are valid as long as the batch. */
export interface RowViews {
  /** `rows` u32 addresses of values. */
  readonly starts: number;
  /** `rows` u32 lengths, for byte strings. */
  readonly lengths: number;
  /** `rows` u8 levels: the number of optional nodes from the column down that are not null. */
  readonly levels: number;
  /** Bytes of all values together. */
  readonly dataSize: number;
}

/** The members of a node except its name and children; missing ones are 0. */
type NodeMembers = Partial<
  Record<"width" | "option" | "levels" | "level" | "offsets" | "starts" | "lengths", number>
>;

/** Lists that must have equal lengths differ. */
export class ListMismatch extends Error {}

/** Builds trees of nodes in kernel memory. `begin` discards what was built before. */
export class NestedBuilder {
  readonly #region: Region;
  #top = 0;
  #end = 0;
  readonly #names = new Map<string, Uint8Array>();

  constructor(private readonly kernel: Kernel) {
    this.#region = new Region(kernel, 64 * 1024);
  }

  /** Makes room for nodes of `size` bytes in total; may move the memory. */
  begin(size: number): void {
    this.#region.ensure(size);
    this.#top = this.#region.address;
    this.#end = this.#top + this.#region.capacity;
  }

  /** Adds a leaf that has a value from level `level` on. */
  leaf(name: string, value: LeafType, rows: number, views: RowViews, level: number): NestedNode {
    const { width, option } = value;
    const { starts, lengths, levels, dataSize } = views;
    const members = { width, option, starts, lengths, levels, level };
    return this.#write({ type: value.type, name, rows, dataSize, children: [] }, members);
  }

  /** Adds a struct with one member, not null from level `level` on. */
  optional(name: string, member: NestedNode, levels: number, level: number): NestedNode {
    const { rows } = member;
    const node = { type: nodeTypes.struct, name, rows, dataSize: 0, children: [member] };
    return this.#write(node, { levels, level });
  }

  /** Adds lists or maps of `element`, not null from level `level` on. */
  repeated(
    type: NodeType,
    name: string,
    element: NestedNode,
    rows: number,
    views: { readonly offsets: number; readonly levels: number },
    level: number,
  ): NestedNode {
    const { offsets, levels } = views;
    const node = { type, name, rows, dataSize: 0, children: [element] };
    return this.#write(node, { offsets, levels, level });
  }

  /** Adds a struct that is never null; its JSON has no null members if it is `sparse`. */
  struct(children: readonly NestedNode[], rows: number, sparse: boolean): NestedNode {
    const node = { type: nodeTypes.struct, name: "", rows, dataSize: 0, children };
    return this.#write(node, { option: sparse ? 1 : 0 });
  }

  /** Takes `roomSize(size)` of the bytes that `begin` made room for. */
  room(size: number): number {
    const address = this.#top;
    this.#top += roomSize(size);
    if (this.#top > this.#end) throw new Error("nested nodes are larger than the computed size");
    return address;
  }

  /**
   * Merges nodes of the same rows, each with some of the members. Structs and lists that several of
   * them have are merged as well. For other members of the same name the first one wins. Throws
   * `ListMismatch`.
   */
  merge(nodes: readonly NestedNode[]): NestedNode {
    const [first] = nodes;
    if (first === undefined) throw new Error("no nodes to merge");
    if (nodes.length === 1 || !isNested(first)) return first;
    if (isRepeated(first)) this.#compareLists(first, nodes);
    const groups = new Map<string, NestedNode[]>();
    for (const child of nodes.flatMap(({ children }) => children)) {
      const group = groups.get(child.name);
      if (group === undefined) groups.set(child.name, [child]);
      else group.push(child);
    }
    const children = [...groups.values()].map((group) => this.merge(group));
    // The other members are the same in all nodes.
    const { bytes, words } = nestedNodeLayout;
    const address = this.room(bytes);
    this.kernel.bytes.copyWithin(address, first.address, first.address + bytes);
    this.kernel.u32[address / 4 + words.children] = this.#writeChildren(children);
    this.kernel.u32[address / 4 + words.childCount] = children.length;
    const valueSize = valueSizeOf({ type: first.type, width: 0, option: 0 }, children);
    return { ...first, address, children, valueSize };
  }

  #compareLists(first: NestedNode, nodes: readonly NestedNode[]): void {
    const { bytes, u32 } = this.kernel;
    const offsets = ({ address, rows }: NestedNode) => {
      const start = u32[address / 4 + nestedNodeLayout.words.offsets]!;
      return bytes.subarray(start, start + (rows + 1) * 4);
    };
    const expected = offsets(first);
    if (nodes.some((node) => Buffer.compare(offsets(node), expected) !== 0)) {
      throw new ListMismatch("the members of a list's elements differ in number");
    }
  }

  #write(node: Omit<NestedNode, "address" | "valueSize">, members: NodeMembers): NestedNode {
    const { width = 0, option = 0, levels = 0, level = 0 } = members;
    const { offsets = 0, starts = 0, lengths = 0 } = members;
    const { type, children } = node;
    const nameBytes = this.#name(node.name);
    const name = this.room(nameBytes.length);
    this.kernel.bytes.set(nameBytes, name);
    const list = this.#writeChildren(children);
    const address = this.room(nestedNodeLayout.bytes);
    writeWords(this.kernel, nestedNodeLayout, address, {
      type,
      width,
      option,
      levels,
      level,
      offsets,
      starts,
      lengths,
      children: list,
      childCount: children.length,
      name,
      nameLength: nameBytes.length,
    });
    return { ...node, address, valueSize: valueSizeOf({ type, width, option }, children) };
  }

  #writeChildren(children: readonly NestedNode[]): number {
    const list = this.room(children.length * 4);
    for (const [index, { address }] of children.entries()) {
      this.kernel.u32[list / 4 + index] = address;
    }
    return list;
  }

  #name(name: string): Uint8Array {
    let bytes = this.#names.get(name);
    if (bytes === undefined) {
      bytes = new TextEncoder().encode(`${JSON.stringify(name)}:`);
      this.#names.set(name, bytes);
    }
    return bytes;
  }

  free(): void {
    this.#region.free();
  }
}

/** Returns the bytes that `NestedBuilder.room` takes for `size` bytes. */
export function roomSize(size: number): number {
  return Math.ceil(size / ALIGN_BYTES) * ALIGN_BYTES + ALIGN_BYTES;
}

/** Returns the bytes that a node of this name takes, with room for one child. */
export function nodeSize(name: string): number {
  return roomSize(nestedNodeLayout.bytes) + roomSize(3 * name.length * 6 + 3) + roomSize(4);
}

/** Returns the bytes that `struct` takes, or `merge` for each node that it makes. */
export function structSize(children: number): number {
  return roomSize(nestedNodeLayout.bytes) + roomSize(children * 4) + roomSize(3);
}
