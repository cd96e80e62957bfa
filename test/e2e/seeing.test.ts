import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runInProcess, runSwitchyard } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

function projectOf(rows = 3): string {
  const cwd = scratchDirectory("seeing");
  const row = (index: number) =>
    `{"event_type":"buy","event_time":"2026-01-31 10:00:00","user_id":"u${index}"}\n`;
  const lines = Array.from({ length: rows }, (_, index) => row(index));
  writeFileSync(join(cwd, "in.ndjson"), `${lines.join("")}{"event_type":"no user"}\n`);
  return cwd;
}

const args = ["export", "in.ndjson", "--to", "out", "--max-rejects", "1"];

const parseLines = (text: string) =>
  text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));

/** Answers POSTs with these statuses in turn, then 200, and keeps their bodies. */
async function takeResults(statuses: readonly number[]) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.writeHead(statuses[bodies.length] ?? 200).end();
    bodies.push(Buffer.concat(chunks).toString());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { bodies, address: `http://127.0.0.1:${port}/hook/T0KEN?key=secret` };
}

test("with --json=log every line is an object, and the result is that of --json", async () => {
  const cwd = projectOf();
  writeFileSync(join(cwd, "broken.json.gz"), "not gzip");
  const run = await runInProcess([...args, "broken.json.gz", "--json=log"], { cwd });
  expect(run.exitCode).toBe(1);
  const [result, ...more] = parseLines(run.stdout);
  expect(result).toMatchObject({ command: "export", exitCode: 1, rows: { delivered: 3 } });
  expect(more).toEqual([]);
  expect(parseLines(run.stderr)).toContainEqual({
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    level: "warn",
    event: "source_failed",
    step: "export",
    source: "broken.json.gz",
    code: expect.any(String),
    message: expect.any(String),
  });
});

test("with --json=log an error is one object with its code", async () => {
  const refused = await runInProcess(["export", "nowhere", "--to", "o", "--json=log"]);
  expect(parseLines(refused.stderr)).toMatchObject([
    { level: "error", event: "ended", command: "export", exitCode: 2, code: "input_not_found" },
  ]);
  const other = await runInProcess(["verify", "nowhere", "--json=log"]);
  expect(parseLines(other.stderr)).toMatchObject([{ event: "ended", command: "verify" }]);
});

test("--notify posts the result as --json prints it, again where it was not taken", async () => {
  const cwd = projectOf();
  const { bodies, address } = await takeResults([503]);
  const run = await runInProcess([...args, "--json", "--notify", address], { cwd });
  expect(run).toMatchObject({ exitCode: 0, stderr: "" });
  expect(bodies).toEqual([run.stdout.trimEnd(), run.stdout.trimEnd()]);
  const environment = { SWITCHYARD_NOTIFY: address };
  const failed = await runInProcess(["export", "nowhere", "--to", "o"], { cwd, env: environment });
  expect(failed.exitCode).toBe(2);
  expect(JSON.parse(bodies[2] ?? "")).toMatchObject({ error: { code: "input_not_found" } });
});

test("a notification that fails is told without its address, and changes no exit code", async () => {
  const cwd = projectOf();
  const { address } = await takeResults([500, 500, 500]);
  const run = await runInProcess([...args, "--quiet", "--notify", address], { cwd });
  expect(run.exitCode).toBe(0);
  expect(run.stderr).toContain(
    `could not be posted to ${new URL(address).origin}: it answered 500`,
  );
  expect(run.stderr).not.toMatch(/T0KEN|secret/);
});

test("--metrics serves the progress while the run lasts", async () => {
  const cwd = projectOf(400_000);
  const scraped: string[] = [];
  const run = await runSwitchyard([...args, "--metrics", "0"], {
    cwd,
    started: (child) => {
      child.stderr?.on("data", async (chunk: Buffer) => {
        const [, url] = /^metrics: (.*)$/m.exec(String(chunk)) ?? [];
        if (url !== undefined) scraped.push(await (await fetch(url)).text());
      });
    },
  });
  expect(run.exitCode).toBe(0);
  expect(scraped.join()).toContain("switchyard_info{version=");
});

test("other ways to see a migration leave it done", async () => {
  const cwd = projectOf();
  writeFileSync(
    join(cwd, "pipeline.config.json"),
    JSON.stringify({
      inputs: ["in.ndjson"],
      maxRejects: 1,
      steps: ["export"],
      export: { to: "out" },
    }),
  );
  expect(await runInProcess(["migrate", "--quiet"], { cwd })).toMatchObject({ exitCode: 0 });
  const again = await runInProcess(["migrate", "--json=log"], { cwd });
  expect(JSON.parse(again.stdout)).toMatchObject({ exitCode: 0, nothingNew: true });
});
