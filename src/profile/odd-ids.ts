import { PROFILE_IDS_MAX } from "../base/limits.js";
import { type Kernel, Region } from "../batch/kernel.js";
import { oddIdLayout } from "../batch/layouts.js";
import { textChanges } from "../batch/text-changes.js";
import { HashCounts } from "./hash-counts.js";
import { maskText } from "./masked-text.js";
import type { OddForm } from "./report-identity.js";
import type { SplitIdKind, SplitOddIds } from "./split-profile.js";

/** Odd ids that a report shows of each form. */
const EXAMPLES_MAX = 3;

const ID_BYTES = 8;
const HASH_BYTES = 6;

const changeOf: Readonly<Record<OddForm, number>> = {
  blanks: textChanges.trim,
  quotes: textChanges.fromJson,
  decimal: textChanges.asInteger,
};

/** Reads the odd ids from tables of the kernels. */
export class OddIds {
  readonly #found: Region;

  constructor(private readonly kernel: Kernel) {
    this.#found = new Region(kernel, 0);
  }

  /**
   * Reads those of the table at an address, which has `count` ids. `indexes` are the indexes of ids by
   * their numbers, `textOf` returns the first bytes of one. Undefined if none is odd.
   */
  read(
    table: number,
    count: number,
    indexes: Uint16Array,
    textOf: (number: number) => string,
  ): readonly SplitOddIds[] | undefined {
    this.#found.ensure(count * oddIdLayout.bytes);
    const found = this.kernel.run.findOddIds(table, this.#found.address);
    if (found === 0) return undefined;
    const odd = Array.from({ length: found }, (_, index) => this.#read(index));
    return Object.entries(changeOf).flatMap(([form, change]) => {
      const ids = odd.filter((one) => one.change === change);
      if (ids.length === 0) return [];
      const bytes = Buffer.alloc(ids.length * ID_BYTES);
      for (const [at, { number, hash }] of ids.entries()) {
        bytes.writeUInt16BE(indexes[number]!, at * ID_BYTES);
        bytes.writeUIntBE(hash, at * ID_BYTES + 2, HASH_BYTES);
      }
      const examples = ids.slice(0, EXAMPLES_MAX).map(({ number }) => textOf(number));
      return [{ form: form as OddForm, ids: bytes.toString("base64"), examples }];
    });
  }

  #read(index: number) {
    const { u32 } = this.kernel;
    const address = (this.#found.address + index * oddIdLayout.bytes) / 4;
    const { number, change } = oddIdLayout.words;
    const hash = address + oddIdLayout.longs.hash * 2;
    return {
      number: u32[address + number]!,
      change: u32[address + change]!,
      hash: u32[hash + 1]! * 2 ** 16 + (u32[hash]! >>> 16),
    };
  }
}

/** The ids of one odd form, over all splits. */
export interface OddIdCounts {
  readonly form: OddForm;
  readonly rows: number;
  /** The number of ids; undefined if there are too many to count. */
  readonly ids: number | undefined;
  /** Ids that are the same as another one in their usual form; undefined if it is not known. */
  readonly twins: number | undefined;
  readonly examples: readonly string[];
}

/** Adds up the odd ids of splits. */
export class OddIdFold {
  readonly #forms = new Map<OddForm, FormFold>();

  /** Adds those of a split; `hashes` and `rows` are those of all of its ids. */
  add({ odd = [] }: SplitIdKind, hashes: Float64Array, rows: Float64Array): void {
    for (const one of odd) {
      const known = this.#forms.get(one.form) ?? new FormFold();
      this.#forms.set(one.form, known);
      known.add(one, hashes, rows);
    }
  }

  /** `all` are the counts of all ids. */
  result(all: HashCounts): readonly OddIdCounts[] {
    return [...this.#forms].map(([form, fold]) => ({ form, ...fold.result(all) }));
  }
}

class FormFold {
  readonly #ids = new HashCounts(PROFILE_IDS_MAX);
  readonly #usual = new HashCounts(PROFILE_IDS_MAX);
  #rows = 0;
  #examples: readonly string[] = [];

  add({ ids, examples }: SplitOddIds, hashes: Float64Array, rows: Float64Array): void {
    const bytes = Buffer.from(ids, "base64");
    const count = bytes.length / ID_BYTES;
    const own = new Float64Array(count);
    const usual = new Float64Array(count);
    const counts = new Float64Array(count);
    for (let at = 0; at < count; at++) {
      const index = bytes.readUInt16BE(at * ID_BYTES);
      own[at] = hashes[index]!;
      usual[at] = bytes.readUIntBE(at * ID_BYTES + 2, HASH_BYTES);
      counts[at] = rows[index]!;
      this.#rows += rows[index]!;
    }
    this.#ids.addAll(own, counts);
    this.#usual.addAll(usual, counts);
    this.#examples = [...new Set([...this.#examples, ...examples])].slice(0, EXAMPLES_MAX);
  }

  result(all: HashCounts): Omit<OddIdCounts, "form"> {
    const ids = this.#ids.distinct;
    const usual = this.#usual.distinct;
    const isKnown = ids !== undefined && usual !== undefined && all.distinct !== undefined;
    return {
      rows: this.#rows,
      ids,
      twins: isKnown ? ids - usual + this.#usual.sharedWith(all) : undefined,
      examples: this.#examples.map(maskText),
    };
  }
}
