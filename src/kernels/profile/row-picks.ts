// Picks the rows that the host copies before the next batch: samples, the largest events, and rows
// whose fields are looked at. Each reject reason and each of the first event names has three samples:
// the rows with the smallest hash of row number and seed, at any position. A row that is among the
// first of its group so far is a candidate.

import { mix, spread } from "../byte-hash";
import { Profile } from "./profile";

/** Rows kept of a group of rows: those with the smallest hashes, in order, largest last. */
const PICKS: usize = 3;

/** A row that may be kept: its number, group, and hash or size. */
@unmanaged
class Candidate {
  order: u64;
  row: u32;
  group: u32;
}

/** Numbers of the groups of samples: counted names, reject codes, the largest. */
export const PICKED_NAMES: u32 = 64;
const PICKED_GROUPS: u32 = 96;

const LARGEST: usize = 10;

/** The group of rows whose fields are looked at. */
const LOOKED_AT: u32 = 97;

/**
 * The first 32 rows of a kind are looked at, then every second one of as many, then every fourth of twice as
 * many, and so on, until `LOOKED_AT_MOST` were. Then the first row of a kind is, and one of those that lack
 * the same targets when none of a thirty-second part of them was, or of `UNSEEN_MAX`. After `DENSE_SPLITS`
 * splits a quarter of that is enough, as the report adds them up.
 */
const LOOKED_AT_MOST: u32 = 112;
const DENSE_SPLITS: u32 = 4;
const UNSEEN_MAX: u32 = 2048;

/**
 * Kinds of rows in `profile.unseen`: by the targets that they lack, then by reject codes. The same numbers as
 * in src/profile/profile-memory.ts.
 */
export const REJECTED_KINDS: u32 = 64;
const KINDS: usize = 96;

function addCandidate(profile: Profile, row: i32, group: u32, order: u64): void {
  const at = <usize>profile.candidates + <usize>profile.candidateCount * offsetof<Candidate>();
  const candidate = changetype<Candidate>(at);
  candidate.order = order;
  candidate.row = <u32>row;
  candidate.group = group;
  profile.candidateCount++;
}

/** Makes the row a candidate if its hash is among the smallest of the group. */
@inline
export function pick(profile: Profile, row: i32, group: u32): void {
  const hash = spread(mix(<u64>profile.seed + 1, <u64>(profile.rows + <u32>row)));
  const picks = <usize>profile.picks + <usize>group * PICKS * 8;
  if (hash >= load<u64>(picks, (PICKS - 1) * 8)) return;
  let index = PICKS - 1;
  for (; index > 0 && load<u64>(picks + (index - 1) * 8) > hash; index--) {
    store<u64>(picks + index * 8, load<u64>(picks + (index - 1) * 8));
  }
  store<u64>(picks + index * 8, hash);
  addCandidate(profile, row, group, hash);
}

/** Keeps the sizes of the largest events, largest first; of equal ones the first counts. */
@inline
export function noteSize(profile: Profile, row: i32, bytes: u32): void {
  const largest = <usize>profile.largest;
  if (bytes <= load<u32>(largest, (LARGEST - 1) * 4)) return;
  let index = LARGEST - 1;
  for (; index > 0 && load<u32>(largest + (index - 1) * 4) < bytes; index--) {
    store<u32>(largest + index * 4, load<u32>(largest + (index - 1) * 4));
  }
  store<u32>(largest + index * 4, bytes);
  addCandidate(profile, row, PICKED_GROUPS, bytes);
}

/**
 * Makes some rows of a kind candidates. `number`: rows of the kind so far; `among`: its place in
 * `profile.unseen`. The order of a candidate is the number of rows that it stands for, and in the upper
 * half the targets that it lacks.
 */
export function lookAt(profile: Profile, row: i32, number: u32, among: u32, lacks: u32): void {
  const unseen = <usize>profile.unseen + ((<usize>among) << 2);
  const since = load<i32>(unseen) + 1;
  const total = load<u32>(unseen, KINDS * 4) + 1;
  store<i32>(unseen, since);
  store<u32>(unseen, total, KINDS * 4);
  let stands: u32;
  const sparser: u32 = profile.seed < DENSE_SPLITS ? 0 : 2;
  if (profile.lookedAt < LOOKED_AT_MOST >> sparser) {
    // The highest power of two that is not above a sixteenth of the number.
    stands = number >> 4 == 0 ? 1 : 1 << (31 - <u32>clz(number >> 4));
    if ((number & (stands - 1)) != 0) return;
    profile.lookedAt++;
    // For the rows after it, too.
    store<i32>(unseen, 1 - <i32>stands);
  } else {
    if (number > 1 && since < <i32>min(UNSEEN_MAX, total >> (5 - sparser))) return;
    // For those before it, for which no other one stands.
    stands = <u32>max(1, since);
    store<i32>(unseen, 0);
  }
  addCandidate(profile, row, LOOKED_AT, ((<u64>lacks) << 32) | stands);
}
