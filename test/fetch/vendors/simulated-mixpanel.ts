import { gzipSync } from "node:zlib";
import { HOUR_MS } from "../../../src/base/day.js";
import type { Send, VendorAnswer, VendorRequest } from "../../../src/fetch/http.js";

/** An event as Mixpanel has it. */
export interface DayEvent {
  /** When it happened, in ms since 1970. */
  readonly time: number;
  /** One line of JSON. */
  readonly line: string;
  /** When Mixpanel receives it; absent if that is at once. */
  readonly arrives?: number;
}

interface SimulationOptions {
  now(): number;
  readonly events: readonly DayEvent[];
  /** The days of the project are those of this zone; absent: of UTC. */
  readonly zone?: string;
  readonly project?: string;
  readonly username?: string;
  readonly secret?: string;
  /** Set if the keys of a row may come in another order each time, as exports are not stable. */
  readonly random?: () => number;
}

const limits = [
  { requests: 60, ms: HOUR_MS },
  { requests: 3, ms: 1_000 },
];

/**
 * Mixpanel's raw export as its documentation describes it, without a network: both days are included, bodies
 * are compressed if they are large enough, and a project has 60 requests an hour and three a second.
 */
export class SimulatedMixpanel {
  requests = 0;
  /** Requests that were refused because there were too many. */
  limited = 0;
  #times: number[] = [];
  /** By the day on which they happened in the project's zone. */
  readonly #events: readonly (DayEvent & { readonly day: string })[];

  constructor(private readonly options: SimulationOptions) {
    const { events, zone: timeZone = "UTC" } = options;
    // Swedish dates are those of ISO.
    const days = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" });
    this.#events = events.map((event) => ({ ...event, day: days.format(event.time) }));
  }

  readonly send: Send = async (request) => {
    this.requests += 1;
    return this.#answer(request);
  };

  #reordered(line: string): string {
    const { random } = this.options;
    if (random === undefined) return line;
    const members = Object.entries(JSON.parse(line)).map((member) => ({ member, at: random() }));
    members.sort((one, other) => one.at - other.at);
    return JSON.stringify(Object.fromEntries(members.map(({ member }) => member)));
  }

  #answer({ url, headers, method }: VendorRequest): VendorAnswer {
    const { now, project = "12", username = "user", secret = "secret" } = this.options;
    if (method !== "GET" || url.pathname !== "/api/2.0/export") return answer(404, "Not Found");
    const [scheme, credentials = ""] = (headers["authorization"] ?? "").split(" ");
    const given = Buffer.from(credentials, "base64").toString();
    if (scheme !== "Basic" || given !== `${username}:${secret}`)
      return answer(401, '{"error": "Invalid service account credentials"}');
    if (url.searchParams.get("project_id") !== project)
      return answer(403, '{"error": "No access to this project"}');
    const count = (ms: number) => this.#times.filter((time) => time > now() - ms).length;
    if (limits.some(({ requests, ms }) => count(ms) >= requests)) {
      this.limited += 1;
      const error = `Query rate limit exceeded for project_id: ${project}. 1/100 queries running concurrently and ${count(HOUR_MS) + 1}/60 queries running in the last hour`;
      return answer(429, JSON.stringify({ request: url.pathname, error }));
    }
    this.#times.push(now());
    const [from = "", to = ""] = ["from_date", "to_date"].map(
      (name) => /^\d{4}-\d\d-\d\d$/.exec(url.searchParams.get(name) ?? "")?.[0],
    );
    if (from === "" || from > to)
      return answer(400, '{"error": "from_date must be before to_date"}');
    // A day that is not over has the events that it has by now.
    const lines = this.#events
      .filter(({ day, time, arrives = time }) => day >= from && day <= to && arrives <= now())
      .map(({ line }) => `${this.#reordered(line)}\n`);
    const body = Buffer.from(lines.join(""));
    const isCompressed = body.length > 1_400 && headers["accept-encoding"] === "gzip";
    return {
      status: 200,
      headers: isCompressed ? { "content-encoding": "gzip" } : {},
      body: pieces(isCompressed ? gzipSync(body, { level: 1 }) : body),
    };
  }
}

function answer(status: number, words: string): VendorAnswer {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: pieces(Buffer.from(words)),
  };
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 1_024)
    yield bytes.subarray(start, start + 1_024);
}
