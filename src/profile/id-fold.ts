import { PROFILE_ID_TEXTS_MAX, PROFILE_IDS_MAX, PROFILE_PAIRS_MAX } from "../base/limits.js";
import { type Kernel, Region } from "../batch/kernel.js";
import { HashCounts } from "./hash-counts.js";
import { IdPairs } from "./id-pairs.js";
import { maskText } from "./masked-text.js";
import type { NameUsers, NumberedIds } from "./name-users.js";
import { type OddIdCounts, OddIdFold } from "./odd-ids.js";
import type { TopID } from "./report.js";
import type { SplitIdKind, SplitIds } from "./split-profile.js";
import { TAKEN_ID_BYTES, TAKEN_PAIR_BYTES, TakenIds } from "./taken-ids.js";

/** Ids with fewer ids of the other kind are ordinary. */
const OTHERS_MIN = 10;

/** The ids of one kind that a report shows. */
export interface TopIds {
  /** The most rows first: ids whose rows are exact and than which no other id has more. */
  readonly byRows: readonly TopID[];
  /**
   * The most ids of the other kind first; ids with fewer than `OTHERS_MIN` are left out. Once ids were
   * dropped, they may have more rows.
   */
  readonly byOthers: readonly TopID[];
  /** The exact number of ids; undefined if some were dropped. */
  readonly distinct: number | undefined;
  readonly odd: readonly OddIdCounts[];
}

/** Adds up the users and devices of splits, which must be added in the order of the splits. */
export class IdFold {
  readonly #users: KindFold;
  readonly #devices: KindFold;
  readonly #pairs: IdPairs;
  readonly #bytes: Region;

  /** Counts at most `idsMax` ids of each kind one by one. */
  constructor(
    private readonly kernel: Kernel,
    idsMax = PROFILE_IDS_MAX,
  ) {
    this.#users = new KindFold(kernel, idsMax);
    this.#devices = new KindFold(kernel, idsMax);
    this.#pairs = new IdPairs(kernel, PROFILE_PAIRS_MAX);
    this.#bytes = new Region(kernel, 0);
  }

  /** `usersOf` returns the users of an event name by its index in the split. */
  add(ids: readonly SplitIds[], usersOf: (name: number) => NameUsers | undefined): void {
    for (const one of ids) this.#addOne(one, usersOf);
  }

  #addOne(
    { users, devices, pairs, names, bytes }: SplitIds,
    usersOf: (name: number) => NameUsers | undefined,
  ): void {
    const { kernel } = this;
    this.#bytes.ensure(bytes.length);
    const first = this.#bytes.address;
    kernel.bytes.set(bytes, first);
    const deviceStart = first + users.count * TAKEN_ID_BYTES;
    const pairStart = deviceStart + devices.count * TAKEN_ID_BYTES;
    this.#devices.add(devices, deviceStart);
    this.#pairs.addAll(pairStart, pairs, first, deviceStart);
    const added = this.#users.add(users, first);
    let start = pairStart + pairs * TAKEN_PAIR_BYTES;
    for (const [name, count] of names) {
      usersOf(name)?.addAll(start, count, added);
      start += count * 2;
    }
  }

  /** Returns at most `max` ids of each kind and order. */
  top(max: number): { readonly users: TopIds; readonly devices: TopIds } {
    const [pairs, users, devices] = [this.#pairs, this.#users, this.#devices];
    const [devicesOf, usersOf] = [users.zeros(), devices.zeros()];
    pairs.countOthers(devicesOf, usersOf);
    return { users: users.top(max, devicesOf, pairs), devices: devices.top(max, usersOf, pairs) };
  }
}

interface IdText {
  readonly text: string;
  /** Bytes of the whole id. */
  readonly length: number;
}

class KindFold {
  readonly #counts: HashCounts;
  readonly #odd: OddIdFold;
  #texts = new Map<number, IdText>();

  constructor(
    private readonly kernel: Kernel,
    idsMax: number,
  ) {
    this.#counts = new HashCounts(kernel, idsMax);
    this.#odd = new OddIdFold(kernel);
  }

  /** Adds ids at an address. */
  add(kind: SplitIdKind, taken: number): NumberedIds {
    const ids = new TakenIds(this.kernel, taken, kind);
    this.#odd.add(kind, ids);
    for (const [index, text, length] of kind.texts) {
      this.#texts.set(ids.hashAt(index), { text, length });
    }
    const numbers = this.#counts.addAll(taken, kind.count, kind.larger);
    if (this.#texts.size > PROFILE_ID_TEXTS_MAX) this.#forgetTexts();
    return { taken, numbers };
  }

  /** Returns counts of 0 rows for each hash whose text is known. */
  zeros(): HashCounts {
    const counts = new HashCounts(this.kernel, PROFILE_ID_TEXTS_MAX);
    counts.addHashes([...this.#texts.keys()], 0);
    return counts;
  }

  top(max: number, others: HashCounts, pairs: IdPairs): TopIds {
    const counts = this.#counts;
    const known = [...this.#texts].map(([hash, { text, length }]) => {
      return { hash, text, length, rows: counts.rowsOf(hash), others: others.rowsOf(hash) };
    });
    const exact = known.filter(({ hash }) => counts.isExact(hash));
    const most = counts.mostWithout(new Set(exact.map(({ hash }) => hash)));
    const listOf = (ids: typeof known, field: "rows" | "others") =>
      ids
        .sort((a, b) => b[field] - a[field] || (a.text < b.text ? -1 : 1))
        .slice(0, max)
        .map(({ text, length, rows, others }) => ({
          id: `${maskText(text)}${Buffer.byteLength(text) < length ? "…" : ""}`,
          rows,
          others: pairs.estimate(others),
        }));
    return {
      byRows: listOf(
        exact.filter(({ rows }) => rows >= most),
        "rows",
      ),
      byOthers: listOf(
        known.filter((one) => pairs.estimate(one.others).count >= OTHERS_MIN),
        "others",
      ),
      distinct: counts.distinct,
      odd: this.#odd.result(counts),
    };
  }

  /** Keeps the texts of the ids with the most rows, half of all; of equal ones, those that came first. */
  #forgetTexts(): void {
    const rows = Float64Array.from(this.#texts.keys(), (hash) => this.#counts.rowsOf(hash));
    const sorted = rows.slice().sort();
    const least = sorted[sorted.length - PROFILE_ID_TEXTS_MAX / 2]!;
    const more = sorted.length - 1 - sorted.lastIndexOf(least);
    let left = PROFILE_ID_TEXTS_MAX / 2 - more;
    let index = 0;
    for (const hash of this.#texts.keys()) {
      const own = rows[index++]!;
      if (own < least || (own === least && left-- <= 0)) this.#texts.delete(hash);
    }
  }
}
