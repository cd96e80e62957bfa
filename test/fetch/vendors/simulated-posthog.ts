import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { DAY_MS, HOUR_MS } from "../../../src/base/day.js";
import type { Send, VendorAnswer, VendorRequest } from "../../../src/fetch/http.js";

/** An event as PostHog has it. */
export interface ReceivedEvent {
  /** ms since 1970. */
  readonly received: number;
  /** One line of JSON. */
  readonly line: string;
}

interface SimulationOptions {
  now(): number;
  readonly events: readonly ReceivedEvent[];
  readonly random: () => number;
  readonly project?: string;
  readonly key?: string;
  /** Events of one file; more make further files. */
  readonly fileEvents?: number;
  /** Share of exports that fail, links that are expired, and files that lack rows. */
  readonly faults?: number;
  /** Events of an export that takes too long. */
  readonly slowEvents?: number;
  /** A server that does not count the rows of exports. */
  readonly isOld?: boolean;
  /** Longest time that an export takes. */
  readonly workMs?: number;
}

interface ExportRun {
  readonly endsAt: number;
  readonly ending: "Completed" | "FailedRetryable" | "TimedOut";
  readonly files: readonly (readonly string[])[];
}

interface Link {
  readonly lines: readonly string[];
  readonly expiresAt: number;
}

const RUNNING_MAX = 20;
const LONGEST_MS = 7 * DAY_MS;
const EVENTS_OF_FILE = 40;
const WORK_MS = 90_000;

const runPath =
  /^\/api\/projects\/([^/]+)\/file_download_batch_exports\/(?:([^/]+)\/)?(?:download\/([^/]+)\/)?$/;

/**
 * PostHog's file download exports as their documentation describes them, without a network: a run is started,
 * works for a while, and its files are behind links that are signed, expire and refuse the key.
 */
export class SimulatedPosthog {
  requests = 0;
  /** Exports that were refused because too many were running. */
  limited = 0;
  /** Rows of all exports that were begun, which PostHog bills. */
  billed = 0;
  readonly #runs = new Map<string, ExportRun>();
  readonly #links = new Map<string, Link>();

  constructor(private readonly options: SimulationOptions) {}

  readonly send: Send = async (request) => {
    this.requests += 1;
    return this.#answer(request);
  };

  #answer(request: VendorRequest): VendorAnswer {
    const { url, headers } = request;
    if (url.pathname.startsWith("/signed/")) return this.#signed(url, headers);
    const { project = "12", key = "phx_key" } = this.options;
    const [, ofProject, run, file] = runPath.exec(url.pathname) ?? [];
    if (ofProject === undefined) return json(404, { detail: "Not found." });
    if (headers["authorization"] !== `Bearer ${key}`)
      return json(401, { type: "authentication_error", detail: "Invalid personal API key." });
    if (decodeURIComponent(ofProject) !== project)
      return json(403, { detail: "You don't have access to the project." });
    if (run === undefined)
      return request.method === "POST" ? this.#start(request.body ?? "") : json(405, {});
    const known = this.#runs.get(run);
    if (known === undefined) return json(404, { detail: "Not found." });
    return file === undefined ? this.#state(known) : this.#link(known, Number(file));
  }

  #start(body: string): VendorAnswer {
    const {
      now,
      events,
      random,
      fileEvents = EVENTS_OF_FILE,
      faults = 0,
      workMs = WORK_MS,
      slowEvents = Number.POSITIVE_INFINITY,
    } = this.options;
    const asked = JSON.parse(body) as Record<string, unknown>;
    const [start, end] = ["data_interval_start", "data_interval_end"].map((name) =>
      Date.parse(String(asked[name])),
    ) as [number, number];
    if (!(start <= end) || end - start > LONGEST_MS || end > now())
      return json(400, { attr: "data_interval_end", detail: "The interval is not valid." });
    const running = [...this.#runs.values()].filter(({ endsAt }) => endsAt > now());
    if (running.length >= RUNNING_MAX) {
      this.limited += 1;
      return json(429, { code: "too_many_concurrent_file_downloads", detail: "Too many exports." });
    }
    const lines = events
      .filter(
        ({ received }) => received >= start && received < end && received + HOUR_MS / 2 <= now(),
      )
      .map(({ line }) => line);
    this.billed += lines.length;
    const files = Array.from({ length: Math.ceil(lines.length / fileEvents) }, (_, index) =>
      lines.slice(index * fileEvents, (index + 1) * fileEvents),
    );
    const usual = lines.length >= slowEvents ? "TimedOut" : "Completed";
    const ending = random() < faults ? "FailedRetryable" : usual;
    const id = randomUUID();
    this.#runs.set(id, { endsAt: now() + random() * workMs, ending, files });
    return json(202, { id });
  }

  #state({ endsAt, ending, files }: ExportRun): VendorAnswer {
    const { now, isOld = false, workMs = WORK_MS } = this.options;
    if (now() < endsAt) return json(200, { status: "Running" });
    if (ending !== "Completed") return json(200, { status: ending, error: "a worker was lost" });
    const count = files.reduce((total, lines) => total + lines.length, 0);
    // The list of files comes some time after the end.
    const isListed = now() > endsAt + workMs / 20;
    const names = isListed ? files.map((_, index) => String(index)) : [];
    return json(200, { status: ending, files: names, ...(!isOld && { records_completed: count }) });
  }

  #link({ files }: ExportRun, index: number): VendorAnswer {
    const { now, random, faults = 0, isOld = false } = this.options;
    const lines = files[index];
    if (lines === undefined) return json(404, { detail: "Not found." });
    const token = randomUUID();
    const isExpired = random() < faults;
    // Where rows are counted, a file that lacks some is found.
    const isShort = !isOld && random() < faults / files.length;
    this.#links.set(token, {
      lines: isShort ? lines.slice(0, -1) : lines,
      expiresAt: isExpired ? 0 : now() + HOUR_MS,
    });
    const location = `/signed/${token}?X-Amz-Signature=secret-of-${token}`;
    return { status: 302, headers: { location }, body: pieces(Buffer.from("")) };
  }

  #signed(url: URL, headers: VendorRequest["headers"]): VendorAnswer {
    if (headers["authorization"] !== undefined)
      return json(400, { code: "Only one auth mechanism is allowed" });
    const link = this.#links.get(url.pathname.slice("/signed/".length));
    if (link === undefined || link.expiresAt < this.options.now())
      return json(403, { message: `Request has expired: ${url.href}` });
    const text = link.lines.map((line) => `${line}\n`).join("");
    return { status: 200, headers: {}, body: pieces(gzipSync(text, { level: 1 })) };
  }
}

function json(status: number, body: object): VendorAnswer {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: pieces(Buffer.from(JSON.stringify(body))),
  };
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 1_024)
    yield bytes.subarray(start, start + 1_024);
}
