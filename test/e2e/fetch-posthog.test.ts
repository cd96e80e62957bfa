import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/base/day.js";
import { type ServedVendor, serveVendor } from "../fetch/vendors/serve-vendor.js";
import { SimulatedPosthog } from "../fetch/vendors/simulated-posthog.js";
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

  it("tells of a server that has no such exports", async () => {
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
      /PostHog answers 404.* export the events to a bucket.*\[vendor_refused\]/s,
    );
  });
});

async function* textBody(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
