import { CursorError } from "./event-store.js";

/** The last event of a page: its series, and its place among all events. */
export interface EventPlace {
  readonly series: number;
  readonly sequence: number;
}

export function cursorOf({ series, sequence }: EventPlace): string {
  return Buffer.from(`${series}.${sequence}`).toString("base64url");
}

/** Throws `CursorError` for what `cursorOf` never makes. */
export function placeOf(cursor: string): EventPlace {
  const match = /^(\d{1,16})\.(\d{1,16})$/.exec(Buffer.from(cursor, "base64url").toString());
  const place = { series: Number(match?.[1]), sequence: Number(match?.[2]) };
  // Decoding is lenient; only what encodes to the same text is a cursor.
  if (match === null || cursorOf(place) !== cursor) throw new CursorError();
  return place;
}
