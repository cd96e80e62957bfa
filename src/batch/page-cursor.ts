import type { Kernel } from "./kernel.js";

/** Where the values of a page are. The numbers travel into src/kernels/parquet/parquet-rows.ts. */
export const valueForms = {
  /** Byte strings, each behind its length (u32). */
  plainBytes: 0,
  /** Values of `width` bytes. */
  plainFixed: 1,
  /** Numbers of entries: u32 address and u32 length of each. */
  indexedBytes: 2,
  /** Numbers of values of `width` bytes. */
  indexedFixed: 3,
  /** A list from `next` to `end`: u32 address and u32 length of each. */
  listedBytes: 4,
} as const;

export type ValueForm = (typeof valueForms)[keyof typeof valueForms];

/** In words, why rows of a page cannot be read; by the numbers of src/kernels/parquet/parquet-rows.ts. */
export const pageFaults: readonly string[] = [
  "",
  "a page's definition levels end before its rows",
  "a definition level is higher than the schema allows",
  "a page's values end before its rows",
  "a value refers to an entry that the dictionary does not have",
  "a page does not have as many nulls as its header tells",
  "a page's repetition levels end too early, or are higher than the schema allows",
];

/** Values in the hybrid of runs and bit-packing. */
export interface HybridBytes {
  readonly start: number;
  readonly end: number;
  /** Bits of a value, 0 to 32. */
  readonly width: number;
  /** Values that follow bit-packed without the header of a run. */
  readonly packed?: number;
}

/** A page's rows, ready to be read. Addresses are in kernel memory, ends are exclusive. */
export interface PageLayout {
  readonly form: ValueForm;
  readonly rows: number;
  /** Rows that are not null, where the page's header tells. */
  readonly values?: number;
  readonly levelMax: number;
  readonly levels?: HybridBytes;
  readonly indexes?: HybridBytes;
  /** Lists around the values: with them rows are entries, of which a row of the file has several. */
  readonly repeatMax?: number;
  readonly repeats?: HybridBytes;
  /** Of the values in plain forms. */
  readonly next: number;
  readonly end: number;
  readonly width: number;
  readonly entries: number;
  readonly entryCount: number;
  /** Whether values are texts that must be held against UTF-8. */
  readonly texts: boolean;
}

// Words of PageCursor and Hybrid in src/kernels.
const HYBRID_WORDS = 8;
const CURSOR_WORDS = 15;
const MALFORMED_WORD = 10;
const VALUES_UNTOLD = 0xffff_ffff;
const SIZE_WORDS = CURSOR_WORDS + 3 * HYBRID_WORDS;

/** Where the reading of a page stands, in kernel memory. One for each column, used page after page. */
export class PageCursor {
  readonly address: number;

  constructor(private readonly kernel: Kernel) {
    this.address = kernel.allocate(SIZE_WORDS * 4);
  }

  /** Begins a page. */
  open(page: PageLayout): void {
    const levels = this.address + CURSOR_WORDS * 4;
    const indexes = levels + HYBRID_WORDS * 4;
    const repeats = indexes + HYBRID_WORDS * 4;
    const { words } = this.kernel;
    const first = this.address / 4;
    // Word by word: to build one list out of lists took 2 µs for each page.
    words[first] = page.form;
    words[first + 1] = page.levelMax;
    words[first + 2] = levels;
    words[first + 3] = indexes;
    words[first + 4] = page.next;
    words[first + 5] = page.end;
    words[first + 6] = page.width;
    words[first + 7] = page.entries;
    words[first + 8] = page.entryCount;
    words[first + 9] = page.texts ? 1 : 0;
    words[first + MALFORMED_WORD] = 0;
    words[first + 11] = page.rows;
    words[first + 12] = page.values ?? VALUES_UNTOLD;
    words[first + 13] = page.repeatMax ?? 0;
    words[first + 14] = repeats;
    this.#writeHybrid(levels, page.levels);
    this.#writeHybrid(indexes, page.indexes);
    this.#writeHybrid(repeats, page.repeats);
  }

  #writeHybrid(address: number, bytes: HybridBytes | undefined): void {
    const { words } = this.kernel;
    const first = address / 4;
    const { start, end, width, packed = 0 } = bytes ?? noBytes;
    words[first] = start;
    words[first + 1] = end;
    words[first + 2] = width;
    words[first + 3] = packed;
    words[first + 4] = packed > 0 ? 1 : 0;
    words[first + 5] = 0;
    words[first + 6] = end;
    words[first + 7] = 0;
  }

  /** Whether a text that was read so far is no UTF-8. */
  get malformed(): boolean {
    return this.kernel.words[this.address / 4 + MALFORMED_WORD] !== 0;
  }

  free(): void {
    this.kernel.free(this.address);
  }
}

const noBytes: HybridBytes = { start: 0, end: 0, width: 0 };
