/** Slots of a hash table for so many entries: a power of two, never more than half of them taken. */
export function slotCountFor(entriesMax: number): number {
  return 2 ** Math.ceil(Math.log2(entriesMax * 2));
}
