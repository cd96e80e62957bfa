import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type CommandResult, collectOutput } from "../support/command-line.js";
import { type Installation, installedPackage, nodes } from "../support/installed-package.js";
import { longTest } from "../support/long-test.js";
import { PACKED_ROWS, writePackedInputs, writePatternRows } from "../support/packed-inputs.js";
import { deadLinks, pagesIn } from "../support/page-links.js";
import { hasRedis, startRedis } from "../support/redis-server.js";
import { scratchDirectory } from "../support/scratch.js";
import { killServicesAfterEach, startServiceProcess } from "../support/service-process.js";

killServicesAfterEach();

const secret = `secret-${"s".repeat(43)}`;
const consoleKey = `console-${"k".repeat(43)}`;
const environment = {
  SWITCHYARD_SERVER_SECRET: secret,
  SWITCHYARD_CONSOLE_KEY: consoleKey,
  AMPLITUDE_API_KEY: "key",
  AMPLITUDE_SECRET_KEY: "secret",
};
let installation: Installation;

beforeAll(async () => {
  installation = await installedPackage();
});

test("the package has what is built, the documentation and nothing else", async () => {
  expect((await readdir(installation.package)).sort()).toEqual([
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "dist",
    "docs",
    "examples",
    "package.json",
    "pipeline.schema.json",
    "report.schema.json",
  ]);
});

test("no link of its pages leads out of the package, and no example needs a clone", () => {
  const pages = pagesIn(installation.package);
  expect(pages).toContain("README.md");
  expect(pages.flatMap((page) => deadLinks(installation.package, page))).toEqual([]);
  // Pages about the source.
  const ofSource = /^(?:ARCHITECTURE|CONTRIBUTING|CHANGELOG|docs\/performance|docs\/kernels)\.md$/;
  const examples = pages
    .filter((page) => !ofSource.test(page))
    .flatMap((page) =>
      readFileSync(join(installation.package, page), "utf8").match(/^```.*?^```/gms),
    );
  expect(examples.length).toBeGreaterThan(50);
  expect(
    examples.filter((text) => /fixtures\/|bench\/|scripts\/|npm run /.test(text ?? "")),
  ).toEqual([]);
});

