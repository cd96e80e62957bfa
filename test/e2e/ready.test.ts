import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { afterEach, expect, test, vi } from "vitest";
import { DAY_MS } from "../../src/base/day.js";
import { loadTarget } from "../../src/target/targets.js";
import { runInProcess } from "../support/command-line.js";
import { startGcsServer } from "../support/gcs-server.js";
import { scratchDirectory } from "../support/scratch.js";

const servers: { close(): unknown }[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Writes events of these days, at noon of -08:00. */
function writeRows(file: string, days: readonly string[], rows: number): void {
  const lines = days.flatMap((day) =>
    Array.from({ length: rows }, (_, index) =>
      JSON.stringify({
        event_type: "click",
        event_time: new Date(Date.parse(`${day}T20:00:00Z`) + index).toISOString(),
        user_id: `u${index}`,
        insert_id: `${file}-${day}-${index}`,
      }),
    ),
  );
  writeFileSync(file, `${lines.join("\n")}\n`);
}

function prepare(name: string) {
  const cwd = scratchDirectory(name);
  const run = (...words: string[]) =>
    runInProcess([...words, "--target", "statsig"], {
      cwd,
      env: { SWITCHYARD_SERVER_SECRET: "secret-of-target" },
    });
  const exportAll = () => run("export", ".", "--preset", "amplitude", "--repair", "--to", "out");
  const ready = async (...words: string[]) => {
    const ended = await run("ready", "out", "--json", ...words);
    return { ...ended, result: JSON.parse(ended.stdout) as Record<string, unknown> };
  };
  return { cwd, run, exportAll, ready };
}

async function markedDays(cwd: string): Promise<readonly unknown[]> {
  const bytes = readFileSync(join(cwd, "out/signals/days.parquet"));
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const rows = await parquetReadObjects({ file: file as ArrayBuffer });
  return rows.map((row) => row["finished_date"]);
}

test("finished days are listed in a file, once, and changed ones within the limit", async () => {
  const { cwd, run, exportAll, ready } = prepare("ready");
  writeRows(join(cwd, "a.json"), ["2026-01-03", "2026-01-04"], 10);
  const today = new Date(Date.now() - 8 * 3_600_000).toISOString().slice(0, 10);
  const tomorrow = new Date(Date.parse(today) + DAY_MS).toISOString().slice(0, 10);
  writeFileSync(
    join(cwd, "today.json"),
    `${JSON.stringify({ event_type: "click", event_time: new Date().toISOString(), user_id: "u" })}\n`,
  );
  expect(await exportAll()).toMatchObject({ exitCode: 0 });

  const planned = await ready("--dry-run");
  expect(planned).toMatchObject({ exitCode: 0, result: { dryRun: true } });
  expect(() => readFileSync(join(cwd, "out/signals/days.parquet"))).toThrow(/ENOENT/);

  const told = await ready();
  expect(told.result).toMatchObject({
    days: [
      { day: "2026-01-03", rows: 10, reload: false },
      { day: "2026-01-04", rows: 10, reload: false },
    ],
    unchanged: 0,
    reloadRows: 0,
  });
  expect([[today], [tomorrow]]).toContainEqual(told.result["held"]);
  expect(await markedDays(cwd)).toEqual(["2026-01-03", "2026-01-04"]);
  expect((await ready()).result).toMatchObject({ days: [], unchanged: 2 });

  // An increment adds to one day and brings another one.
  writeRows(join(cwd, "b.json"), ["2026-01-01", "2026-01-04"], 3);
  const configuration = { preset: "amplitude", repair: true, export: { to: "out" } };
  writeFileSync(join(cwd, "pipeline.config.json"), JSON.stringify(configuration));
  for (const [input, reloaded] of [
    [".", 13],
    ["b.json", 13],
    ["a.json", 0],
  ] as const) {
    const { stdout } = await run("validate", input, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ target: { reloaded } });
  }
  expect(await exportAll()).toMatchObject({ exitCode: 0 });
  const refused = await run("ready", "out", "--max-reload", "12");
  expect(refused).toMatchObject({ exitCode: 1 });
  expect(refused.stderr).toMatch(/would load 13 events of 1 day again.*\[reload_too_large\]/);
  expect(await markedDays(cwd)).toEqual(["2026-01-03", "2026-01-04"]);
  const { result } = await ready("--max-reload", "13");
  expect(result).toMatchObject({
    days: [
      { day: "2026-01-01", rows: 3, reload: false },
      { day: "2026-01-04", rows: 13, reload: true },
    ],
    unchanged: 1,
    reloadRows: 13,
  });
  expect(await markedDays(cwd)).toEqual(["2026-01-01", "2026-01-03", "2026-01-04"]);

  // Neither the file nor the record is in the way of other commands; joining files changes no day.
  for (const command of ["verify", "compact"]) {
    expect(await runInProcess([command, "out"], { cwd, env: {} })).toMatchObject({ exitCode: 0 });
  }
  expect((await ready()).result).toMatchObject({ days: [], unchanged: 3 });
  expect(await exportAll()).toMatchObject({ exitCode: 0 });
  expect(await markedDays(cwd)).toHaveLength(3);
});

