import { HOUR_MS } from "../../../src/base/day.js";
import type { Send, VendorAnswer, VendorRequest } from "../../../src/fetch/http.js";

/** A row of the events table. */
export interface StoredEvent {
  readonly uuid: string;
  /** Its own time in UTC, with microseconds: `2026-01-05 10:00:00.000001`. */
  readonly time: string;
  readonly distinctId: string;
  /** JSON text. */
  readonly properties: string;
  readonly personProperties: string;
  /** When PostHog receives it, in ms since 1970; absent if that is long ago. */
  readonly arrives?: number;
  /** When PostHog finds that it has the row twice, and removes this one. */
  readonly merges?: number;
}

interface SimulationOptions {
  now(): number;
  readonly events: readonly StoredEvent[];
  readonly random: () => number;
  readonly project?: string;
  readonly key?: string;
  /** Rows of a window above which a query takes too long. */
  readonly slowRows?: number;
  /** Share of queries that take too long whatever they ask for, and of those that a late replica answers. */
  readonly faults?: number;
}

const limits = [
  { requests: 240, ms: 60_000 },
  { requests: 2_400, ms: HOUR_MS },
];
const RUNNING_MAX = 3;
const ROWS_DEFAULT = 100;
const ROWS_MAX = 50_000;

/** A server in California, where a time without a zone is eight hours behind. */
const ZONE_MS = 8 * HOUR_MS;

const PERSON = "00000000-0000-4000-8000-000000000000";

type Column = (event: StoredEvent) => string;
const columns: Readonly<Record<string, Column>> = {
  "toString(uuid)": ({ uuid }) => uuid,
  "toString(toTimeZone(timestamp, 'UTC'))": ({ time }) => time,
  "toString(timestamp)": ({ time }) => shifted(time, -ZONE_MS),
  "toString(toTimeZone(created_at, 'UTC'))": ({ time }) => time.slice(0, 19),
  event: () => "viewed",
  distinct_id: ({ distinctId }) => distinctId,
  properties: ({ properties }) => properties,
  elements_chain: () => "",
  "toString(poe.id)": () => PERSON,
  "poe.properties": ({ personProperties }) => personProperties,
};

/** Returns a row as an export of files would have it. */
export function exportedLine({ uuid, time, distinctId, ...event }: StoredEvent): string {
  return JSON.stringify({
    uuid,
    event: "viewed",
    timestamp: `${time.replace(" ", "T")}Z`,
    distinct_id: distinctId,
    properties: JSON.parse(event.properties),
    person_properties: JSON.parse(event.personProperties),
    person_id: PERSON,
    elements_chain: "",
    created_at: `${time.slice(0, 19).replace(" ", "T")}Z`,
  });
}

/**
 * A PostHog server without exports of files: its query API as the documentation describes it, without a
 * network. It knows the HogQL that `fetch` asks, and the mistakes that others make: paging by the time alone,
 * times without a zone, no limit.
 */
export class SimulatedPosthogQueries {
  requests = 0;
  /** Queries that were refused because there were too many. */
  limited = 0;
  #running = 0;
  #times: number[] = [];

  constructor(private readonly options: SimulationOptions) {}

  readonly send: Send = async (request) => {
    this.requests += 1;
    return this.#answer(request);
  };

  /** The process that asked is gone. */
  disconnect(): void {
    this.#running = 0;
  }

