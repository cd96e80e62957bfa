import type { Kernel } from "./kernel.js";
import { hybridLayout, pageCursorLayout } from "./layouts.js";

/** Forms of a page's values, numbered as in src/kernels/parquet/parquet-rows.ts. */
export const valueForms = {
  /** Byte strings, each after its length (u32). */
  plainBytes: 0,
  /** Values of `width` bytes. */
  plainFixed: 1,
  /** Indexes of entries: u32 address and u32 length of each. */
  indexedBytes: 2,
  /** Indexes of values of `width` bytes. */
  indexedFixed: 3,
  /** A list from `next` to `end`: u32 address and u32 length of each. */
  listedBytes: 4,
} as const;

export type ValueForm = (typeof valueForms)[keyof typeof valueForms];

/**
 * Reasons why rows of a page cannot be read, by the fault numbers of
 * src/kernels/parquet/parquet-rows.ts.
 */
export const pageFaults: readonly string[] = [
  "",
  "a page's definition levels end before its rows",
  "a definition level is higher than the schema allows",
  "a page's values end before its rows",
  "a value refers to an entry that the dictionary does not have",
  "the number of nulls in a page is not the one in its header",
  "a page's repetition levels end before its rows, or are higher than the schema allows",
];

/** Values in the hybrid of runs and bit-packing. */
export interface HybridBytes {
  readonly start: number;
  readonly end: number;
  /** Bits of a value, 0 to 32. */
  readonly width: number;
  /** Number of values that are bit-packed without the header of a run. */
  readonly packed?: number;
}

/** The positions of a page's rows. Addresses are in kernel memory, ends are exclusive. */
export interface PageLayout {
  readonly form: ValueForm;
  readonly rows: number;
  /** Number of rows that are not null, if the page's header has it. */
  readonly values?: number | undefined;
  readonly levelMax: number;
  readonly levels?: HybridBytes;
  readonly indexes?: HybridBytes | undefined;
  /** Lists around the values. With them rows are entries: a row of the file has several. */
  readonly repeatMax?: number;
  readonly repeats?: HybridBytes;
  /** Values of the plain forms. */
  readonly next: number;
  readonly end: number;
  readonly width: number;
  readonly entries: number;
  readonly entryCount: number;
  /** True if values are texts that must be validated as UTF-8. */
  readonly texts: boolean;
}

/** `VALUES_UNKNOWN` of the kernels. */
const VALUES_UNKNOWN = 0xffff_ffff;

/** A reading position in a page, in kernel memory. One for each leaf, reused page after page. */
export class PageCursor {
  readonly address: number;
  #page: PageLayout | undefined;

  constructor(private readonly kernel: Kernel) {
    this.address = kernel.allocate(pageCursorLayout.bytes + 3 * hybridLayout.bytes);
  }

  /** Begins a page. */
  open(page: PageLayout): void {
    this.#page = page;
    const levels = this.address + pageCursorLayout.bytes;
    const indexes = levels + hybridLayout.bytes;
    const repeats = indexes + hybridLayout.bytes;
    const { u32 } = this.kernel;
    const first = this.address / 4;
    const at = pageCursorLayout.words;
    // Written one by one: building one list out of lists took 2 µs for each page.
    u32[first + at.form] = page.form;
    u32[first + at.levelMax] = page.levelMax;
    u32[first + at.levels] = levels;
    u32[first + at.indexes] = indexes;
    u32[first + at.next] = page.next;
    u32[first + at.end] = page.end;
    u32[first + at.width] = page.width;
    u32[first + at.entries] = page.entries;
    u32[first + at.entryCount] = page.entryCount;
    u32[first + at.texts] = page.texts ? 1 : 0;
    u32[first + at.malformed] = 0;
    u32[first + at.rowsLeft] = page.rows;
    u32[first + at.valuesLeft] = page.values ?? VALUES_UNKNOWN;
    u32[first + at.repeatMax] = page.repeatMax ?? 0;
    u32[first + at.repeats] = repeats;
    this.#writeHybrid(levels, page.levels);
    this.#writeHybrid(indexes, page.indexes);
    this.#writeHybrid(repeats, page.repeats);
  }

  /** Continues with the same page at other addresses. */
  move(to: PageLayout): void {
    const from = this.#page;
    if (from === undefined) throw new Error("a page is moved that was not opened");
    this.#page = to;
    const at = pageCursorLayout.words;
    const first = this.address / 4;
    this.#shift([first + at.next, first + at.end], to.next - from.next);
    for (const name of ["levels", "indexes", "repeats"] as const) {
      const hybrid = this.kernel.u32[first + at[name]]! / 4;
      const { next, end, runEnd } = hybridLayout.words;
      this.#shift(
        [hybrid + next, hybrid + end, hybrid + runEnd],
        (to[name] ?? noBytes).start - (from[name] ?? noBytes).start,
      );
    }
  }

  #shift(indexes: readonly number[], by: number): void {
    for (const index of indexes) this.kernel.u32[index]! += by;
  }

  #writeHybrid(address: number, bytes: HybridBytes = noBytes): void {
    const { u32 } = this.kernel;
    const first = address / 4;
    const at = hybridLayout.words;
    const { start, end, width, packed = 0 } = bytes;
    u32[first + at.next] = start;
    u32[first + at.end] = end;
    u32[first + at.width] = width;
    u32[first + at.left] = packed;
    u32[first + at.packed] = packed > 0 ? 1 : 0;
    u32[first + at.bit] = 0;
    u32[first + at.runEnd] = end;
    u32[first + at.value] = 0;
  }

  /** The form of the page's values. */
  get form(): ValueForm | undefined {
    return this.#page?.form;
  }

  /** True if a text of the page that was read so far is not UTF-8. */
  get malformed(): boolean {
    return this.kernel.u32[this.address / 4 + pageCursorLayout.words.malformed] !== 0;
  }

  free(): void {
    this.kernel.free(this.address);
  }
}

/** A hybrid without values. */
export const noBytes: HybridBytes = { start: 0, end: 0, width: 0 };
