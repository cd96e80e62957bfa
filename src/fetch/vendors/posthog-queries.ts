import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { z } from "zod";
import { DAY_MS, HOUR_MS } from "../../base/day.js";
import { AnswerError } from "../answer-error.js";
import { checkLines } from "../check-lines.js";
import { WindowTooLarge } from "../fetch-error.js";
import type { VendorAnswer } from "../http.js";
import type { Downloaded, DownloadTools, Vendor, Verdict } from "../vendor.js";
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

/** Most events come within a day of their own time; a count that stays the same needs a quiet window. */
const DELAY_MS = DAY_MS;

/** PostHog answers three queries of a project at a time, and people's dashboards need one. */
const CONCURRENCY = 2;

/** Rows of an answer. PostHog gives up to 50,000, which may be 1 GB of JSON. */
const PAGE_ROWS = 10_000;

/** Each page reads its whole window in PostHog: a longer one would take longer for each. */
const WINDOW_ROWS_MAX = 20 * PAGE_ROWS;
const ANSWER_BYTES = 32 * 1024 * 1024;

/** Longest answer to a query. JavaScript has no strings of more than 512 MiB. */
const PAGE_BYTES_MAX = 400_000_000;

/** Answers to queries that take too long, or too much memory. */
const TIMED_OUT = [504, 512];

/**
 * The query API of PostHog, for servers without exports of files. A window has the events whose own time is in
 * it, so events that come later belong to finished windows.
 */
export function posthogQueries(options: PosthogOptions, pageRows = PAGE_ROWS): Vendor {
  return {
    name: "posthog",
    title: "PostHog's query API",
    account: `${accountOf(options)}-queries`,
    secrets: [options.key],
    unitMs: HOUR_MS,
    firstMs: DAY_MS,
    longestMs: 7 * DAY_MS,
    answerBytes: ANSWER_BYTES,
    limits: [
      { requests: 240, ms: 60_000 },
      { requests: 2_400, ms: HOUR_MS },
    ],
    // A page between two counts.
    windowRequests: 3,
    concurrency: CONCURRENCY,
    keyOf: (line) => (JSON.parse(line) as { uuid: string }).uuid,
    tooLargeAdvice: "Export it to a bucket: https://posthog.com/docs/cdp/batch-exports",
    completeUntil: (now) => Math.floor((now - DELAY_MS) / HOUR_MS) * HOUR_MS,
    describe: ({ start, end }) => `PostHog, events from ${stampOf(start)} to ${stampOf(end)}`,
    download: (window, tools) => new WindowQueries(options, pageRows, window, tools).download(),
  };
}

const ABSENT =
  "Check the address and the project. If the server is older than its query API, export the events to a " +
  "bucket: https://posthog.com/docs/cdp/batch-exports";

function judge(answer: Pick<VendorAnswer, "status" | "headers">): Verdict {
  const { status } = answer;
  if (status === 404) return { kind: "absent", advice: ABSENT };
  if (TIMED_OUT.includes(status)) return { kind: "timed_out" };
  return verdictOf(answer, "the scope query:read");
}

/** The columns of a row, as the rows of exports have them. Person properties are those of the event's time. */
const COLUMNS = [
  "toString(uuid)",
  "toString(toTimeZone(timestamp, 'UTC'))",
  "event",
  "distinct_id",
  "properties",
  "elements_chain",
  "toString(poe.id)",
  "poe.properties",
  "toString(toTimeZone(created_at, 'UTC'))",
];

const utcTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?$/)
  .transform((text) => `${text.replace(" ", "T")}Z`);

const text = z.string().nullable();

/** A row of a page. The last column repeats the id of the request. */
const rowSchema = z.tuple([
  z.string().min(1),
  utcTime,
  text,
  text,
  text,
  text,
  text,
  text,
  utcTime.nullable(),
  z.string(),
]);

type Row = z.output<typeof rowSchema>;

const countSchema = z.tuple([z.tuple([z.int().min(0), z.string()])]);

/** The queries of one window. */
class WindowQueries {
  constructor(
    private readonly options: PosthogOptions,
    private readonly pageRows: number,
    private readonly window: Window,
    private readonly tools: DownloadTools,
  ) {}

