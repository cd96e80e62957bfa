/**
 * Returns the prefix of the names of an epoch's splits and merged parts: empty for epoch 0, `e00001-` for
 * epoch 1. Sorted as text, the names are in the order of the epochs.
 */
export function epochPrefix(epoch: number): string {
  return epoch === 0 ? "" : `e${String(epoch).padStart(5, "0")}-`;
}

/** Returns the epoch that a split belongs to. */
export function epochOf(splitId: string): number {
  return splitId.startsWith("e") ? Number(splitId.slice(1, splitId.indexOf("-"))) : 0;
}
