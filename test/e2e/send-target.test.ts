import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

interface Request {
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: { readonly events: readonly Readonly<Record<string, unknown>>[] };
}

const servers: { close(): unknown }[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Starts a service that accepts everything; returns its address and what it got. */
async function startService() {
  const requests: Request[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(pieces).toString()) as Request["body"];
      requests.push({ url: request.url ?? "", headers: request.headers, body });
      response.writeHead(202, { "content-type": "application/json" }).end('{"success":true}');
    });
  });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { requests, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const rows = Array.from({ length: 1_203 }, (_, index) => ({
  event_type: index % 2 === 0 ? "$pageview" : "checkout",
  event_time: new Date(Date.UTC(2026, 0, 10) + index).toISOString(),
  user_id: index % 3 === 0 ? null : `u${index}`,
  device_id: `d${index}`,
  event_properties: { "page.path": "/a", n: index },
  user_properties: { email: "a@example.com", plan: "free" },
}));

test("events go to the address of the target in lists, as it reads them", async () => {
  const cwd = scratchDirectory("send-target");
  writeFileSync(join(cwd, "in.ndjson"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const { requests, base } = await startService();
  const run = (...args: string[]) =>
    runInProcess(["send", "in.ndjson", "--target", "statsig", "--repair", ...args], {
      cwd,
      env: { SWITCHYARD_SERVER_SECRET: "secret-of-target" },
    });
  const sent = await run("--to", `${base}/v1/log_event`, "--concurrency", "1", "--runs", "runs");
  expect(sent).toMatchObject({ exitCode: 0 });
  expect(requests.map(({ url, body }) => [url, body.events.length])).toEqual([
    ["/v1/log_event", 500],
    ["/v1/log_event", 500],
    ["/v1/log_event", 203],
  ]);
  expect(requests[0]?.headers).toMatchObject({ "statsig-api-key": "secret-of-target" });
  const events = requests.flatMap(({ body }) => body.events);
  expect(events).toEqual(
    rows.map((row, index) => ({
      eventName: index % 2 === 0 ? "auto:pageview" : "checkout",
      time: Date.parse(row.event_time),
      user: {
        ...(row.user_id === null ? {} : { userID: row.user_id }),
        customIDs: { stableID: row.device_id },
        email: "a@example.com",
        custom: { plan: "free" },
      },
      metadata: { page_dot_path: "/a", n: index },
    })),
  );
  const [id = ""] = readdirSync(join(cwd, "runs"));
  expect(existsSync(join(cwd, "runs", id, "renames.json"))).toBe(true);
  // The same command has nothing left to send; another base URL is the event webhook there.
  expect(await run("--to", `${base}/v1/log_event`, "--runs", "runs")).toMatchObject({
    exitCode: 0,
  });
  expect(requests).toHaveLength(3);
  await run("--to", base, "--runs", "runs", "--limit", "1");
  expect(requests.at(-1)?.url).toBe("/v1/webhooks/event_webhook");
});
