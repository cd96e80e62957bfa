// Finds ids in a form that other ids of the same export may not have: with blanks around them, in
// quotes, or as a decimal. Each distinct id is looked at once, when the host takes the counts out.

import { spreadHash } from "../byte-hash";
import { changedEnd, changedStart, plainChange } from "../mapping/text-forms";
import { idLengthAt, ID_TEXT_BYTES, IdTable, idTextAt } from "./ids";

/** An odd id. */
@unmanaged
class OddId {
  /** Hash of the id in its usual form. */
  hash: u64;
  number: u32;
  /** The change that gives it that form, as in ../mapping/text-forms. */
  change: u32;
}

/** Room for a changed id. */
const CHANGED: usize = memory.data(544);

/** Writes the odd ids of a table to `target`, in the order of their numbers, and returns how many. */
export function findOddIds(table: IdTable, target: usize): u32 {
  let found = target;
  for (let number: u32 = 1; number <= table.count; number++) {
    const text = idTextAt(table, number);
    const change = plainChange(text, idLengthAt(table, number), ID_TEXT_BYTES, CHANGED);
    if (change == 0) continue;
    const odd = changetype<OddId>(found);
    odd.hash = spreadHash(changedStart, changedEnd - changedStart);
    odd.number = number;
    odd.change = change;
    found += offsetof<OddId>();
  }
  return <u32>((found - target) / offsetof<OddId>());
}
