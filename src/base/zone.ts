/** A time zone with its daylight saving. Fast enough to be asked for every row. */
export interface Zone {
  /** IANA name or fixed offset as given. */
  readonly name: string;
  /** What `offsetMs` gives at every moment; undefined where it depends on the moment. */
  readonly fixedOffsetMs: number | undefined;
  /** Milliseconds to add to UTC at this moment (milliseconds since 1970 UTC) to get local time. */
  offsetMs(utcMs: number): number;
  /**
   * The moment of a wall-clock time, given as the milliseconds it would have if it were UTC. Where
   * the clock reads it twice: the first. In a gap: as if the clock had not been changed yet.
   * (Luxon's own choice between two depends on the season in which it is asked.)
   */
  utcMs(localMs: number): number;
}
