import { createReadStream } from "node:fs";
import { z } from "zod";
import { DAY_MS, HOUR_MS } from "../../base/day.js";
import { SourceError } from "../../base/errors.js";
import { AnswerError } from "../answer-error.js";
import { checkLines } from "../check-lines.js";
import { FetchError, WindowTooLarge } from "../fetch-error.js";
import type { VendorAnswer, VendorRequest } from "../http.js";
import type { CheckedFile, Downloaded, DownloadTools, Vendor, Verdict } from "../vendor.js";
import { stampOf } from "../window-files.js";
import type { Window } from "../windows.js";
import {
  accountOf,
  jsonOf,
  missing,
  type PosthogOptions,
  projectRequest,
  verdictOf,
} from "./posthog-api.js";
import { posthogQueries } from "./posthog-queries.js";

/** Regions of PostHog and the origins of their APIs. */
export const posthogOrigins = {
  us: "https://us.posthog.com",
  eu: "https://eu.posthog.com",
} as const;

/** Events count in the hour in which PostHog stores them, which may be some time after it received them. */
const DELAY_MS = HOUR_MS;

/** PostHog runs 20 exports of a project at a time, those of other programs included. */
const CONCURRENCY = 3;

/** Compressed bytes of one window: a few minutes of a usual connection. */
const ANSWER_BYTES = 256 * 1024 * 1024;

/** Pauses before the state of an export is asked for again. */
const POLL_FIRST_MS = 2_000;
const POLL_MAX_MS = 30_000;

/** The pause before the list of files is compared with itself. */
const LIST_MS = 15_000;

/** Longest answer in JSON. */
const JSON_BYTES_MAX = 10_000_000;

const started = z.object({ id: z.string().min(1) });

/** The state of an export, with what is read of it. */
const exportState = z.object({
  status: z.string(),
  files: z
    .array(z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]))
    .optional(),
  /** Absent in older servers. */
  records_completed: z.int().min(0).nullish(),
  error: z.string().nullish(),
});

type ExportState = z.output<typeof exportState>;

/**
 * The file download exports of PostHog: an export is started for a window, and has the events that were
 * received in it, whatever their own time is. Exported rows are billed, so an export that was begun before a
 * kill is gone on with.
 */
export function posthog(options: PosthogOptions): Vendor {
  return {
    name: "posthog",
    title: "PostHog",
    account: accountOf(options),
    secrets: [options.key],
    unitMs: HOUR_MS,
    firstMs: DAY_MS,
    longestMs: 7 * DAY_MS,
    answerBytes: ANSWER_BYTES,
    limits: [{ requests: 200, ms: 60_000 }],
    // A start, a state, a link and a file.
    windowRequests: 4,
    // Rows are counted when their export is done.
    billsRows: true,
    concurrency: CONCURRENCY,
    tooLargeAdvice: "Export it to a bucket: https://posthog.com/docs/cdp/batch-exports",
    older: posthogQueries(options),
    completeUntil: (now) => Math.floor((now - DELAY_MS) / HOUR_MS) * HOUR_MS,
    describe: (window) =>
      `PostHog, received from ${stampOf(window.start)} to ${stampOf(window.end)}`,
    download: (window, tools) => new WindowExport(options, window, tools).download(),
  };
}

const TOO_OLD =
  "This server has no exports of files, or does not know the project: check the address and the project";

function judge(answer: Pick<VendorAnswer, "status" | "headers">): Verdict {
  const { status } = answer;
  if (status >= 200 && status < 400) return { kind: "answer" };
  if (status === 404) return { kind: "absent", advice: TOO_OLD };
  // The length of a window does not change how long these calls take.
  if (status === 504) return { kind: "later" };
  return verdictOf(answer, "the scopes batch_export:read and batch_export:write");
}

/** A 404 is of the export, or of a file of it, and not of the server. */
function judgeKnown(answer: Pick<VendorAnswer, "status" | "headers">): Verdict {
  return answer.status === 404 ? { kind: "nothing" } : judge(answer);
}

/** Returns whether a finished export has all of its files. Without a count, their list must not grow any more. */
function isListed(state: ExportState | undefined, isSame: boolean): boolean {
  const { files = [], records_completed: records } = state ?? {};
  return typeof records === "number" ? records === 0 || files.length > 0 : isSame;
}

/** The export of one window. */
class WindowExport {
  /** The run of PostHog that exports it. */
  #run: string | undefined;

  constructor(
    private readonly options: PosthogOptions,
    private readonly window: Window,
    private readonly tools: DownloadTools,
  ) {
    this.#run = tools.job;
  }

  download(): Promise<Downloaded | undefined> {
    return this.tools.repeat(async () => {
      const run = this.#run ?? (await this.#start());
      const state = await this.#finished(run);
      if (state === undefined) throw this.#restart("PostHog does not have the export any more");
      const { files = [], records_completed: records } = state;
      if (files.length === 0 && (records ?? 0) === 0) return undefined;
      return this.tools.store(this.#bytesOf(run, files), (path) => this.#check(path, records));
    });
  }

  async #start(): Promise<string> {
    const iso = (ms: number) => new Date(ms).toISOString();
    const body = {
      model: "events",
      data_interval_start: iso(this.window.start),
      data_interval_end: iso(this.window.end),
      file: { format: "JSONLines", compression: "gzip" },
    };
    const request = this.#request("", body);
    const answer = await this.tools.ask({
      request,
      judge,
      receive: jsonOf(started, JSON_BYTES_MAX),
    });
    const { id } = answer ?? missing();
    await this.tools.remember(id);
    this.#run = id;
    return id;
  }

