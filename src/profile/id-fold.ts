import { PROFILE_ID_TEXTS_MAX, PROFILE_IDS_MAX, PROFILE_PAIRS_MAX } from "../base/limits.js";
import { HashCounts } from "./hash-counts.js";
import { ID_HASH_BYTES } from "./id-counts.js";
import { IdPairs } from "./id-pairs.js";
import { maskText } from "./masked-text.js";
import type { NameUsers, NumberedHashes } from "./name-users.js";
import { type OddIdCounts, OddIdFold } from "./odd-ids.js";
import type { TopID } from "./report.js";
import type { SplitIdKind, SplitIds } from "./split-profile.js";

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
  readonly #pairs = new IdPairs(PROFILE_PAIRS_MAX);

  /** Counts at most `idsMax` ids of each kind one by one. */
  constructor(idsMax = PROFILE_IDS_MAX) {
    this.#users = new KindFold(idsMax);
    this.#devices = new KindFold(idsMax);
  }

  /** `usersOf` returns the users of an event name by its index in the split. */
  add(ids: readonly SplitIds[], usersOf: (name: number) => NameUsers | undefined): void {
    for (const { users, devices, pairs, names } of ids) {
      const [added, { hashes }] = [this.#users.add(users), this.#devices.add(devices)];
      this.#pairs.addAll(decodeIndexes(pairs), added.hashes, hashes);
      for (const [name, indexes] of names) usersOf(name)?.addAll(decodeIndexes(indexes), added);
    }
  }

  /** Returns at most `max` ids of each kind and order. */
  top(max: number): { readonly users: TopIds; readonly devices: TopIds } {
    const [pairs, users, devices] = [this.#pairs, this.#users, this.#devices];
    const [devicesOf, usersOf] = [users.zeros(), devices.zeros()];
    for (const [user, device] of pairs) {
      addOne(devicesOf, user);
      addOne(usersOf, device);
    }
    return { users: users.top(max, devicesOf, pairs), devices: devices.top(max, usersOf, pairs) };
  }
}

/** Adds one to a hash that has a count; ignores other hashes. */
function addOne(counts: Map<number, number>, hash: number): void {
  const count = counts.get(hash);
  if (count !== undefined) counts.set(hash, count + 1);
}

interface IdText {
  readonly text: string;
  /** Bytes of the whole id. */
  readonly length: number;
}

class KindFold {
  readonly #counts: HashCounts;
  readonly #odd = new OddIdFold();
  #texts = new Map<number, IdText>();

  constructor(idsMax: number) {
    this.#counts = new HashCounts(idsMax);
  }

  /** Returns the hashes in the order of the ids, and their numbers over all splits. */
  add(kind: SplitIdKind): NumberedHashes {
    const { hashes, rows } = decodeCounts(Buffer.from(kind.counts, "base64"));
    const numbers = this.#counts.addAll(hashes, rows);
    this.#odd.add(kind, hashes, rows);
    for (const [index, text, length] of kind.texts) {
      this.#texts.set(hashes[index]!, { text, length });
    }
    if (this.#texts.size > PROFILE_ID_TEXTS_MAX) this.#forgetTexts();
    return { hashes, numbers };
  }

  /** Returns 0 for each hash whose text is known. */
  zeros(): Map<number, number> {
    return new Map([...this.#texts.keys()].map((hash) => [hash, 0]));
  }

  top(max: number, others: ReadonlyMap<number, number>, pairs: IdPairs): TopIds {
    const counts = this.#counts;
    const known = [...this.#texts].map(([hash, { text, length }]) => ({
      hash,
      text,
      isCut: Buffer.byteLength(text) < length,
      rows: counts.rowsOf(hash),
      others: others.get(hash) ?? 0,
    }));
    const exact = known.filter(({ hash }) => counts.isExact(hash));
    const most = counts.mostWithout(new Set(exact.map(({ hash }) => hash)));
    const listOf = (ids: typeof known, field: "rows" | "others") =>
      ids
        .sort((a, b) => b[field] - a[field] || (a.text < b.text ? -1 : 1))
        .slice(0, max)
        .map(({ text, isCut, rows, others }) => ({
          id: `${maskText(text)}${isCut ? "…" : ""}`,
          rows,
          others: pairs.estimate(others),
        }));
    const byRows = exact.filter(({ rows }) => rows >= most);
    return {
      byRows: listOf(byRows, "rows"),
      byOthers: listOf(known, "others").filter(({ others }) => others.count >= OTHERS_MIN),
      distinct: counts.distinct,
      odd: this.#odd.result(counts),
    };
  }

  /** Keeps the texts of the ids with the most rows, half of all. */
  #forgetTexts(): void {
    const ranked = [...this.#texts].map(([hash, text]) => {
      return { hash, text, rows: this.#counts.rowsOf(hash) };
    });
    ranked.sort((one, other) => other.rows - one.rows || one.hash - other.hash);
    const kept = ranked.slice(0, PROFILE_ID_TEXTS_MAX / 2);
    this.#texts = new Map(kept.map(({ hash, text }) => [hash, text]));
  }
}

function decodeIndexes(base64: string): Uint16Array {
  return new Uint16Array(new Uint8Array(Buffer.from(base64, "base64")).buffer);
}

/** Decodes the counts that `IdTable.read` in src/profile/id-counts.ts encodes. */
function decodeCounts(bytes: Uint8Array): {
  readonly hashes: Float64Array;
  readonly rows: Float64Array;
} {
  const countMax = Math.floor(bytes.length / (ID_HASH_BYTES + 1));
  const [hashes, rows] = [new Float64Array(countMax), new Float64Array(countMax)];
  let count = 0;
  for (let at = 0; at < bytes.length; count++) {
    const upper = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
    const lower = (bytes[at + 3]! << 16) | (bytes[at + 4]! << 8) | bytes[at + 5]!;
    hashes[count] = upper * 2 ** 24 + lower;
    at += ID_HASH_BYTES;
    let sum = bytes[at]! & 0x7f;
    for (let scale = 0x80; bytes[at++]! > 0x7f; scale *= 0x80) sum += (bytes[at]! & 0x7f) * scale;
    rows[count] = sum;
  }
  return { hashes: hashes.subarray(0, count), rows: rows.subarray(0, count) };
}
