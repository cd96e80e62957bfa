import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { DAY_MS } from "../../src/base/day.js";
import type { VendorAnswer } from "../../src/fetch/http.js";
import { Requests } from "../../src/fetch/requests.js";
import type { Vendor } from "../../src/fetch/vendor.js";
import { amplitude } from "../../src/fetch/vendors/amplitude.js";
import { mixpanel } from "../../src/fetch/vendors/mixpanel.js";
import { posthog } from "../../src/fetch/vendors/posthog.js";
import { WindowFiles } from "../../src/fetch/window-files.js";
import { directoryFiles } from "../../src/output/directory-files.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("fetch-requests");
const start = Date.parse("2025-01-01T00:00:00Z");
const window = { start, end: start + DAY_MS };

const vendors = {
  amplitude: amplitude({ apiKey: "AK123456", secretKey: "SEKRET99", origin: "https://a.example" }),
  mixpanel: mixpanel({
    username: "mpuser",
    secret: "SEKRET99",
    project: "9",
    region: "us",
    origin: "https://m.example",
  }),
  posthog: posthog({ key: "phx_SEKRET99", project: "42", origin: "https://p.example" }),
};

type Answer = readonly [status: number, body: string | Buffer, headers?: VendorAnswer["headers"]];

/** Downloads a window from a vendor that gives the answers one after another. */
async function download(vendor: Vendor, ...answers: readonly Answer[]) {
  let now = start + 30 * DAY_MS;
  const clock = {
    now: () => now,
    async sleep(ms: number) {
      now += ms;
    },
  };
  const files = new WindowFiles(directoryFiles(scratch), vendor.account);
  await files.clear();
  const notes: string[] = [];
  let count = 0;
  const send = async () => {
    const [status, body, headers = {}] = answers[count++] ?? [500, "no further answer"];
    return { status, headers, body: once(body) };
  };
  const observer = { note: (text: string) => void notes.push(text) };
  const { signal } = new AbortController();
  const tools = { send, clock, random: () => 0.5, signal };
  const requests = new Requests({ vendor, files, observer }, tools, []);
  const ended = requests.download(window, undefined, signal).catch((error: unknown) => error);
  return { result: await ended, notes, requests: count };
}

async function* once(body: string | Buffer): VendorAnswer["body"] {
  yield Buffer.from(body);
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

it.each([
  [
    "amplitude",
    [[403, "Invalid key AK123456 SEKRET99"]],
    /Invalid key \(the secret\) \(the secret\)/,
  ],
  ["amplitude", [[400, `No: ${basic("AK123456:SEKRET99")}`]], /No: Basic \(the secret\)/],
  ["amplitude", [[403, `${"x".repeat(295)} SEKRET99`]], /x \(the…/],
  ["mixpanel", [[401, '{"error":"Invalid mpuser:SEKRET99"}']], /Invalid \(the secret\)/],
  ["posthog", [[401, "not phx_SEKRET99"]], /not \(the secret\)/],
  [
    "posthog",
    [
      [202, '{"id":"r1"}'],
      [200, '{"status":"Failed","error":"boom phx_SEKRET99"}'],
    ],
    /ends with Failed: boom \(the secret\)/,
  ],
] as const)(
  "an error of %s has no key that the vendor repeats: %#",
  async (name, answers, words) => {
    const { result } = await download(vendors[name], ...answers);
    expect(result).toMatchObject({ message: expect.stringMatching(words) });
    expect(String(result)).not.toMatch(/SEK/);
  },
);

it("a note has no key that the vendor repeats", async () => {
  const terminated = '{"status":"Terminated","error":"boom phx_SEKRET99"}';
  const answers = [
    [503, "busy phx_SEKRET99"],
    [202, '{"id":"r1"}'],
    [200, terminated],
    [401, ""],
  ] as const;
  const { notes } = await download(vendors.posthog, ...answers);
  expect(notes.join("\n")).toMatch(/busy \(the secret\).*Terminated: boom \(the secret\)/s);
  expect(notes.join("\n")).not.toContain("SEKRET99");
});

it.each([
  ["mixpanel", { "retry-after": "30" }, "30 s"],
  ["mixpanel", {}, "15 s"],
  ["amplitude", { "retry-after": "7" }, "7 s"],
  ["amplitude", {}, "60 s"],
  ["posthog", { "retry-after": "Wed, 01 Jan 2025 00:00:00 GMT" }, "60 s"],
] as const)("%s waits after a 429 with %j for %s", async (name, headers, time) => {
  const { notes } = await download(vendors[name], [429, "slow down", headers], [401, ""]);
  expect(notes).toEqual([expect.stringContaining(`slow down; again in ${time}`)]);
});

it.each([
  ["compressed", gzipSync(""), { "content-encoding": "gzip" }],
  ["plain", "", {}],
])("a %s answer without rows is a day without events", async (_, body, headers) => {
  const { result, requests } = await download(vendors.mixpanel, [200, body, headers]);
  expect([result, requests]).toEqual([undefined, 1]);
});

it.each([
  ["empty", ""],
  ["cut off", gzipSync("").subarray(0, 12)],
])("a compressed answer that is %s is asked for again", async (_, body) => {
  const cut = [200, body, { "content-encoding": "gzip" }] as const;
  const whole = [200, gzipSync('{"event":"e"}\n'), { "content-encoding": "gzip" }] as const;
  const { result, requests } = await download(vendors.mixpanel, cut, whole);
  expect(result).toMatchObject({ rows: 1 });
  expect(requests).toBe(2);
});