  #answer({ url, method, headers, body = "" }: VendorRequest): VendorAnswer {
    const { now, project = "12", key = "phx_key", random, faults = 0 } = this.options;
    if (url.pathname !== `/api/projects/${project}/query/` || method !== "POST")
      return json(404, { detail: "Not found." });
    if (headers["authorization"] !== `Bearer ${key}`)
      return json(401, { type: "authentication_error", detail: "Invalid personal API key." });
    this.#times = this.#times.filter((time) => time > now() - HOUR_MS);
    const count = (ms: number) => this.#times.filter((time) => time > now() - ms).length;
    if (this.#running >= RUNNING_MAX || limits.some(({ requests, ms }) => count(ms) >= requests)) {
      this.limited += 1;
      return json(429, { type: "throttled_error", detail: "Request was throttled." });
    }
    this.#times.push(now());
    if (random() < faults) return random() < 0.5 ? timedOut(504) : timedOut(512);
    const asked = JSON.parse(body) as { query?: { kind?: string; query?: string } };
    if (asked.query?.kind !== "HogQLQuery") return json(400, { detail: "No such kind." });
    return this.#run(asked.query.query ?? "");
  }

  #run(query: string): VendorAnswer {
    const { now, events, random, faults = 0, slowRows = Number.POSITIVE_INFINITY } = this.options;
    const parts = /^select (.+?) from events where (.+?)(?: order by (.+?))?(?: limit (\d+))?$/;
    const [, selected = "", where = "", order, limit] = parts.exec(query) ?? [];
    const names = selected.split(/, (?![^(]*\))/);
    const isCount = names[0] === "count()";
    const unknown = names.find((name) => columnOf(name) === undefined && name !== "count()");
    if (unknown !== undefined) return json(400, { detail: `Unable to resolve ${unknown}` });
    const rows = events
      .filter(({ arrives = 0, merges = Number.POSITIVE_INFINITY }) => {
        return arrives <= now() && merges > now();
      })
      .filter(conditionOf(where));
    if (rows.length > slowRows) return timedOut(504);
    const value = (event: StoredEvent | undefined) => (name: string) =>
      name === "count()" ? rows.length : event && columnOf(name)?.(event);
    if (isCount) return this.#held({ results: [names.map(value(blank))] });
    const most = Math.min(limit === undefined ? ROWS_DEFAULT : Number(limit), ROWS_MAX);
    const results = this.#sorted(rows, order)
      .slice(0, most)
      .map((row) => names.map(value(row)));
    // A replica that is behind does not have all rows.
    if (random() < faults) results.splice(Math.floor(random() * results.length), 1);
    return this.#held({ columns: names, results, hasMore: false });
  }

  /** Rows that the order does not tell apart come in any order. */
  #sorted(rows: readonly StoredEvent[], order = ""): readonly StoredEvent[] {
    const keys = order.split(", ").map((name) => (name === "timestamp" ? utcTime : columnOf(name)));
    const keyOf = (row: StoredEvent) => keys.map((key) => key?.(row) ?? "").join(" ");
    const keyed = rows.map((row) => ({ row, key: keyOf(row), at: this.options.random() }));
    keyed.sort((one, other) =>
      one.key < other.key ? -1 : one.key > other.key ? 1 : one.at - other.at,
    );
    return keyed.map(({ row }) => row);
  }

  /** A query runs until its answer is read. */
  #held(answer: object): VendorAnswer {
    this.#running += 1;
    const { body, ...head } = json(200, answer);
    const end = () => {
      this.#running = Math.max(0, this.#running - 1);
    };
    return { ...head, body: ended(body, end) };
  }
}

const blank: StoredEvent = {
  uuid: "",
  time: "",
  distinctId: "",
  properties: "",
  personProperties: "",
};

const utcTime: Column = ({ time }) => time;

function columnOf(name: string): Column | undefined {
  const [, constant] = /^'([^']*)'$/.exec(name) ?? [];
  return constant === undefined ? columns[name] : () => constant;
}

type Condition = (event: StoredEvent) => boolean;

/** Reads comparisons of the time and the uuid, with `and` and `or` in brackets. */
function conditionOf(where: string): Condition {
  const parts = where.split(/ and (?![^(]*\))/).map((part) => {
    const [, inner] = /^\((.+ or .+)\)$/.exec(part) ?? [];
    const any = (inner ?? part).split(" or ").map(comparisonOf);
    return (event: StoredEvent) => any.some((one) => one(event));
  });
  return (event) => parts.every((part) => part(event));
}

function comparisonOf(text: string): Condition {
  const [, name = "", sign, time, constant] =
    /^(timestamp|toString\(uuid\)) ([<>]=?) (?:toDateTime\('(.+)'\)|'(.+)')$/.exec(text) ?? [];
  if (sign === undefined) throw new Error(`not a comparison: ${text}`);
  const bound = time === undefined ? (constant ?? "") : storedTime(time);
  return (event) => {
    const value = name === "timestamp" ? event.time : event.uuid;
    if (value === bound) return sign.endsWith("=");
    return sign.startsWith(">") ? value > bound : value < bound;
  };
}

/** Returns a time as events have it; one without a zone is of the project's zone. */
function storedTime(text: string): string {
  const [, seconds = "", digits = "", zone] = /^([^.Z]+)(?:\.(\d+))?(Z?)$/.exec(text) ?? [];
  const time = `${seconds.replace("T", " ")}.${digits.padEnd(6, "0")}`;
  return zone === "Z" ? time : shifted(time, ZONE_MS);
}

function shifted(time: string, ms: number): string {
  const moved = new Date(Date.parse(`${time.slice(0, 19).replace(" ", "T")}Z`) + ms);
  return `${moved.toISOString().slice(0, 19).replace("T", " ")}${time.slice(19)}`;
}

function timedOut(status: number): VendorAnswer {
  return json(status, { detail: "Query has hit the max execution time before completing." });
}

function json(status: number, body: object): VendorAnswer {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: pieces(Buffer.from(JSON.stringify(body))),
  };
}

async function* ended(body: VendorAnswer["body"], end: () => void): VendorAnswer["body"] {
  try {
    yield* body;
  } finally {
    end();
  }
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 16_384)
    yield bytes.subarray(start, start + 16_384);
}
