import { gzipSync } from "node:zlib";
// @ts-expect-error A plain script, which makes the fixtures too.
import { zip } from "../../../fixtures/make/zip-writer.mjs";
import { HOUR_MS } from "../../../src/base/day.js";
import type { Send, VendorAnswer, VendorRequest } from "../../../src/fetch/http.js";

/** An event as Amplitude has it. */
export interface UploadedEvent {
  /** ms since 1970. */
  readonly uploaded: number;
  /** One line of JSON. */
  readonly line: string;
}

interface SimulationOptions {
  now(): number;
  readonly events: readonly UploadedEvent[];
  /** Of an answer; larger ones are refused with 400, and those of twice the size with 504. */
  readonly bytesMax?: number;
  readonly project?: number;
  readonly apiKey?: string;
  readonly secretKey?: string;
}

/** Hours of which not everything can be exported yet. */
const DELAY_MS = 2 * HOUR_MS;

const CONCURRENT_MAX = 5;
const LONGEST_MS = 365 * 24 * HOUR_MS;

const hourPattern = /^(\d{4})(\d\d)(\d\d)T(\d\d)$/;

/**
 * Amplitude's Export API as its documentation describes it, without a network: both hours are included,
 * hours are those of the upload, and an hour is complete two hours after its end.
 */
export class SimulatedAmplitude {
  /** Requests that were answered. */
  requests = 0;
  /** The most requests at a time. */
  busiest = 0;
  readonly #connections = new Set<object>();

  constructor(private readonly options: SimulationOptions) {}

  readonly send: Send = async (request) => {
    this.requests += 1;
    const connection = {};
    this.#connections.add(connection);
    this.busiest = Math.max(this.busiest, this.#connections.size);
    const answer = this.#answer(request);
    return { ...answer, body: ending(answer.body, () => this.#connections.delete(connection)) };
  };

  /** Forgets the connections of a client that died. */
  disconnect(): void {
    this.#connections.clear();
  }

  #answer({ url, headers, method }: VendorRequest): VendorAnswer {
    const {
      apiKey = "key",
      secretKey = "secret",
      bytesMax = Number.POSITIVE_INFINITY,
    } = this.options;
    if (method !== "GET" || url.pathname !== "/api/2/export") return text(404, "Not Found");
    const [scheme, credentials = ""] = (headers["authorization"] ?? "").split(" ");
    const given = Buffer.from(credentials, "base64").toString();
    if (scheme !== "Basic" || given !== `${apiKey}:${secretKey}`)
      return text(403, "Invalid API key or secret key");
    if (this.#connections.size > CONCURRENT_MAX)
      return text(429, "Exceeded concurrent limit of 5 requests for your organization");
    const [start, last] = ["start", "end"].map((name) => hourOf(url.searchParams.get(name) ?? ""));
    if (start === undefined || last === undefined || last < start || last - start >= LONGEST_MS)
      return text(400, "Invalid date range");
    const body = this.#archive(start, last + HOUR_MS);
    if (body === undefined) return text(404, "Raw data files were not found.");
    if (body.length > 2 * bytesMax) return text(504, "<html><h1>504 Gateway Time-out</h1></html>");
    if (body.length > bytesMax)
      return text(
        400,
        "The file size of the exported data is too large. Request a shorter time range.",
      );
    return { status: 200, headers: { "content-type": "application/zip" }, body: pieces(body) };
  }

  #archive(start: number, end: number): Buffer | undefined {
    const { now, events, project = 187520 } = this.options;
    const hours = new Map<number, string[]>();
    for (const { uploaded, line } of events) {
      if (uploaded < start || uploaded >= end || uploaded > now()) continue;
      const hour = Math.floor(uploaded / HOUR_MS) * HOUR_MS;
      // Of an hour that is not complete, a part can be exported.
      if (now() < hour + HOUR_MS + DELAY_MS && uploaded % 3 !== 0) continue;
      const lines = hours.get(hour) ?? [];
      lines.push(line);
      hours.set(hour, lines);
    }
    if (hours.size === 0) return undefined;
    const entries = [...hours].map(([hour, lines]) => {
      const text = new Date(hour).toISOString();
      const name = `${project}/${project}_${text.slice(0, 10)}_${Number(text.slice(11, 13))}#0.json.gz`;
      return { name, bytes: gzipSync(`${lines.join("\n")}\n`, { level: 1 }), stored: true };
    });
    return zip(entries) as Buffer;
  }
}

function hourOf(text: string): number | undefined {
  const [, year, month, day, hour] = hourPattern.exec(text) ?? [];
  const time = Date.parse(`${year}-${month}-${day}T${hour}:00:00Z`);
  return Number.isNaN(time) ? undefined : time;
}

function text(status: number, words: string): VendorAnswer {
  return { status, headers: { "content-type": "text/plain" }, body: pieces(Buffer.from(words)) };
}

/** Bytes in pieces, as a network brings them. */
async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 1_024)
    yield bytes.subarray(start, start + 1_024);
}

async function* ending(
  body: AsyncIterable<Uint8Array>,
  end: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    end();
  }
}
