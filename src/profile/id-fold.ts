import { PROFILE_ID_TEXTS_MAX, PROFILE_IDS_MAX, PROFILE_PAIRS_MAX } from "../base/limits.js";
import { HashCounts } from "./hash-counts.js";
import { ID_HASH_BYTES } from "./id-counts.js";
import { IdPairs } from "./id-pairs.js";
import type { TopID } from "./report.js";
import type { SplitIdKind, SplitIds } from "./split-profile.js";

/** Ids with fewer ids of the other kind are ordinary. */
const OTHERS_MIN = 10;

/** The ids of one kind that a report shows. */
export interface TopIds {
  /** The most rows first. */
  readonly byRows: readonly TopID[];
  /** The most ids of the other kind first; ids with fewer than `OTHERS_MIN` are left out. */
  readonly byOthers: readonly TopID[];
  /** Upper bound of the rows that a count lacks, and of the rows of an id that is missing. */
  readonly error: number;
  /** The exact number of ids; undefined if some were dropped. */
  readonly distinct: number | undefined;
}

/** Adds up the users and devices of splits, which must be added in the order of the splits. */
export class IdFold {
  readonly #users = new KindFold();
  readonly #devices = new KindFold();
  readonly #pairs = new IdPairs(PROFILE_PAIRS_MAX);

  add(ids: readonly SplitIds[]): void {
    for (const { users, devices, pairs } of ids) {
      const [userHashes, deviceHashes] = [this.#users.add(users), this.#devices.add(devices)];
      const indexes = new Uint16Array(new Uint8Array(Buffer.from(pairs, "base64")).buffer);
      this.#pairs.addAll(indexes, userHashes, deviceHashes);
    }
  }

  /** Returns at most `max` ids of each kind and order. Ids whose rows may all be an error are left out. */
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
  readonly #counts = new HashCounts(PROFILE_IDS_MAX);
  #texts = new Map<number, IdText>();

  /** Returns the hashes in the order of the ids. */
  add({ counts, texts }: SplitIdKind): Float64Array {
    const { hashes, rows } = decodeCounts(Buffer.from(counts, "base64"));
    this.#counts.addAll(hashes, rows);
    for (const [index, text, length] of texts) this.#texts.set(hashes[index]!, { text, length });
    if (this.#texts.size > PROFILE_ID_TEXTS_MAX) this.#forgetTexts();
    return hashes;
  }

  /** Returns 0 for each hash whose text is known. */
  zeros(): Map<number, number> {
    return new Map([...this.#texts.keys()].map((hash) => [hash, 0]));
  }

  top(max: number, others: ReadonlyMap<number, number>, pairs: IdPairs): TopIds {
    const error = this.#counts.dropped;
    const known = [...this.#texts]
      .map(([hash, { text, length }]) => {
        const id = Buffer.byteLength(text) < length ? `${text}…` : text;
        return { id, rows: this.#counts.rowsOf(hash), others: others.get(hash) ?? 0 };
      })
      .filter(({ rows }) => rows > error);
    const listOf = (field: "rows" | "others") =>
      known
        .sort((a, b) => b[field] - a[field] || (a.id < b.id ? -1 : 1))
        .slice(0, max)
        .map((one) => ({ ...one, others: pairs.estimate(one.others) }));
    return {
      byRows: listOf("rows"),
      byOthers: listOf("others").filter((one) => one.others.count >= OTHERS_MIN),
      error,
      distinct: this.#counts.distinct,
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
