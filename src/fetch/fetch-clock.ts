/** The time of a fetch; tests replace it. */
export interface FetchClock {
  /** ms since 1970. */
  now(): number;
  /** Rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