longTest("npm installs it for everybody, from the registry", async () => {
  const directory = scratchDirectory("global");
  const prefix = join(directory, "usr local");
  await installation.npm(
    ["install", "--global", "--prefix", prefix, installation.tarball],
    directory,
  );
  writePatternRows(join(directory, "rows.jsonl"));
  const { PATH } = installation.environment();
  const words = ["export", "rows.jsonl", "--to", "out", "--day-zone", "Europe/Berlin"];
  const child = spawn(join(prefix, "bin/switchyard"), [...words, "--max-rejects", "20"], {
    cwd: directory,
    // A service's user may have no home.
    env: { PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  expect(await collectOutput(child, words)).toMatchObject({ exitCode: 0 });
});

describe.each(nodes)("installed from its tarball, with %s,", (node) => {
  const directory = scratchDirectory("packed");
  const inputs = join(directory, "in");
  const rows = writePackedInputs(inputs);
  const ran = new Set<string>();
  writePatternRows(join(directory, "local.jsonl"));

  /** Runs a command, which has to end with 0, and returns what it prints with `--json`. */
  async function run(...args: readonly string[]): Promise<unknown> {
    const { stdout } = await succeed(...args, "--json");
    return JSON.parse(stdout);
  }

  async function succeed(...args: readonly string[]): Promise<CommandResult> {
    ran.add(args[0] ?? "");
    const result = await installation.run(args, { node, cwd: directory, env: environment });
    expect({ args, ...result }).toMatchObject({ exitCode: 0 });
    return result;
  }

  test("reads every format into days of a zone", async () => {
    const words = ["--day-zone", "Europe/Berlin", "--dedupe", "--threads", "2"];
    const options = ["in/*", "--to", "days", ...words];
    expect(await run("doctor", ...options)).toMatchObject({ exitCode: 0 });
    const exported = await run("export", ...options);
    expect(exported).toMatchObject({ rows: { read: rows } });
    // 23:30 in UTC is on the next day in Berlin.
    expect(await readdir(join(directory, "days/events"))).toContain("2026-03-21");
    expect(await run("verify", "days", "--read")).toMatchObject({ differences: [] });
    await run("preview", "in/lines.jsonl", "--target", "statsig");
    await run("export", "in/lines.jsonl", "--to", "target", "--target", "statsig", "--repair");
    expect(await run("names", "target")).toMatchObject({ names: [] });
    expect(await run("ready", "target", "--target", "statsig")).toMatchObject({
      target: "statsig",
    });
    await succeed("compact", "days");
    const span = ["--from", "2026-01-01", "--until", "2026-01-03"];
    const planned = await run("fetch", "amplitude", ...span, "--to", "raw", "--dry-run");
    expect(planned).toMatchObject({ requests: 2 });
    await succeed("identities", "in/*", "--to", "identities.parquet");
    expect((await succeed("load-sql", "duckdb", "days")).stdout).toContain("read_parquet");
    expect((await succeed("runs", "days")).stdout).toContain("days");
  });

  test("writes Arrow, whose package is a dependency", async () => {
    const exported = await run("export", "in/table.csv", "--format", "arrow", "--to", "arrow");
    expect(exported).toMatchObject({ rows: { delivered: PACKED_ROWS } });
    expect(await run("verify", "arrow", "--read")).toMatchObject({ differences: [] });
  });

  test("reads times by a pattern, in a zone, through a transform", async () => {
    const timestamp = { field: "event_time", format: "dd.MM.yyyy HH:mm", zone: "Asia/Kolkata" };
    const mapping = { timestamp };
    await writeFile(join(directory, "local.json"), JSON.stringify({ mapping }));
    const transform = "export default (event) => ({ ...event, event: event.event.toUpperCase() });";
    await writeFile(join(directory, "change.mjs"), transform);
    const words = ["local.jsonl", "--config", "local.json", "--transform", "./change.mjs"];
    const exported = ["export", ...words, "--to", "local", "--format", "jsonl"];
    expect(await run(...exported)).toMatchObject({ rows: { delivered: PACKED_ROWS } });
    const [part = ""] = await readdir(join(directory, "local/events/2026-03-09"));
    const [line = ""] = (
      await readFile(join(directory, "local/events/2026-03-09", part), "utf8")
    ).split("\n");
    expect(JSON.parse(line)).toMatchObject({
      event: "SEEN",
      timestamp: Date.UTC(2026, 2, 9, 19, 0),
    });
    // Tries the patterns that it knows.
    const validated = await installation.run(
      ["validate", "local.jsonl", "--report", "local-report"],
      {
        node,
        cwd: directory,
      },
    );
    expect(validated).toMatchObject({ exitCode: 3 });
    expect(validated.stdout).toContain("dd.MM.yyyy HH:mm");
  });

  test("looks at inputs and reports on them", async () => {
    await mkdir(join(directory, "looked"));
    await succeed("init", "in/lines.jsonl", "--config", "looked/pipeline.config.json");
    await succeed("validate", "--config", "looked/pipeline.config.json", "--report", "report");
    expect(await readdir(join(directory, "report"))).toEqual(["report.html", "report.json"]);
    for (const shell of ["bash", "zsh", "fish", "man"]) await succeed("completion", shell);
  });

  test("asks each kind of store", async () => {
    const store = createServer((_, response) => {
      response.writeHead(404).end("<Error><Code>NoSuchBucket</Code></Error>");
    });
    await once(store.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
    const azure = `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=a2V5;BlobEndpoint=${url}/a;`;
    const env = {
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
      AWS_REGION: "eu-1",
      AWS_ENDPOINT_URL: url,
      STORAGE_EMULATOR_HOST: url,
      AZURE_STORAGE_CONNECTION_STRING: azure,
    };
    const asked = ["s3://b/x/", "gs://b/x/", "az://b/x/"].map((input) =>
      installation.run(["export", input, "--to", "none"], { node, cwd: directory, env }),
    );
    for (const { stderr } of await Promise.all(asked)) {
      expect(stderr).toContain("[store_bucket_missing]");
    }
    store.close();
  });

  test("serves, and sends to what it serves", async () => {
    ran.add("serve");
    const data = join(directory, "data");
    const service = await startServiceProcess(data, {
      command: [node, installation.command],
      env: { ...environment, HOME: join(directory, "in") },
      cwd: directory,
    });
    const page = await fetch(`${service.url}/docs`);
    expect(page.status).toBe(200);
    // Checked in a process of its own.
    const body = { name: "Color", schema: '{"type": "object"}', defaultValue: { size: 1 } };
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    const created = await service.call("/console/v1/dynamic_configs", consoleKey, request);
    expect(created).toMatchObject({ status: 201 });
    // With the tables of browsers and countries.
    const conditions = [
      { type: "os_name", operator: "any", targetValue: ["Mac OS X"] },
      { type: "country", operator: "any", targetValue: ["US"] },
    ];
    const rule = { name: "mac", passPercentage: 100, conditions };
    const gate = { method: "POST", headers, body: JSON.stringify({ name: "mac", rules: [rule] }) };
    expect(await service.call("/console/v1/gates", consoleKey, gate)).toMatchObject({
      status: 201,
    });
    const userAgent = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15";
    const user = { userID: "u1", ip: "8.8.8.8", userAgent };
    const question = JSON.stringify({ gateName: "mac", user });
    const asked = { method: "POST", headers, body: question };
    expect(await service.call("/v1/check_gate", secret, asked)).toMatchObject({
      json: { value: true, reason: "TARGETING_MATCH" },
    });
    expect(await run("send", "in/lines.zip", "--to", service.url, "--runs", "sent")).toMatchObject({
      rows: { read: PACKED_ROWS },
    });
    const qualified = await run("qualify", "days", "--console", service.url);
    expect(qualified).toMatchObject({ exitCode: 0 });
    expect((await succeed("keys", "list", "--data", "data")).stdout).toContain("console");
    const exported = await run("console", "export", "entities", "--console", service.url);
    expect(exported).toMatchObject({ entities: { gates: 1 } });
    const backup = await run("backup", "backup.tar.gz", "--data", "data");
    expect(await service.stop()).toBe(0);
    await succeed("check-data", "--data", "data");
    expect(backup).toMatchObject({ command: "backup" });
    await succeed("restore", "backup.tar.gz", "--data", "restored");
    await succeed("check-data", "--data", "restored");
  });

  test("runs the steps of a configuration, with a service in the process", async () => {
    const steps = ["validate", "export", "send", "qualify", "verify"];
    const configuration = { steps, inputs: ["in/lines.jsonl"], service: "embedded" };
    const text = JSON.stringify({ ...configuration, export: { to: "migrated" } });
    await writeFile(join(directory, "pipeline.config.json"), text);
    await succeed("migrate", "--report", "migrated-report");
  });

  test.runIf(hasRedis())("works for a queue", async () => {
    ran.add("worker");
    const redis = await startRedis(join(directory, "redis"));
    const queue = ["--queue", redis.url];
    const worker = installation.run(["worker", ...queue], {
      node,
      cwd: directory,
      started: (child) => {
        void run("export", "in/table.csv", "--to", "queued", ...queue).finally(() => child.kill());
      },
    });
    expect(await worker).toMatchObject({ exitCode: 0 });
    await run("verify", "queued");
    await redis.stop();
  });

  test("every command was tried, and none wrote to the home directory", async () => {
    const { stdout } = await installation.run(["help"], { node });
    const commands = /Commands:\n(.*?)\n\n/s.exec(stdout)?.[1] ?? "";
    const names = [...commands.matchAll(/^ {2}(\S+)/gm)].map(([, name = ""]) => name);
    expect(names).toContain("export");
    const rare = ["help", ...(hasRedis() ? [] : ["worker"])];
    expect(names.filter((name) => !ran.has(name) && !rare.includes(name))).toEqual([]);
    expect(await readdir(join(installation.directory, "home"))).toEqual([".npm"]);
  });
});