  download(): Promise<Downloaded | undefined> {
    const { start, end } = this.window;
    const name = `posthog_${this.options.project}_${stampOf(start)}_${stampOf(end)}_queried`;
    return this.tools.repeat(async () => {
      const rows = await this.#count();
      if (rows > WINDOW_ROWS_MAX && end - start > HOUR_MS) throw new WindowTooLarge();
      if (rows === 0) return undefined;
      return this.tools.store(this.#bytes(rows), (path) =>
        checkLines(path, name, this.tools.signal),
      );
    });
  }

  async #count(): Promise<number> {
    const [[count]] = await this.#query(countSchema, "count()", this.#within());
    return count;
  }

  /** The rows of the window as gzip of JSON lines; they are as many as PostHog counts before and after. */
  async *#bytes(before: number): AsyncGenerator<Uint8Array> {
    let rows = 0;
    for await (const page of this.#pages()) {
      rows += page.length;
      yield await promisify(gzip)(page.map(lineOf).join(""));
    }
    const after = await this.#count();
    if (rows === before && rows === after) return;
    const counts = `PostHog counts ${before} events before and ${after} after`;
    throw new AnswerError(`${rows} rows have come, and ${counts}`, { isDamaged: true });
  }

  /**
   * A full page may end among rows of one time and uuid, which PostHog has until it merges them. They are left
   * to the next page, which begins with them.
   */
  async *#pages(): AsyncGenerator<readonly Row[]> {
    let where = this.#within();
    for (;;) {
      const limit = `order by timestamp, toString(uuid) limit ${this.pageRows}`;
      const rows = await this.#query(z.array(rowSchema), COLUMNS.join(", "), `${where} ${limit}`);
      const last = rows.at(-1);
      if (last === undefined) return;
      if (rows.length < this.pageRows) {
        yield rows;
        return;
      }
      const [uuid, time] = last;
      const whole = rows.filter((row) => row[0] !== uuid || row[1] !== time);
      if (whole.length === 0) {
        throw new AnswerError(`a page has nothing but repetitions of the event ${uuid}`);
      }
      yield whole;
      const from = timeText(time);
      where = `${this.#within(from)} and (timestamp > ${from} or toString(uuid) >= ${textOf(uuid)})`;
    }
  }

  #within(from = timeText(new Date(this.window.start).toISOString())): string {
    const end = timeText(new Date(this.window.end).toISOString());
    return `from events where timestamp >= ${from} and timestamp < ${end}`;
  }

  /** Asks a query with an id that the answer repeats: one from a cache would be of another time. */
  async #query<Results extends readonly (readonly unknown[])[]>(
    schema: z.ZodType<Results>,
    columns: string,
    rest: string,
  ): Promise<Results> {
    const id = randomUUID();
    const query = { kind: "HogQLQuery", query: `select ${columns}, '${id}' ${rest}` };
    const results = schema.refine((rows) => rows.every((row) => row.at(-1) === id));
    const answer = await this.tools.ask({
      request: projectRequest(this.options, "query/", { query }),
      judge,
      receive: jsonOf(z.object({ results }), PAGE_BYTES_MAX),
    });
    return (answer ?? missing()).results;
  }
}

/** A time as HogQL reads it, whatever the zone of the project is. */
function timeText(time: string): string {
  return `toDateTime('${time}')`;
}

function textOf(value: string): string {
  return `'${value.replaceAll(/[\\']/g, "\\$&")}'`;
}

/** Returns a row as an export has it, with the digits that PostHog has stored. */
function lineOf(row: Row): string {
  const [uuid, timestamp, event, distinctId, properties, elements, personId, person, created] = row;
  const members = {
    uuid: JSON.stringify(uuid),
    event: JSON.stringify(event),
    timestamp: JSON.stringify(timestamp),
    distinct_id: JSON.stringify(distinctId),
    properties: objectText(properties),
    person_properties: objectText(person),
    person_id: JSON.stringify(personId),
    elements_chain: JSON.stringify(elements),
    created_at: JSON.stringify(created),
  };
  const all = Object.entries(members).map(([name, value]) => `"${name}":${value}`);
  return `{${all.join(",")}}\n`;
}

/** JSON text on one line. Other text is kept as text. */
function objectText(value: string | null): string {
  if (value === null || value === "") return "null";
  try {
    JSON.parse(value);
    // A line feed in valid JSON is between values.
    return value.replaceAll(/[\r\n]/g, " ");
  } catch {
    return JSON.stringify(value);
  }
}
