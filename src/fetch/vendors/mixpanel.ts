import { open, stat } from "node:fs/promises";
import { DAY_MS, HOUR_MS } from "../../base/day.js";
import { SourceError } from "../../base/errors.js";
import { option } from "../../base/option-text.js";
import { fileState, fingerprintFile } from "../../sources/fingerprint.js";
import type { VendorAnswer } from "../http.js";
import { readLines } from "../read-lines.js";
import { usualVerdict } from "../usual-verdict.js";
import type { CheckedFile, Vendor, Verdict } from "../vendor.js";
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

/** Bodies up to this size come without compression. */
const PLAIN_BYTES_MAX = 1_400;

/** Compressed bytes of one answer: a few minutes of a usual connection. */
const ANSWER_BYTES = 256 * 1024 * 1024;

/** The pauses after a 429, by the limit that it names. */
const HOURLY_LIMIT_MS = 5 * 60_000;
const OTHER_LIMIT_MS = 15_000;

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

export interface MixpanelOptions {
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
  const authorization = `Basic ${Buffer.from(`${username}:${secret}`).toString("base64")}`;
  return {
    name: "mixpanel",
    title: "Mixpanel",
    account: `mixpanel-${region}-${project}`,
    unitMs: DAY_MS,
    firstMs: DAY_MS,
    longestMs: 30 * DAY_MS,
    answerBytes: ANSWER_BYTES,
    // Mixpanel takes 60 an hour and three a second, and counts them when they arrive, which may be later.
    limits: [
      { requests: 60, ms: HOUR_MS + 60_000 },
      { requests: 1, ms: 1_000 },
    ],
    concurrency: 3,
    tooLargeAdvice:
      "Export the day with a JSON pipeline: https://docs.mixpanel.com/docs/data-pipelines",
    completeUntil: (now) => Math.floor((now - DELAY_MS) / DAY_MS) * DAY_MS,
    describe: (window) => `Mixpanel, ${daysText(window, " to ")}`,
    request: (window) => {
      const url = new URL(PATH, origin);
      url.searchParams.set("project_id", project);
      url.searchParams.set("from_date", dayText(window.start));
      url.searchParams.set("to_date", dayText(lastDayOf(window)));
      url.searchParams.set("time_in_ms", "true");
      // The checksum of gzip is the only proof that an answer is whole.
      return { method: "GET", url, headers: { authorization, "accept-encoding": "gzip" } };
    },
    judge,
    check: (path, window, signal) =>
      check(path, `mixpanel_${project}_${daysText(window, "_")}`, signal),
  };
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
  _window: Window,
  { status }: Pick<VendorAnswer, "status" | "headers">,
  words: string,
): Verdict {
  if (status !== 429) return usualVerdict(status, KEY_ADVICE);
  // "… 61/60 queries running in the last hour …"
  const [, count, max] = /(\d+)\/(\d+) queries running in the last hour/.exec(words) ?? [];
  return { kind: "later", waitMs: Number(count) > Number(max) ? HOURLY_LIMIT_MS : OTHER_LIMIT_MS };
}

async function check(
  path: string,
  name: string,
  signal: AbortSignal,
): Promise<CheckedFile | undefined> {
  const state = fileState(await stat(path));
  if (state.size === 0) return undefined;
  const head = await headOf(path);
  const isGzip = head.equals(GZIP_MAGIC);
  if (!isGzip && state.size > PLAIN_BYTES_MAX) {
    throw damaged(name, "it is not compressed, so that nothing shows whether it is whole");
  }
  const fingerprint = fingerprintFile(state, [head]);
  const codecs = isGzip ? (["gzip"] as const) : [];
  const source = { name, path, codecs, size: state.size, fingerprint };
  const { lines, isEnded, lastEnds } = await readLines(source, signal);
  if (lines === 0) return undefined;
  if (!isEnded || lastEnds !== "{}") throw damaged(name, "it does not end with a whole row");
  return { name: `${name}.jsonl${isGzip ? ".gz" : ""}`, members: 1, rows: lines };
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(GZIP_MAGIC.length));
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function damaged(source: string, reason: string): SourceError {
  return new SourceError("source_corrupt", { source }, reason);
}
