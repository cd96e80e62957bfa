/** What a service has stored, for whoever compares it with what was sent. */
export interface StoredEvents {
  /** By day (UTC), then event; at most `limit` of them. `from` inclusive, `to` exclusive. */
  counts(
    range: { readonly from: string | undefined; readonly to: string | undefined },
    limit: number,
  ): Promise<readonly { readonly day: string; readonly event: string; readonly count: number }[]>;
  /** The first events of a name and day (UTC). May be fewer than the limit where they are large. */
  list(query: {
    readonly day: string;
    readonly event: string;
    readonly limit: number;
    readonly cursor: undefined;
  }): Promise<{ readonly items: readonly StoredEventText[] }>;
}

export interface StoredEventText {
  readonly event: string;
  /** ms since the epoch. */
  readonly timestamp: number;
  /** The event as JSON text, digit for digit as it was sent. */
  readonly body: string;
}
