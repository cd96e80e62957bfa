import { PROFILE_IDS_MAX } from "../base/limits.js";
import { type Kernel, Region } from "../batch/kernel.js";
import { oddIdLayout } from "../batch/layouts.js";
import { textChanges } from "../batch/text-changes.js";
import { HashCounts } from "./hash-counts.js";
import { maskText } from "./masked-text.js";
import type { OddForm } from "./report-identity.js";
import type { SplitIdKind, SplitOddIds } from "./split-profile.js";
import type { TakenIds } from "./taken-ids.js";

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

  constructor(private readonly kernel: Kernel) {}

  /** Adds those of a split; `ids` are all of its ids. */
  add({ odd = [] }: SplitIdKind, ids: TakenIds): void {
    for (const one of odd) {
      const known = this.#forms.get(one.form) ?? new FormFold(this.kernel);
      this.#forms.set(one.form, known);
      known.add(one, ids);
    }
  }

  /** `all` are the counts of all ids. */
  result(all: HashCounts): readonly OddIdCounts[] {
    return [...this.#forms].map(([form, fold]) => ({ form, ...fold.result(all) }));
  }
}

class FormFold {
  readonly #ids: HashCounts;
  readonly #usual: HashCounts;
  #rows = 0;
  #examples: readonly string[] = [];

  constructor(kernel: Kernel) {
    this.#ids = new HashCounts(kernel, PROFILE_IDS_MAX);
    this.#usual = new HashCounts(kernel, PROFILE_IDS_MAX);
  }

  add({ ids, examples }: SplitOddIds, all: TakenIds): void {
    const bytes = Buffer.from(ids, "base64");
    const own: number[] = [];
    const usual: number[] = [];
    for (let at = 0; at < bytes.length; at += ID_BYTES) {
      const index = bytes.readUInt16BE(at);
      own.push(all.hashAt(index));
      usual.push(bytes.readUIntBE(at + 2, HASH_BYTES));
      this.#rows += all.rowsAt(index);
    }
    this.#ids.addHashes(own, 1);
    this.#usual.addHashes(usual, 1);
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