test("the file is an object beside the days of an export in a store", async () => {
  const { endpoint, close } = await startGcsServer(["ready"]);
  servers.push({ close });
  process.env["STORAGE_EMULATOR_HOST"] = endpoint;
  const { cwd, run } = prepare("ready-stored");
  writeRows(join(cwd, "a.json"), ["2026-01-03", "2026-01-04"], 10);
  const place = "gs://ready/events";
  await run("export", "a.json", "--preset", "amplitude", "--repair", "--to", place);
  const told = await run("ready", place, "--json");
  expect(JSON.parse(told.stdout)).toMatchObject({
    exitCode: 0,
    days: [{ day: "2026-01-03" }, { day: "2026-01-04" }],
    marker: `${place}/signals/days.parquet`,
  });
  const url = `${endpoint}/storage/v1/b/ready/o/${encodeURIComponent("events/signals/days.parquet")}?alt=media`;
  const file = await (await fetch(url)).arrayBuffer();
  expect(await parquetReadObjects({ file })).toHaveLength(2);
  expect(JSON.parse((await run("ready", place, "--json")).stdout)).toMatchObject({
    days: [],
    unchanged: 2,
  });
});

test("days that are not those of the target, and exports that are not whole, are refused", async () => {
  const { cwd, run } = prepare("ready-refused");
  writeRows(join(cwd, "a.json"), ["2026-01-03"], 10);
  const to = ["--preset", "amplitude", "--to"];
  await run("export", "a.json", ...to, "utc");
  const zone = await run("ready", "utc");
  expect(zone).toMatchObject({ exitCode: 1 });
  expect(zone.stderr).toMatch(
    /are those of UTC, and Statsig counts days of -08:00.*ready_day_zone/,
  );
  await run("export", "a.json", ...to, "part", "--repair", "--limit", "5");
  expect((await run("ready", "part")).stderr).toMatch(/only the first rows.*\[ready_incomplete\]/);
  expect((await run("ready", "nothing")).stderr).toMatch(/manifest_missing/);
  const other = await runInProcess(["ready", "utc"], { cwd, env: {} });
  expect(other).toMatchObject({ exitCode: 2 });
  expect(other.stderr).toMatch(/pass --target statsig.*\[ready_useless\]/);
});

test("a call announces each day once, as far apart as the target wants", async () => {
  const { cwd } = prepare("ready-calls");
  const bodies: unknown[] = [];
  const answers = [429, 202, 500, 202, 202];
  const server = createServer((request, response: ServerResponse) => {
    request.on("data", (piece: Buffer) => {
      bodies.push([request.headers["x-key"], JSON.parse(piece.toString())]);
    });
    request.on("end", () => {
      const status = answers.shift() ?? 400;
      response.writeHead(status, status === 429 ? { "retry-after": "0" } : {}).end();
    });
  });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const call = { url: `http://127.0.0.1:${port}/ready`, authHeader: "X-Key", day: "date" };
  const target = {
    ...loadTarget("statsig"),
    name: "mine",
    ready: {
      call: { ...call, body: { type: "events" }, secondsApart: 0 },
      reload: "never",
      sources: [],
    },
  };
  writeFileSync(join(cwd, "mine.json"), JSON.stringify(target));
  const run = (...words: string[]) =>
    runInProcess([...words, "--target", "./mine.json"], {
      cwd,
      env: { SWITCHYARD_SERVER_SECRET: "secret-of-target" },
    });
  writeRows(join(cwd, "a.ndjson"), ["2026-01-03", "2026-01-04", "2026-01-05"], 2);
  await run("export", "a.ndjson", "--preset", "amplitude", "--repair", "--to", "out");
  const ended = await run("ready", "out", "--announce", "call");
  expect(ended).toMatchObject({ exitCode: 0 });
  expect(bodies).toEqual(
    ["03", "03", "04", "04", "05"].map((day) => [
      "secret-of-target",
      { type: "events", date: `2026-01-${day}` },
    ]),
  );
  // All are known: the service, which would refuse now, is not asked.
  expect(await run("ready", "out", "--announce", "call")).toMatchObject({ exitCode: 0 });
  writeRows(join(cwd, "b.ndjson"), ["2026-01-04"], 1);
  await run("export", ".", "--preset", "amplitude", "--repair", "--to", "out");
  const refused = await run("ready", "out", "--announce", "call");
  expect(refused).toMatchObject({ exitCode: 1 });
  expect(refused.stderr).toMatch(/did not take 2026-01-04: 400.*\[ready_refused\]/);
});

test("an export can add days while ready waits for the next call", async () => {
  const { cwd } = prepare("ready-waits");
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(202).end());
  });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ready`;
  const call = { url, authHeader: "X-Key", day: "date", body: {}, secondsApart: 3_600 };
  const target = { ...loadTarget("statsig"), name: "mine" };
  const ready = { call, reload: "never", sources: [] };
  writeFileSync(join(cwd, "mine.json"), JSON.stringify({ ...target, ready }));
  const controller = new AbortController();
  const run = (words: readonly string[], signal = new AbortController().signal) =>
    runInProcess([...words, "--target", "./mine.json"], {
      cwd,
      env: { SWITCHYARD_SERVER_SECRET: "secret-of-target" },
      signal,
    });
  const exportAll = ["export", ".", "--preset", "amplitude", "--repair", "--to", "out"];
  writeRows(join(cwd, "a.ndjson"), ["2026-01-03", "2026-01-04"], 2);
  expect(await run(exportAll)).toMatchObject({ exitCode: 0 });
  const waiting = run(["ready", "out", "--announce", "call"], controller.signal);
  const record = () => readFileSync(join(cwd, "out/_switchyard/ready/mine-call.json"), "utf8");
  await vi.waitFor(record, { timeout: 30_000 });
  writeRows(join(cwd, "b.ndjson"), ["2026-01-05"], 2);
  // It may meet the moment in which the plan is made anew.
  await vi.waitFor(async () => expect(await run(exportAll)).toMatchObject({ exitCode: 0 }), {
    timeout: 30_000,
  });
  controller.abort();
  expect(await waiting).toMatchObject({ exitCode: 130 });
  expect(Object.keys(JSON.parse(record()).days)).toEqual(["2026-01-03"]);
});
