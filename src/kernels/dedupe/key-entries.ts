// Entries of keys (see digest-keys.ts): sorted when they are written, compared when they are read.

const ENTRY_BYTES: usize = 24;

/** A slot of a table: the digest, then the file (from 1), ordinal and position of its first event. */
const SLOT_BYTES: usize = 32;

/** A drop: ordinal, last word of the digest, then file, ordinal and position of the first event. */
const DROP_BYTES: usize = 20;

@inline
function copyEntry(target: usize, source: usize): void {
  v128.store(target, v128.load(source));
  store<u64>(target, load<u64>(source, 16), 16);
}

/**
 * Orders entries by bucket, in their order within a bucket. `starts` gets the index of the first
 * entry of each of `size` buckets, and the number of entries.
 */
export function sortKeys(
  entries: usize, buckets: usize, count: u32, sorted: usize, starts: usize, size: u32,
): void {
  memory.fill(starts, 0, (<usize>size + 1) << 2);
  const bucketsEnd = buckets + ((<usize>count) << 1);
  for (let p = buckets; p < bucketsEnd; p += 2) {
    const next = starts + ((<usize>load<u16>(p)) << 2);
    store<u32>(next, load<u32>(next) + 1);
  }
  // Each bucket now has its end, which moves to its start as its entries are placed from the last on.
  let total: u32 = 0;
  for (let p = starts; p <= starts + ((<usize>size) << 2); p += 4) {
    total += load<u32>(p);
    store<u32>(p, total);
  }
  let entry = entries + <usize>count * ENTRY_BYTES;
  for (let p = bucketsEnd; p > buckets; ) {
    p -= 2;
    entry -= ENTRY_BYTES;
    const start = starts + ((<usize>load<u16>(p)) << 2);
    const index = load<u32>(start) - 1;
    store<u32>(start, index);
    copyEntry(sorted + <usize>index * ENTRY_BYTES, entry);
  }
}

/** A table of keys with open addressing. Made in src/dedupe/key-table.ts. */
@unmanaged
export class KeyTable {
  slots: u32;
  /** Number of slots, a power of two, minus 1. */
  mask: u32;
  /** Entries of other slices, by low bits of the digest, are left out. */
  slice: u32;
  sliceMask: u32;
  /** Ordinals, in order, of entries that do not count. */
  skipped: u32;
  skippedCount: u32;
  drops: u32;
}

/** Searches numbers in ascending order. */
function has(numbers: usize, count: u32, wanted: u32): bool {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (load<u32>(numbers + ((<usize>middle) << 2)) < wanted) low = middle + 1;
    else high = middle;
  }
  return low < count && load<u32>(numbers + ((<usize>low) << 2)) == wanted;
}

/** Adds entries of a file; returns the number of drops: one for each key that the table had before. */
export function addKeys(table: KeyTable, entries: usize, count: u32, file: u32): u32 {
  const slots = <usize>table.slots;
  const mask = table.mask;
  const end = entries + <usize>count * ENTRY_BYTES;
  let drop = <usize>table.drops;
  for (let entry = entries; entry < end; entry += ENTRY_BYTES) {
    if ((load<u32>(entry) & table.sliceMask) != table.slice) continue;
    const ordinal = load<u32>(entry, 16);
    if (table.skippedCount != 0 && has(table.skipped, table.skippedCount, ordinal)) continue;
    const digest = v128.load(entry);
    for (let probe = load<u32>(entry, 8) & mask; ; probe = (probe + 1) & mask) {
      const slot = slots + <usize>probe * SLOT_BYTES;
      const known = load<u32>(slot, 16);
      if (known == 0) {
        v128.store(slot, digest);
        store<u32>(slot, file, 16);
        store<u64>(slot, load<u64>(entry, 16), 20);
        break;
      }
      if (v128.any_true(v128.xor(v128.load(slot), digest))) continue;
      store<u32>(drop, ordinal);
      store<u32>(drop, load<u32>(entry, 12), 4);
      store<u32>(drop, known, 8);
      store<u64>(drop, load<u64>(slot, 20), 12);
      drop += DROP_BYTES;
      break;
    }
  }
  return <u32>((drop - <usize>table.drops) / DROP_BYTES);
}
