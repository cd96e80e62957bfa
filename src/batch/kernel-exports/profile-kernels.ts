export interface ProfileKernels extends CensusKernels, ProfileRowKernels {}

/** `census` is the address of a census; `days` of one i32 and `timestamps` of one double for each row. */
interface CensusKernels {
  clearCensus(census: number): void;
  clearPairs(census: number): void;
  countPending(census: number): void;
  addName(census: number, start: number, length: number): number;
  countOutcomes(outcomes: number, rows: number, outcome: number): number;
  countEvents(
    census: number,
    outcomes: number,
    event: number,
    days: number,
    timestamps: number,
    rows: number,
  ): void;
}

/** All are addresses but counts, masks and the time, which is in milliseconds since 1970 UTC. */
interface ProfileRowKernels {
  profileRows(profile: number, rows: number, now: number): void;
  junkHash(start: number, length: number): number;
  clearCounts(counts: number): void;
  moveIds(set: number, slots: number, mask: number): void;
}
