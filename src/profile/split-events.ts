/** How many events there are, and when the first and the last of them happened (ms since 1970 UTC). */
export interface EventCount {
  readonly rows: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

export interface NamedEventCount extends EventCount {
  readonly event: string;
}

/** The delivered events of one split by name, and by day and name. */
export interface SplitEvents {
  /** In the order in which they came. */
  readonly names: readonly NamedEventCount[];
  /** Events of all names for which there was no place; absent where there were none. */
  readonly others?: EventCount;
  /**
   * Days since 1970-01-01 in the zone of the days, in order, each with the places of its names in
   * `names` and their rows. Where there was no place, rows are missing here.
   */
  readonly days: readonly (readonly [
    day: number,
    counts: readonly (readonly [number, number])[],
  ])[];
}
