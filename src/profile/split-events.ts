/** How many events there are, and when the first and the last of them happened (ms since 1970 UTC). */
export interface EventCount {
  readonly rows: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

export interface NamedEventCount extends EventCount {
  readonly event: string;
}

/**
 * A day (since 1970-01-01, in the zone of the days), then of each of its names the place in `names` and
 * the rows: in one array, as a split of a thousand days has as many, and not seven times that.
 */
export type DayCounts = [day: number, ...placesAndRows: number[]];

/** The delivered events of one split by name, and by day and name. */
export interface SplitEvents {
  /** In the order in which they came. */
  readonly names: readonly NamedEventCount[];
  /** Events of all names for which there was no place; absent where there were none. */
  readonly others?: EventCount;
  /** In the order of their days. Where there was no place for a pair, its rows are missing here. */
  readonly days: readonly Readonly<DayCounts>[];
}