  /**
   * Waits for the end of an export and the list of its files, which may come later. Returns undefined if
   * PostHog does not know it.
   */
  async #finished(run: string): Promise<ExportState | undefined> {
    let before: string | undefined;
    const call = {
      request: this.#request(`${encodeURIComponent(run)}/`),
      judge: judgeKnown,
      receive: jsonOf(exportState, JSON_BYTES_MAX),
    };
    for (let pauseMs = POLL_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, POLL_MAX_MS)) {
      const state = await this.tools.ask(call);
      switch (state?.status) {
        case undefined:
          return undefined;
        case "Completed": {
          const list = JSON.stringify(state?.files ?? []);
          if (isListed(state, list === before)) return state;
          before = list;
          pauseMs = LIST_MS;
          break;
        }
        case "Failed":
        case "FailedBilling": {
          const why = this.tools.masked(state?.error ?? "no reason is given");
          throw await this.#refused(`it ends with ${state?.status}: ${why}`);
        }
        case "TimedOut":
          if (this.window.end - this.window.start > HOUR_MS) {
            await this.tools.remember(undefined);
            throw new WindowTooLarge();
          }
          throw this.#restart("the export ends with TimedOut");
        case "FailedRetryable":
        case "Terminated":
        case "Cancelled":
          throw this.#restart(
            `the export ends with ${state?.status}: ${this.tools.masked(state?.error ?? "")}`,
          );
      }
      await this.tools.clock.sleep(pauseMs, this.tools.signal);
    }
  }

  /** Returns an error; the next run begins another export. */
  async #refused(why: string): Promise<FetchError> {
    await this.tools.remember(undefined);
    return new FetchError("vendor_refused", {
      what: `PostHog, the export ${this.#run}`,
      why,
      advice: "What was fetched is kept. Run the same command again when the cause is removed",
    });
  }

  #restart(why: string): AnswerError {
    this.#run = undefined;
    return new AnswerError(why);
  }

  /** The bytes of all files of an export. Each is gzip, and so are they together. */
  async *#bytesOf(run: string, files: readonly string[]): AsyncGenerator<Uint8Array> {
    for (const file of files) {
      // Each is whole before the next one is asked for: one that breaks costs no other one.
      const part = await this.tools.repeat(() => this.#part(run, file));
      try {
        yield* createReadStream(part.path);
      } finally {
        await this.tools.discard(part);
      }
    }
  }

  async #part(run: string, file: string): Promise<Downloaded> {
    const path = `${encodeURIComponent(run)}/download/${encodeURIComponent(file)}/`;
    const link = await this.tools.ask({
      request: this.#request(path),
      judge: judgeKnown,
      receive: linkOf,
    });
    if (link === undefined) throw await this.#refused(`its file ${file} is not there any more`);
    // It is a secret, is valid for an hour, and is followed without the key.
    const answer = await this.tools.ask({
      request: { method: "GET", url: new URL(link, this.options.origin), headers: {} },
      isSecret: true,
      judge: ({ status }) => (status < 500 ? { kind: "answer" } : { kind: "later" }),
      receive: async (received) => received,
    });
    const { status, body } = answer ?? missing();
    if (status === 200) {
      const check = (stored: string) => checkLines(stored, this.#name, this.tools.signal);
      const part = await this.tools.store(body, check);
      if (part !== undefined) return part;
      throw new AnswerError("a file of the export is empty", { isDamaged: true });
    }
    await drain(body);
    throw new AnswerError(`the link to a file answers ${status}, as an expired one does`);
  }

  async #check(path: string, records: number | null | undefined): Promise<CheckedFile | undefined> {
    const checked = await checkLines(path, this.#name, this.tools.signal);
    const rows = checked?.rows ?? 0;
    if (typeof records !== "number" || rows === records) return checked;
    const reason = `it has ${rows} rows, and PostHog has counted ${records}`;
    throw new SourceError("source_corrupt", { source: this.#name }, reason);
  }

  get #name(): string {
    const { start, end } = this.window;
    return `posthog_${this.options.project}_${stampOf(start)}_${stampOf(end)}`;
  }

  #request(path: string, body?: object): VendorRequest {
    return projectRequest(this.options, `file_download_batch_exports/${path}`, body);
  }
}

/** Returns the address that an answer leads to. */
async function linkOf({ status, headers, body }: VendorAnswer): Promise<string> {
  await drain(body);
  const { location } = headers;
  if (location === undefined)
    throw new AnswerError(`${status} without a link`, { isDamaged: true });
  return location;
}

/** Reads the rest of a body that nobody needs, so that its connection is free. */
async function drain(body: VendorAnswer["body"]): Promise<void> {
  try {
    for await (const _ of body);
  } catch {
    // Its end does not matter.
  }
}
