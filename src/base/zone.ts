/** A time zone with its daylight saving. Fast enough to be called for every row. */
export interface Zone {
  /** IANA name or fixed offset as given. */
  readonly name: string;
  /** The result of `offsetMs` if it is the same at every time; otherwise undefined. */
  readonly fixedOffsetMs: number | undefined;
  /** Returns the milliseconds to add to a UTC time (milliseconds since 1970) to get local time. */
  offsetMs(utcMs: number): number;
  /**
   * Converts a wall-clock time, given as if it were UTC, to UTC. A time that the clock shows twice
   * is the first; a time in a gap counts as if the clock had not been changed yet. (Luxon's own
   * choice depends on the season in which it is called.)
   */
  utcMs(localMs: number): number;
}
