import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/base/day.js";
import type { Manifest } from "../../src/ledger/manifest.js";
import { type ServedVendor, serveVendor } from "../fetch/vendors/serve-vendor.js";
import { SimulatedAmplitude, type UploadedEvent } from "../fetch/vendors/simulated-amplitude.js";
import { SimulatedMixpanel } from "../fetch/vendors/simulated-mixpanel.js";
import { runInProcess, runSwitchyard } from "../support/command-line.js";
import { readDelivered } from "../support/delivered.js";
import { createRandom } from "../support/random.js";
import { hasS3Server, useS3Server } from "../support/s3-server.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("fetch");
const FIRST = Date.parse("2026-03-01T00:00:00Z");
const env = { AMPLITUDE_API_KEY: "key-of-amplitude", AMPLITUDE_SECRET_KEY: "secret-of-amplitude" };

const served: ServedVendor[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const vendor of served.splice(0)) await vendor.close();
});

/** Events of some days, one of them every 20 minutes, of which users are slow to upload some. */
function eventsUntil(days: number): readonly UploadedEvent[] {
  const random = createRandom(7);
  return Array.from({ length: days * 72 }, (_, number) => {
    const uploaded = FIRST + number * (HOUR_MS / 3);
    const time = new Date(uploaded - Math.floor(random() * 30 * HOUR_MS)).toISOString();
    const row = {
      event_type: `event ${number % 5}`,
      event_time: time.replace("T", " ").replace("Z", "000"),
      user_id: `user ${number % 40}`,
      device_id: null,
      uuid: `uuid-${number}`,
      $insert_id: `insert-${number}`,
      event_properties: { text: "x".repeat(200) },
    };
    return { uploaded, line: JSON.stringify(row) };
  });
}

interface Served {
  now: number;
  readonly days: number;
  readonly bytesMax?: number;
  readonly project?: number;
  readonly apiKey?: string;
}

async function start(options: Served) {
  const vendor = new SimulatedAmplitude({
    apiKey: env.AMPLITUDE_API_KEY,
    secretKey: env.AMPLITUDE_SECRET_KEY,
    ...options,
    now: () => options.now,
    events: eventsUntil(options.days),
  });
  const server = await serveVendor(vendor.send);
  served.push(server);
  return { vendor, url: server.url };
}

const fetchArgs = (url: string, to: string, ...more: readonly string[]) => [
  "fetch",
  "amplitude",
  "--from",
  "2026-03-01",
  "--to",
  to,
  "--host",
  url,
  ...more,
];

