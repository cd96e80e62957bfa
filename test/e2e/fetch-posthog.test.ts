import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/base/day.js";
import { type ServedVendor, serveVendor } from "../fetch/vendors/serve-vendor.js";
import { SimulatedPosthog } from "../fetch/vendors/simulated-posthog.js";
import { SimulatedPosthogQueries } from "../fetch/vendors/simulated-posthog-queries.js";
import { runInProcess } from "../support/command-line.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("fetch-posthog");
const FIRST = Date.parse("2026-03-01T00:00:00Z");

const served: ServedVendor[] = [];
afterEach(async () => {
  for (const vendor of served.splice(0)) await vendor.close();
});

const textOf = (directory: string): string =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), "latin1")}`)
    .join("\n");

describe("fetch posthog", () => {
  const keys = { POSTHOG_PERSONAL_API_KEY: "phx_key-of-posthog" };
  const events = Array.from({ length: 600 }, (_, number) => {
    const received = FIRST + Math.floor(number * 0.4 * HOUR_MS);
    const row = {
      uuid: `uuid-${number}`,
      event: "viewed",
      timestamp: new Date(received - 60_000).toISOString(),
      distinct_id: `u${number % 7}`,
      properties: { number },
    };
    return { received, line: JSON.stringify(row) };
  });
  const args = (url: string, to: string, ...more: readonly string[]) => [
    ..."fetch posthog --project 12 --from 2026-03-01 --until 2026-03-11 --host".split(" "),
    url,
    "--to",
    to,
    ...more,
  ];
  const posthogWith = async (options: { readonly workMs: number; readonly isOld?: boolean }) => {
    const now = () => FIRST + 99 * DAY_MS + Date.now();
    const key = keys.POSTHOG_PERSONAL_API_KEY;
    const vendor = new SimulatedPosthog({ now, events, key, random: createRandom(1), ...options });
    const server = await serveVendor(vendor.send);
    served.push(server);
    return { vendor, url: server.url };
  };

  it("goes on with exports that were begun before it was stopped, because rows are billed", async () => {
    const { vendor, url } = await posthogWith({ workMs: 3_000 });
    const to = join(scratch, "posthog");
    const controller = new AbortController();
    const stopping = runInProcess(args(url, to), { env: keys, signal: controller.signal });
    await expect.poll(() => vendor.requests).toBeGreaterThan(3);
    controller.abort();
    expect((await stopping).exitCode).toBe(130);
    const { exitCode, stdout, stderr } = await runInProcess(args(url, to, "--json"), { env: keys });
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 600, failed: [] });
    expect(vendor.billed).toBe(600);
    expect(textOf(to)).not.toMatch(/key-of-posthog|secret-of/);
    const days = join(scratch, "posthog-days");
    const exported = await runInProcess([
      "export",
      to,
      "--preset",
      "posthog",
      "--to",
      days,
      "--json",
    ]);
    expect(JSON.parse(exported.stdout)).toMatchObject({ rows: { read: 600, delivered: 600 } });
  });

  it("asks the query API of a server without exports, and goes on with it", async () => {
    const stored = events.map(({ received, line }) => {
      const { uuid, distinct_id: distinctId, timestamp } = JSON.parse(line);
      const time = `${timestamp.slice(0, 23).replace("T", " ")}001`;
      const arrives = received + (uuid === "uuid-7" ? 20 * DAY_MS : 0);
      const properties = '{"number":12345678901234567890}';
      return { uuid, time, distinctId, properties, personProperties: "", arrives };
    });
    let at = FIRST + 12 * DAY_MS;
    const key = keys.POSTHOG_PERSONAL_API_KEY;
    const vendor = new SimulatedPosthogQueries({
      now: () => at,
      events: stored,
      key,
      random: createRandom(1),
    });
    const server = await serveVendor(vendor.send);
    served.push(server);
    const to = join(scratch, "posthog-queried");
    const run = () =>
      runInProcess(args(server.url, to, "--recheck", "10d", "--json"), { env: keys });
    const first = await run();
    expect(first.exitCode, first.stderr).toBe(0);
    expect(first.stderr).toMatch(/no exports of files.* PostHog's query API is asked instead/);
    const rows = stored.filter(({ time }) => time >= "2026-03-01").length;
    expect(JSON.parse(first.stdout)).toMatchObject({ rows: rows - 1, failed: [] });
    at += 30 * DAY_MS;
    const later = await run();
    expect(later.stderr).not.toMatch(/no exports of files/);
    expect(JSON.parse(later.stdout)).toMatchObject({ rows, lateRows: 1 });
    const days = join(scratch, "posthog-queried-days");
    const more = ["--preset", "posthog", "--format", "jsonl", "--to", days, "--json"];
    const exported = await runInProcess(["export", to, ...more]);
    expect(JSON.parse(exported.stdout)).toMatchObject({ rows: { read: rows, delivered: rows } });
    expect(textOf(days)).toContain("12345678901234567890");
  });

  it("tells of a server that has neither exports nor queries", async () => {
    const server = await serveVendor(async () => ({
      status: 404,
      headers: {},
      body: textBody('{"detail": "Not found."}'),
    }));
    served.push(server);
    const to = join(scratch, "posthog-old");
    const { exitCode, stderr } = await runInProcess(args(server.url, to), { env: keys });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /PostHog's query API answers 404.* export the events to a bucket.*\[vendor_refused\]/s,
    );
  });
});

async function* textBody(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
