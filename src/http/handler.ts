import type { Readable } from "node:stream";
import type { AnyObject } from "../contract/fields.js";
import type { BodyOf, ParamsOf, QueryOf, Route } from "../contract/route.js";
import type { KeyRecord } from "../storage/key-store.js";
import type { SessionRecord } from "../storage/session-store.js";

/** Versions that `If-Match` names, without quotes; `*` is any. */
export type IfMatch = readonly string[] | "*" | undefined;

/** Facts of a request that every handler gets. */
export interface CallFacts {
  /** The key of the request, unless the route is public. */
  readonly caller: KeyRecord;
  /** The session whose cookie stands for the key; undefined if the request has the key itself. */
  readonly session: SessionRecord | undefined;
  /** Identifies the request in the log and the audit log. */
  readonly requestID: string;
  readonly ifMatch: IfMatch;
  readonly idempotencyKey: string | undefined;
  /** The path as it was sent, without the query. */
  readonly path: string;
  /** The query as it was sent, without the question mark; may be empty. */
  readonly queryText: string;
  /** ETags that the client has, as it sent them. */
  readonly ifNoneMatch: string | undefined;
  /** The bytes that the client asks for. */
  readonly range: string | undefined;
  /** Scheme and host of the service, as the client has them. */
  readonly origin: string;
  /** The id of the last message of a stream that the client has read. */
  readonly lastEventID: string | undefined;
  /** Aborted when the service stops: streams end then. */
  readonly stopSignal: AbortSignal;
  /** The body as it was sent: its parsed value may have lost digits. Undefined without a body. */
  readonly bodyText: string | undefined;
}

/** A valid request for a route. */
export interface HandlerCall<R extends Route> extends CallFacts {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
}

/** An answer that is sent as it is. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns an answer of status 200 with an object, or with a text that is JSON. */
export function jsonAnswer(
  content: AnyObject | string,
  headers: WholeAnswer["headers"] = {},
): WholeAnswer {
  const body = typeof content === "string" ? content : JSON.stringify(content);
  const type = "application/json; charset=utf-8";
  return { status: 200, headers: { "content-type": type, ...headers }, body };
}

/** The answer of a handler. Status and `message` come from the route. */
export interface HandlerAnswer {
  /** The members beside `message`: `data`, `pagination`. */
  readonly content: AnyObject;
  /** The version of the single entity in the answer: its `ETag`. */
  readonly version?: number;
  /** The newest write that the list in the answer has: its weak `ETag`. */
  readonly newestWrite?: number;
  /** A digest of the answer: its weak `ETag`. */
  readonly digest?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that is sent as it is made. The stream is destroyed when the client leaves. */
export interface StreamAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: Readable;
}

export type Handler<R extends Route> = (
  call: HandlerCall<R>,
) => Promise<HandlerAnswer | WholeAnswer | StreamAnswer>;

/** One handler for each route of a table. */
export type Handlers<Table extends Readonly<Record<string, Route>>> = {
  readonly [Name in keyof Table]: Handler<Table[Name]>;
};

/** Handlers with any inputs, by the name of their operation. */
export type AnyHandlers = Readonly<Record<string, Handler<Route>>>;

/** A value of an answer that is JSON text already; it is sent unchanged. */
export class FinishedJson {
  constructor(readonly text: string) {}
}

/** Returns the JSON text of an object. `JsonText` members are copied, undefined ones left out. */
export function objectText(members: Readonly<Record<string, unknown>>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    const text = value instanceof FinishedJson ? value.text : JSON.stringify(value);
    parts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${parts.join(",")}}`;
}