const textOf = (directory: string): string =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), "latin1")}`)
    .join("\n");

describe("fetch amplitude", () => {
  it("is killed again and again, and then has every event once, as the export has", async () => {
    const { url, vendor } = await start({ now: FIRST + 400 * HOUR_MS, days: 8, bytesMax: 3_000 });
    const to = join(scratch, "killed");
    const args = fetchArgs(url, to, "--until", "2026-03-09");
    let killed = 0;
    for (let run = 0; run < 6; run++) {
      const { signal } = await runSwitchyard(args, {
        env,
        started: (child) => {
          const wanted = vendor.requests + 2 + run;
          const timer = setInterval(() => {
            if (vendor.requests < wanted) return;
            clearInterval(timer);
            child.kill("SIGKILL");
          }, 1);
          child.once("close", () => clearInterval(timer));
        },
      });
      if (signal === "SIGKILL") killed += 1;
    }
    expect(killed).toBeGreaterThan(2);
    const { exitCode, stderr, stdout } = await runSwitchyard([...args, "--json"], { env });
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 8 * 72, failed: [] });
    expect(textOf(to)).not.toMatch(/(?:key|secret)-of-amplitude/);
    const again = JSON.parse((await runSwitchyard([...args, "--json"], { env })).stdout);
    expect(again).toMatchObject({ requests: 0, fetched: 0, rows: 8 * 72 });

    const days = join(scratch, "killed-days");
    const exported = await runInProcess(["export", to, "--to", days, "--format", "jsonl"]);
    expect(exported.exitCode, exported.stderr).toBe(0);
    const { rows } = JSON.parse(readFileSync(join(days, "manifest.json"), "utf8")) as Manifest;
    expect(rows).toMatchObject({ read: 8 * 72, delivered: 8 * 72, rejected: 0 });
    const delivered = await readDelivered(join(days, "events"));
    const ids = delivered.map(({ text }) => /insert-\d+/.exec(text)?.[0]);
    expect(new Set(ids).size).toBe(8 * 72);
  });

  it("goes up to the newest hour that is complete, and on from there", async () => {
    const clock = { now: FIRST + 30 * HOUR_MS + 60_000, days: 3 };
    const { url } = await start(clock);
    const to = join(scratch, "growing");
    const run = async () => {
      const { stdout } = await runInProcess(fetchArgs(url, to, "--json"), { env });
      const { until, rows } = JSON.parse(stdout) as { until: string; rows: number };
      return [until, rows];
    };
    vi.setSystemTime(clock.now);
    expect(await run()).toEqual(["2026-03-02T04:00Z", 28 * 3]);
    clock.now += HOUR_MS;
    vi.setSystemTime(clock.now);
    expect(await run()).toEqual(["2026-03-02T05:00Z", 29 * 3]);
    expect(readdirSync(to).filter((name) => name.endsWith(".zip"))).toEqual([
      "amplitude_187520_20260301T00_20260301T23.zip",
      "amplitude_187520_20260302T00_20260302T03.zip",
      "amplitude_187520_20260302T04_20260302T04.zip",
    ]);
  });

  it("ends with 130 when it is interrupted, and resumes", async () => {
    const { url } = await start({ now: FIRST + 99 * HOUR_MS, days: 2 });
    const to = join(scratch, "interrupted");
    const until = ["--until", "2026-03-03"];
    const controller = new AbortController();
    const busy = await serveVendor(async () => {
      controller.abort();
      return { status: 503, headers: {}, body: textBody("busy") };
    });
    served.push(busy);
    const { signal } = controller;
    const stopped = await runInProcess(fetchArgs(busy.url, to, ...until), { env, signal });
    expect([stopped.exitCode, stopped.stderr]).toEqual([
      130,
      expect.stringMatching(/same command fetches the rest.*\[interrupted\]/),
    ]);
    const { stdout } = await runInProcess(fetchArgs(url, to, ...until, "--json"), { env });
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, rows: 144 });
  });

  it("keeps projects apart in one directory, and never replaces a file", async () => {
    const to = join(scratch, "projects");
    const fetchWith = async (project: number, apiKey: string) => {
      const { url } = await start({ now: FIRST + 99 * HOUR_MS, days: 2, project, apiKey });
      const args = fetchArgs(url, to, "--until", "2026-03-03", "--json");
      return runInProcess(args, { env: { ...env, AMPLITUDE_API_KEY: apiKey } });
    };
    for (const [project, key] of [
      [1, "one"],
      [2, "two"],
      [1, "one"],
    ] as const) {
      const { stdout } = await fetchWith(project, key);
      expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, rows: 144 });
    }
    const zips = () =>
      readdirSync(to)
        .filter((name) => name.endsWith(".zip"))
        .map((name) => `${name} ${readFileSync(join(to, name), "base64")}`);
    const before = zips();
    expect(before).toHaveLength(4);
    const { exitCode, stderr } = await fetchWith(1, "renewed");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("[output_occupied]")]);
    expect(zips()).toEqual(before);
  });

  it("shows what it would ask for, and asks nothing", async () => {
    const { url, vendor } = await start({ now: FIRST + 400 * HOUR_MS, days: 3 });
    const to = join(scratch, "planned");
    const args = fetchArgs(url, to, "--until", "2026-03-03T06:00Z", "--dry-run");
    const { exitCode, stdout } = await runInProcess(args, { env });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/windows +3 or more, up to 54 .*\n.*requests +3 or more\n.*4 windows/);
    expect(stdout).not.toMatch(/limits|billed/);
    expect([vendor.requests, existsSync(to)]).toEqual([0, false]);
  });

  it.each([
    [
      "a wrong key",
      { AMPLITUDE_SECRET_KEY: "wrong" },
      1,
      "vendor_key_refused",
      /403: Invalid API key/,
    ],
    ["no key", { AMPLITUDE_API_KEY: "" }, 2, "vendor_key_missing", /AMPLITUDE_API_KEY is not set/],
  ])("refuses %s, and never prints one", async (_, change, exitCode, code, words) => {
    const { url } = await start({ now: FIRST + 400 * HOUR_MS, days: 1 });
    const args = fetchArgs(url, join(scratch, code), "--until", "2026-03-02");
    const result = await runInProcess(args, { env: { ...env, ...change } });
    expect([result.exitCode, result.stderr]).toEqual([exitCode, expect.stringMatching(words)]);
    expect(result.stderr).toContain(`[${code}]`);
    expect(result.stdout + result.stderr).not.toMatch(/(?:key|secret)-of-amplitude/);
  });

  it("does not take the 404 of another server for an hour without events", async () => {
    const page = async () => ({ status: 404, headers: {}, body: textBody("<h1>Not Found</h1>") });
    const server = await serveVendor(page);
    served.push(server);
    const args = fetchArgs(server.url, join(scratch, "proxy"), "--until", "2026-03-02");
    const { exitCode, stderr } = await runInProcess(args, { env });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/Amplitude answers 404: Not Found\. .*\[vendor_refused\]/s);
  });

  it("tells of an hour that is too large for the API, and fetches all others", async () => {
    const { url } = await start({ now: FIRST + 400 * HOUR_MS, days: 1, bytesMax: 300 });
    const args = fetchArgs(url, join(scratch, "large"), "--until", "2026-03-02T02:00Z", "--json");
    const { exitCode, stdout } = await runInProcess(args, { env });
    expect(exitCode).toBe(1);
    const { failed, windows, rows } = JSON.parse(stdout);
    expect(failed).toHaveLength(24);
    expect(failed[0].message).toMatch(/uploads of 20260301T\d\d: .* too large\. .*S3/);
    expect([windows, rows]).toEqual([1, 0]);
  });

  it.skipIf(!hasS3Server())("writes into a bucket, with the files of a directory", async () => {
    const { url } = await start({ now: FIRST + 400 * HOUR_MS, days: 2, bytesMax: 6_000 });
    const until = ["--until", "2026-03-03"];
    const local = join(scratch, "local");
    expect((await runInProcess(fetchArgs(url, local, ...until), { env })).exitCode).toBe(0);
    const store = await useS3Server();
    await store.createBucket("fetched");
    const args = fetchArgs(url, "s3://fetched/raw", ...until, ...store.flags, "--json");
    const keys = { ...env, AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "testsecret" };
    const first = await runInProcess(args, { env: keys });
    expect(first.exitCode, first.stderr).toBe(0);
    const copy = join(scratch, "downloaded");
    await store.download("fetched", "raw/", copy);
    const zips = (directory: string) =>
      readdirSync(directory).filter((name) => name.endsWith(".zip"));
    expect(zips(copy).length).toBeGreaterThan(1);
    expect(zips(copy).sort()).toEqual(zips(local).sort());
    const again = JSON.parse((await runInProcess(args, { env: keys })).stdout);
    expect(again).toMatchObject({ requests: 0, rows: 2 * 72 });
  });
});

describe("fetch mixpanel", () => {
  const keys = { MIXPANEL_USERNAME: "user", MIXPANEL_SECRET: "secret" };
  const began = Date.now();
  const now = () => FIRST + 99 * DAY_MS + Date.now() - began;
  const count = 40;
  const events = Array.from({ length: count * 30 }, (_, number) => {
    const day = FIRST + (number % count) * DAY_MS;
    const properties = {
      time: day + number,
      distinct_id: `u${number % 7}`,
      $insert_id: `i${number}`,
    };
    return { time: day + number, line: JSON.stringify({ event: "viewed", properties }) };
  });
  const args = (url: string, to: string, ...more: readonly string[]) => [
    "fetch",
    "mixpanel",
    "--from",
    "2026-03-01",
    "--to",
    to,
    "--host",
    url,
    ...more,
  ];

  it("asks for more days at a time as their answers are small, and has each event once", async () => {
    const vendor = new SimulatedMixpanel({ now, events });
    const server = await serveVendor(vendor.send);
    served.push(server);
    const to = join(scratch, "mixpanel");
    const more = ["--project", "12", "--until", "2026-04-10", "--json"];
    const { exitCode, stdout, stderr } = await runInProcess(args(server.url, to, ...more), {
      env: keys,
    });
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ rows: events.length, failed: [] });
    expect(vendor.requests).toBeLessThan(12);
    const days = join(scratch, "mixpanel-days");
    const exported = await runInProcess([
      "export",
      to,
      "--preset",
      "mixpanel",
      "--to",
      days,
      "--json",
    ]);
    expect(JSON.parse(exported.stdout)).toMatchObject({
      rows: { read: events.length, delivered: events.length },
    });
  });

  it("plans the hours that its limits allow, and what a recheck asks again", async () => {
    const vendor = new SimulatedMixpanel({ now, events });
    const server = await serveVendor(vendor.send);
    served.push(server);
    const to = join(scratch, "mixpanel-planned");
    const more = ["--project", "12", "--until", "2026-03-05"];
    const asked = args(server.url, to, ...more);
    expect((await runInProcess(asked, { env: keys })).exitCode).toBe(0);
    const { requests } = vendor;
    const longer = args(server.url, to, "--project", "12", "--until", "2029-03-01");
    vi.setSystemTime(Date.parse("2030-01-01"));
    const { stdout } = await runInProcess([...longer, "--dry-run"], { env: keys });
    expect(stdout).toMatch(/windows +\d+ or more, up to 1,092 .*\n.*requests +\d+ or more\n/);
    expect(stdout).toMatch(/limits +60 requests in .*1 request in/);
    expect(stdout).toMatch(/at least \d+ s by these limits, 18:18:00 h for 1,092 windows/);
    const again = await runInProcess([...asked, "--recheck", "2d", "--dry-run"], { env: keys });
    expect(again.stdout).toMatch(/windows +[12]\b.*; there and asked again: [12]\n/);
    expect(vendor.requests).toBe(requests);
  });

  it.each([
    [[], 2, "fetch_incomplete", /pass --project <id>/],
    [
      ["--project", "12", "--region", "in", "--until", "2026-03-02T05:00Z"],
      2,
      "fetch_span_invalid",
      /whole day/,
    ],
    [
      ["--project", "13", "--until", "2026-03-03"],
      1,
      "vendor_key_refused",
      /No access to this project/,
    ],
  ] as const)("refuses %j", async (more, exitCode, code, words) => {
    const vendor = new SimulatedMixpanel({ now, events });
    const server = await serveVendor(vendor.send);
    served.push(server);
    const result = await runInProcess(args(server.url, join(scratch, code), ...more), {
      env: keys,
    });
    expect([result.exitCode, result.stderr]).toEqual([exitCode, expect.stringMatching(words)]);
    expect(result.stderr).toContain(`[${code}]`);
  });
});

async function* textBody(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
