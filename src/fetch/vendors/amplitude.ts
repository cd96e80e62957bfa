import { createHash } from "node:crypto";
import { DAY_MS, HOUR_MS } from "../../base/day.js";
import { SourceError } from "../../base/errors.js";
import { option } from "../../base/option-text.js";
import { sum } from "../../base/sum.js";
import { checkZip } from "../check-zip.js";
import type { VendorAnswer } from "../http.js";
import { limitedVerdict, usualVerdict } from "../usual-verdict.js";
import type { CheckedFile, Vendor, Verdict } from "../vendor.js";
import { stampOf } from "../window-files.js";
import type { Window } from "../windows.js";

const PATH = "/api/2/export";

/** Regions of Amplitude and the origins of their APIs. */
export const amplitudeOrigins = {
  us: "https://amplitude.com",
  eu: "https://analytics.eu.amplitude.com",
} as const;

/** Events that are uploaded in an hour can be exported two hours after its end. */
const DELAY_MS = 2 * HOUR_MS;

/** Amplitude's REST API takes five at a time, from all programs with the key. */
const CONCURRENCY = 4;

/** The pause after a 429 without `Retry-After`. */
const LIMITED_MS = 60_000;

interface AmplitudeOptions {
  readonly apiKey: string;
  readonly secretKey: string;
  /** Such as `https://amplitude.com`. */
  readonly origin: string;
}

/**
 * The Export API of Amplitude. An hour has the events that were uploaded in it, whatever their own time is;
 * both hours of a request are included.
 */
export function amplitude({ apiKey, secretKey, origin }: AmplitudeOptions): Vendor {
  const credentials = `${apiKey}:${secretKey}`;
  const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  return {
    name: "amplitude",
    title: "Amplitude",
    account: `amplitude-${createHash("sha256").update(apiKey).digest("hex").slice(0, 12)}`,
    secrets: [apiKey, secretKey, credentials],
    unitMs: HOUR_MS,
    firstMs: DAY_MS,
    longestMs: DAY_MS,
    limits: [],
    windowRequests: 1,
    concurrency: CONCURRENCY,
    tooLargeAdvice:
      "An hour of more than 4 GB comes only with Amplitude's export to S3, Google Cloud Storage or Azure: " +
      "https://amplitude.com/docs/data/destination-catalog/amazon-s3",
    completeUntil: (now) => Math.floor((now - DELAY_MS) / HOUR_MS) * HOUR_MS,
    describe: (window) => `Amplitude, uploads of ${hoursText(window)}`,
    download: (window, tools) => {
      const url = new URL(PATH, origin);
      url.searchParams.set("start", stampOf(window.start));
      url.searchParams.set("end", stampOf(lastHourOf(window)));
      return tools.ask({
        request: { method: "GET", url, headers: { authorization } },
        judge,
        receive: ({ body }) => tools.store(body, (path) => check(path, window, tools.signal)),
      });
    },
  };
}

/** The API names an hour by its beginning. */
function lastHourOf({ end }: Window): number {
  return end - HOUR_MS;
}

function hoursText(window: Window): string {
  const [first, last] = [stampOf(window.start), stampOf(lastHourOf(window))];
  return first === last ? first : `${first} to ${last}`;
}

const KEY_ADVICE =
  "Check AMPLITUDE_API_KEY and AMPLITUDE_SECRET_KEY (Settings, Projects, General), and the region: " +
  `projects in the EU need ${option("region")} eu`;

function judge(
  { status, headers }: Pick<VendorAnswer, "status" | "headers">,
  words: string,
): Verdict {
  // Another 404 may be that of a proxy: it must not pass for an hour without events.
  if (status === 404 && /raw data files were not found/i.test(words)) return { kind: "nothing" };
  if (status === 400 && /too large/i.test(words)) return { kind: "too_large" };
  if (status === 429) return limitedVerdict({ headers }, LIMITED_MS);
  return usualVerdict(status, KEY_ADVICE);
}

/** `<project>/<project>_2026-01-31_7#0.json.gz`, with the hour of the upload. */
const memberName = /^(?:.*\/)?(\d+)_(\d{4}-\d\d-\d\d)_(\d{1,2})#\d+\.json\.gz$/;

async function check(
  path: string,
  window: Window,
  signal: AbortSignal,
): Promise<CheckedFile | undefined> {
  const members = await checkZip(path, signal);
  const rows = sum(members, (member) => member.rows);
  if (rows === 0) return undefined;
  const projects = new Set<string>();
  for (const { name } of members) {
    const [, project = "", day, hour] = memberName.exec(name) ?? [];
    const time = Date.parse(`${day}T${hour?.padStart(2, "0")}:00:00Z`);
    if (!(time >= window.start && time < window.end)) {
      throw new SourceError("source_corrupt", { source: name }, "its hour was not asked for");
    }
    projects.add(project);
  }
  const name = `amplitude_${[...projects].sort().join("-")}_${stampOf(window.start)}_${stampOf(lastHourOf(window))}.zip`;
  return { name, members: members.length, rows };
}
