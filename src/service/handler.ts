import type { JsonObject } from "../contract/fields.js";
import type { BodyOf, ParamsOf, QueryOf, Route } from "../contract/route.js";
import type { KeyRecord } from "../storage/key-store.js";

/** Versions that `If-Match` names, as they stand between the quotes; `*` is any. */
export type IfMatch = readonly string[] | "*" | undefined;

/** What every handler may ask of a request. */
export interface CallFacts {
  /** The key of a request to a route that is not public. */
  readonly caller: KeyRecord;
  readonly ifMatch: IfMatch;
  readonly idempotencyKey: string | undefined;
  /** Path as it was sent, without the query. */
  readonly path: string;
  /** Query as it was sent, without the question mark; may be empty. */
  readonly queryText: string;
  /** Body as it was sent, for what its parsed value does not keep; undefined where there is none. */
  readonly bodyText: string | undefined;
}

/** A request that fits its route. */
export interface Call<R extends Route> extends CallFacts {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
}

/** What a handler answers; status and `message` are the route's. */
export interface Answer {
  /** What stands beside `message`: `data`, `pagination`. */
  readonly content: JsonObject;
  /** Version of the single entity in the answer: its `ETag`. */
  readonly version?: number;
}

export type Handler<R extends Route> = (call: Call<R>) => Promise<Answer>;

/** One handler for each route of a table. */
export type Handlers<Table extends Readonly<Record<string, Route>>> = {
  readonly [Name in keyof Table]: Handler<Table[Name]>;
};

/** A value of an answer that is JSON text already: it goes out as it stands. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** JSON text of an object; members that are `JsonText` are taken over. undefined members are left out. */
export function objectText(members: Readonly<Record<string, unknown>>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    const text = value instanceof JsonText ? value.text : JSON.stringify(value);
    parts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${parts.join(",")}}`;
}
