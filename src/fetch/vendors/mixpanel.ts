import { DAY_MS, HOUR_MS } from "../../base/day.js";
import { option } from "../../base/option-text.js";
import { checkLines } from "../check-lines.js";
import type { VendorAnswer } from "../http.js";
import { canonical } from "../late-rows.js";
import { limitedVerdict, usualVerdict } from "../usual-verdict.js";
import type { Vendor, Verdict } from "../vendor.js";
import type { Window } from "../windows.js";

const PATH = "/api/2.0/export";

/** Regions of Mixpanel and the origins of their export APIs. */
export const mixpanelOrigins = {
  us: "https://data.mixpanel.com",
  eu: "https://data-eu.mixpanel.com",
  in: "https://data-in.mixpanel.com",
} as const;

/** Days are those of the project: one is over everywhere 12 hours after its end in UTC. */
const DELAY_MS = 14 * HOUR_MS;

/** Compressed bytes of one answer: a few minutes of a usual connection. */
const ANSWER_BYTES = 256 * 1024 * 1024;

/** The pauses after a 429 without `Retry-After`, by the limit that it names. */
const HOURLY_LIMIT_MS = 5 * 60_000;
const OTHER_LIMIT_MS = 15_000;

interface MixpanelOptions {
  readonly username: string;
  readonly secret: string;
  readonly project: string;
  readonly region: string;
  /** Such as `https://data.mixpanel.com`. */
  readonly origin: string;
}

/**
 * The raw export of Mixpanel. Days are those of the project's time zone; both days of a request are included.
 * It may have more events of a day for days after it.
 */
export function mixpanel(options: MixpanelOptions): Vendor {
  const { username, secret, project, region, origin } = options;
  const credentials = `${username}:${secret}`;
  const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  return {
    name: "mixpanel",
    title: "Mixpanel",
    account: `mixpanel-${region}-${project}`,
    secrets: [secret, credentials],
    unitMs: DAY_MS,
    firstMs: DAY_MS,
    longestMs: 30 * DAY_MS,
    answerBytes: ANSWER_BYTES,
    // Mixpanel takes 60 an hour and three a second, and counts them when they arrive, which may be later.
    limits: [
      { requests: 60, ms: HOUR_MS + 60_000 },
      { requests: 1, ms: 1_000 },
    ],
    windowRequests: 1,
    concurrency: 3,
    keyOf,
    tooLargeAdvice:
      "Export the day with a JSON pipeline: https://docs.mixpanel.com/docs/data-pipelines",
    completeUntil: (now) => Math.floor((now - DELAY_MS) / DAY_MS) * DAY_MS,
    describe: (window) => `Mixpanel, ${daysText(window, " to ")}`,
    download: (window, tools) => {
      const url = new URL(PATH, origin);
      url.searchParams.set("project_id", project);
      url.searchParams.set("from_date", dayText(window.start));
      url.searchParams.set("to_date", dayText(lastDayOf(window)));
      url.searchParams.set("time_in_ms", "true");
      // The checksum of gzip is the only proof that an answer is whole.
      const headers = { authorization, "accept-encoding": "gzip" };
      const name = `mixpanel_${project}_${daysText(window, "_")}`;
      return tools.ask({
        request: { method: "GET", url, headers },
        judge,
        receive: ({ body, headers: received }) => {
          const isGzip = received["content-encoding"] === "gzip";
          const check = (path: string) => checkLines(path, name, tools.signal, { isGzip });
          return tools.store(body, check);
        },
      });
    },
  };
}

interface ExportedRow {
  readonly event?: unknown;
  readonly properties?: { readonly time?: unknown; readonly $insert_id?: unknown };
}

/**
 * The key by which Mixpanel removes duplicates, without the user id: that of a row changes when users are
 * merged. Rows without an insert id are compared as a whole.
 */
function keyOf(line: string): string {
  const row = JSON.parse(line) as ExportedRow;
  const { time, $insert_id: id } = row.properties ?? {};
  return canonical(id === undefined ? row : [row.event, time, id]);
}

function lastDayOf({ end }: Window): number {
  return end - DAY_MS;
}

function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function daysText(window: Window, between: string): string {
  const [first, last] = [dayText(window.start), dayText(lastDayOf(window))];
  return first === last && between !== "_" ? first : `${first}${between}${last}`;
}

const KEY_ADVICE =
  "Check MIXPANEL_USERNAME and MIXPANEL_SECRET (Organization Settings, Service Accounts), that the " +
  `account is a member of the project, ${option("project")} and ${option("region")}`;

function judge(
  { status, headers }: Pick<VendorAnswer, "status" | "headers">,
  words: string,
): Verdict {
  if (status !== 429) return usualVerdict(status, KEY_ADVICE);
  // "… 61/60 queries running in the last hour …"
  const [, count, max] = /(\d+)\/(\d+) queries running in the last hour/.exec(words) ?? [];
  const isHourly = Number(count) > Number(max);
  return limitedVerdict({ headers }, isHourly ? HOURLY_LIMIT_MS : OTHER_LIMIT_MS);
}
