import type { Kernel } from "../batch/kernel.js";
import { nodeTypes } from "../batch/nested-node.js";
import { type HybridBytes, noBytes, type PageLayout } from "../batch/page-cursor.js";
import type { Leaf } from "./leaf.js";
import { type DataHeader, encodings, type PageHeader } from "./page-header.js";
import type { Block, Bytes, PageMemory } from "./page-memory.js";
import { type Allocate, decodeValues, lengthBytes } from "./page-values.js";
import { PageError } from "./parquet-errors.js";
import { physicalTypes } from "./value-type.js";

// The parts of a page. https://parquet.apache.org/docs/file-format/data-pages/

/** The distinct values of a column chunk, which its pages refer to. */
export interface Dictionary {
  /** Byte arrays: a u32 address and a u32 length for each value; else the values. */
  readonly address: number;
  readonly count: number;
  /** True if one of its texts is not UTF-8. */
  readonly malformed: boolean;
}

/** The positions of the rows of a page, and the blocks that decoding them took beside the page itself. */
interface LaidOutPage {
  readonly layout: PageLayout;
  readonly blocks: readonly Block[];
}

/** Finds the rows of a data page. Throws `PageError`. */
export function layOutPage(
  memory: PageMemory,
  header: DataHeader,
  leaf: Leaf,
  page: Block,
  dictionary: Dictionary | undefined,
): LaidOutPage {
  const { kernel } = memory;
  const blocks: Block[] = [];
  const allocate = (size: number) => {
    const block = memory.allocate(size);
    blocks.push(block);
    return block.address;
  };
  try {
    const parts = partsOf(kernel, header, leaf, page);
    const levels = hybridOf(kernel, allocate, parts.levels, header.values);
    const repeats = hybridOf(kernel, allocate, parts.repeats, header.values);
    const values = decodeValues(kernel, allocate, header, leaf, parts.values);
    const layout = {
      form: values.form,
      rows: header.values,
      values: header.kind === "dataV2" ? Math.max(0, header.values - header.nulls) : undefined,
      levelMax: leaf.levelMax,
      levels,
      indexes: values.indexes,
      repeatMax: leaf.repeatMax,
      repeats,
      next: values.start,
      end: values.end,
      width: leaf.physical === physicalTypes.boolean ? 1 : leaf.width,
      entries: dictionary?.address ?? 0,
      entryCount: dictionary?.count ?? 0,
      texts: leaf.value.type === nodeTypes.text && values.indexes === undefined,
    };
    return { layout, blocks };
  } catch (error) {
    memory.free(blocks);
    throw error;
  }
}

/** Definition or repetition levels. */
interface Levels extends Bytes {
  /** Bits of a level. */
  readonly width: number;
  readonly encoding: number;
}

interface Parts {
  readonly repeats: Levels;
  readonly levels: Levels;
  readonly values: Bytes;
}

function partsOf(kernel: Kernel, header: DataHeader, leaf: Leaf, page: Block): Parts {
  const { address, size } = page;
  const end = address + size;
  const widths = { levels: bitsOf(leaf.levelMax), repeats: bitsOf(leaf.repeatMax) };
  if (header.kind === "dataV2") {
    const levelsStart = address + header.repetitionBytes;
    const levelsEnd = levelsStart + header.definitionBytes;
    const encoding = encodings.rle;
    return {
      repeats: { start: address, end: levelsStart, width: widths.repeats, encoding },
      levels: { start: levelsStart, end: levelsEnd, width: widths.levels, encoding },
      values: { start: levelsEnd, end },
    };
  }
  const after = (start: number, width: number, encoding: number, what: string): Levels => {
    if (width === 0) return { start, end: start, width, encoding };
    const fault = `a page's ${what} levels are cut off`;
    if (encoding === encodings.rle) {
      return { ...lengthBytes(kernel, { start, end }, fault), width, encoding };
    }
    if (encoding !== encodings.bitPacked) {
      throw new PageError(`a page's ${what} levels have the unknown encoding ${encoding}`);
    }
    const bytes = Math.ceil((header.values * width) / 8);
    if (bytes > end - start) throw new PageError(fault);
    return { start, end: start + bytes, width, encoding };
  };
  const repeats = after(address, widths.repeats, header.repetitionEncoding, "repetition");
  const levels = after(repeats.end, widths.levels, header.definitionEncoding, "definition");
  return { repeats, levels, values: { start: levels.end, end } };
}

/** Returns the bits that hold the numbers up to `max`. */
function bitsOf(max: number): number {
  return 32 - Math.clz32(max);
}

/** Finds levels in the hybrid encoding; unpacks those in the deprecated BIT_PACKED encoding. */
function hybridOf(
  { run }: Kernel,
  allocate: Allocate,
  { start, end, width, encoding }: Levels,
  count: number,
): HybridBytes {
  if (width === 0) return noBytes;
  if (encoding === encodings.rle) return { start, end, width };
  const unpacked = allocate(count);
  run.unpackLevels(start, count, width, unpacked);
  return { start: unpacked, end: unpacked + count, width: 8, packed: count };
}

/** Finds the values of a dictionary page. Throws `PageError`. */
export function readDictionary(
  memory: PageMemory,
  leaf: Leaf,
  header: PageHeader,
  page: Block,
): { readonly dictionary: Dictionary; readonly blocks: readonly Block[] } {
  const { values: count } = header;
  const known: readonly number[] = [encodings.plain, encodings.plainDictionary];
  if (header.kind !== "dictionary" || !known.includes(header.encoding)) {
    throw new PageError("its dictionary has an unknown encoding");
  }
  const bytes = leaf.physical === physicalTypes.byteArray;
  // Checked before the list is allocated.
  if (count * (bytes ? 4 : leaf.width) > page.size) throw new PageError(DICTIONARY_FAULT);
  if (!bytes) {
    return { dictionary: { address: page.address, count, malformed: false }, blocks: [] };
  }
  const list = memory.allocate(count * 8);
  const texts = leaf.value.type === nodeTypes.text;
  const end = page.address + page.size;
  const found = memory.kernel.run.listPlainBytes(page.address, end, count, texts, list.address);
  if (found === 0) {
    memory.free([list]);
    throw new PageError(DICTIONARY_FAULT);
  }
  return { dictionary: { address: list.address, count, malformed: found === 2 }, blocks: [list] };
}

const DICTIONARY_FAULT = "its dictionary ends before its entries";
