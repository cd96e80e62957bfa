import { arrowTypes } from "../../../batch/arrow-node.js";
import type { Kernel } from "../../../batch/kernel.js";
import { type HybridBytes, type PageLayout, valueForms } from "../../../batch/page-cursor.js";
import type { Leaf } from "../columns/flat-leaf.js";
import { physicalTypes } from "../footer/value-type.js";
import { DecodeError } from "../library/page-decoder.js";
import { decodeDeltas, isDelta } from "./delta-values.js";
import { encodings, type PageHeader } from "./page-header.js";
import type { PageMemory } from "./page-memory.js";
import type { UnpackedPage } from "./unpack-page.js";

// What lies where in a page. https://parquet.apache.org/docs/file-format/data-pages/

/** Distinct values that pages refer to. */
export interface Entries {
  readonly address: number;
  readonly count: number;
  /** Whether they are texts of which one is no UTF-8. */
  readonly malformed: boolean;
}

interface Bytes {
  readonly start: number;
  readonly end: number;
}

/** Whether pages with this header are read by the kernels; all others are left to the library. */
export function isReadable(header: PageHeader, leaf: Leaf): boolean {
  const { physical } = leaf;
  const { boolean, int96 } = physicalTypes;
  if (header.kind === "index" || physical < boolean || physical === int96) return false;
  const { encoding } = header;
  const plain = encoding === encodings.plain;
  if (header.kind === "dictionary") {
    return (plain || encoding === encodings.plainDictionary) && physical !== boolean;
  }
  if (header.kind === "data" && header.levelEncoding !== encodings.rle) return false;
  const repeated = leaf.repeatMax > 0;
  if (header.kind === "data" && repeated && header.repeatEncoding !== encodings.rle) return false;
  if (header.kind === "dataV2" && header.repetitionBytes > 0 && !repeated) return false;
  if (physical === boolean) return plain || encoding === encodings.rle;
  return plain || isIndexed(encoding) || isDelta(encoding, leaf);
}

function isIndexed(encoding: number): boolean {
  return encoding === encodings.plainDictionary || encoding === encodings.rleDictionary;
}

/** Finds the entries of a dictionary page; a list of byte arrays takes 8 bytes each at `list`. */
export function readEntries(
  kernel: Kernel,
  leaf: Leaf,
  page: UnpackedPage,
  count: number,
  list: number,
): Entries {
  const end = page.address + page.size;
  if (leaf.physical !== physicalTypes.byteArray) {
    return { address: page.address, count, malformed: false };
  }
  const texts = leaf.value.type === arrowTypes.text;
  const found = kernel.run.listPlainBytes(page.address, end, count, texts, list);
  if (found === 0) throw new DecodeError("its dictionary ends before its entries");
  return { address: list, count, malformed: found === 2 };
}

/** Bytes that `readEntries` needs at `list`. Throws `DecodeError` where there cannot be as many. */
export function entryListSize(leaf: Leaf, page: UnpackedPage, count: number): number {
  const bytes = leaf.physical === physicalTypes.byteArray;
  if (count * (bytes ? 4 : leaf.width) > page.size) {
    throw new DecodeError("its dictionary ends before its entries");
  }
  return bytes ? count * 8 : 0;
}

/**
 * Where the rows of a data page are, and what memory they take besides the page's. Throws
 * `DecodeError`.
 */
export function layOutPage(
  memory: PageMemory,
  header: PageHeader,
  leaf: Leaf,
  page: UnpackedPage,
  entries: Entries | undefined,
): { readonly layout: PageLayout; readonly block?: UnpackedPage } {
  if (header.kind !== "data" && header.kind !== "dataV2") throw new Error("no page with rows");
  const { kernel } = memory;
  const { repeats, levels, values } = levelsAndValues(kernel, header, leaf, page);
  const bytes = leaf.physical === physicalTypes.byteArray;
  const layout = {
    rows: header.values,
    ...(header.kind === "dataV2" ? { values: Math.max(0, header.values - header.nulls) } : {}),
    levelMax: leaf.levelMax,
    ...(leaf.levelMax === 0 ? {} : { levels: levelBytes(levels, leaf.levelMax) }),
    repeatMax: leaf.repeatMax,
    ...(leaf.repeatMax === 0 ? {} : { repeats: levelBytes(repeats, leaf.repeatMax) }),
    next: values.start,
    end: values.end,
    width: leaf.physical === physicalTypes.boolean ? 1 : leaf.width,
    entries: entries?.address ?? 0,
    entryCount: entries?.count ?? 0,
    texts: false,
  };
  if (leaf.physical === physicalTypes.boolean) {
    const indexes = booleanBytes(kernel, header.encoding, values);
    return { layout: { ...layout, form: valueForms.indexedFixed, indexes } };
  }
  if (isIndexed(header.encoding)) {
    const form = bytes ? valueForms.indexedBytes : valueForms.indexedFixed;
    return { layout: { ...layout, form, indexes: indexBytes(kernel, values) } };
  }
  const texts = leaf.value.type === arrowTypes.text;
  if (isDelta(header.encoding, leaf)) {
    const { form, next, end, block } = decodeDeltas(memory, leaf, values, header.values);
    return { layout: { ...layout, form, next, end, texts }, block };
  }
  const form = bytes ? valueForms.plainBytes : valueForms.plainFixed;
  return { layout: { ...layout, form, texts } };
}

function levelsAndValues(
  kernel: Kernel,
  header: PageHeader,
  { levelMax, repeatMax }: Leaf,
  { address, size }: UnpackedPage,
): { readonly repeats: Bytes; readonly levels: Bytes; readonly values: Bytes } {
  const end = address + size;
  if (header.kind === "dataV2") {
    const repeats = { start: address, end: address + header.repetitionBytes };
    const levels = { start: repeats.end, end: repeats.end + header.definitionBytes };
    return { repeats, levels, values: { start: levels.end, end } };
  }
  const after = (start: number, max: number, what: string): Bytes =>
    max === 0
      ? { start, end: start }
      : lengthBytes(kernel, { start, end }, `its ${what} levels are cut off`);
  const repeats = after(address, repeatMax, "repetition");
  const levels = after(repeats.end, levelMax, "definition");
  return { repeats, levels, values: { start: levels.end, end } };
}

function levelBytes(levels: Bytes, max: number): HybridBytes {
  return { ...levels, width: 32 - Math.clz32(max) };
}

/** The bytes behind their length (u32). */
function lengthBytes(kernel: Kernel, { start, end }: Bytes, fault: string): Bytes {
  const room = end - start - 4;
  const length = room < 0 ? 0 : new DataView(kernel.memory.buffer).getUint32(start, true);
  if (room < length) throw new DecodeError(fault);
  return { start: start + 4, end: start + 4 + length };
}

// A page of nothing but nulls need not even have the byte with the width.
function indexBytes(kernel: Kernel, { start, end }: Bytes): HybridBytes {
  if (start === end) return { start, end, width: 0 };
  const width = kernel.bytes[start]!;
  if (width > 32) throw new DecodeError(`a page's dictionary indexes would have ${width} bits`);
  return { start: start + 1, end, width };
}

// The bits of plain booleans are one packed run without a header.
function booleanBytes(kernel: Kernel, encoding: number, values: Bytes): HybridBytes {
  if (encoding === encodings.plain) {
    return { ...values, width: 1, packed: (values.end - values.start) * 8 };
  }
  if (values.start === values.end) return { ...values, width: 1 };
  return { ...lengthBytes(kernel, values, "a page's booleans are cut off"), width: 1 };
}
