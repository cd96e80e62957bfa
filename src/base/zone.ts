/** A time zone with its daylight saving. Fast enough to be asked for every row. */
export interface Zone {
  /** IANA name or fixed offset as given. */
  readonly name: string;
  /** Milliseconds to add to UTC at this moment (milliseconds since 1970 UTC) to get local time. */
  offsetMs(utcMs: number): number;
  /**
   * The moment of a wall-clock time, given as the milliseconds it would have if it were UTC. In a
   * gap or an overlap of daylight saving: what Luxon's `DateTime.fromObject` gives.
   */
  utcMs(localMs: number): number;
}
