import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import type { CountManifest, CountResult } from "../../src/engine/run-count.js";
import type { Runs } from "../../src/engine/runs.js";
import type { Manifest, ManifestEvent } from "../../src/ledger/manifest.js";
import type { CountRequest } from "../../src/options/options.js";
import { exampleManifest } from "../report/example-result.js";
import { fakeContext } from "../support/fake-context.js";
import { scratchDirectory } from "../support/scratch.js";
import { startTestService, type TestService } from "../support/service.js";

let directory: string;
let service: TestService;
let baseUrl: string;

beforeEach(async () => {
  directory = scratchDirectory("qualify");
  service = await startTestService();
  baseUrl = await service.app.http.listen({ host: "127.0.0.1", port: 0 });
  await writeManifest({});
});

afterEach(() => service.close());

function counted(event: string, rows: number): ManifestEvent {
  return {
    event,
    rows,
    firstTimestamp: "2026-01-30T00:00:00.000Z",
    lastTimestamp: "2026-01-31T00:00:00.000Z",
  };
}

async function writeManifest(changes: Partial<Manifest>): Promise<void> {
  const events = [counted("page_view", 1_204), counted("purchase", 1)];
  const manifest = { ...exampleManifest, events, ...changes };
  await writeFile(path.join(directory, "manifest.json"), JSON.stringify(manifest));
}

interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function qualify(
  words: readonly string[],
  key: string | undefined = service.keys.console,
  url = baseUrl,
  signal = new AbortController().signal,
  runs: Partial<Runs> = {},
): Promise<Run> {
  const { context, stdout, stderr } = fakeContext(runs, {
    currentDirectory: directory,
    environment: { SWITCHYARD_CONSOLE_KEY: key },
    signal,
  });
  const exitCode = await runCommandLine(["qualify", "--console", url, ...words], context);
  expect([...stdout, ...stderr].join("")).not.toContain(service.keys.console);
  return { exitCode, stdout: stdout.join(""), stderr: stderr.join("") };
}

async function stored(): Promise<readonly string[]> {
  const path = "/console/v1/experiments/qualifying_events";
  return (await service.call<{ name: string }[]>({ path })).json.data.map(({ name }) => name);
}

describe("qualify", () => {
  test("shows the plan, and sends nothing before --yes", async () => {
    const { exitCode, stdout } = await qualify(["."]);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        `Qualifying events of ${path.join(directory, "manifest.json")} at ${baseUrl}`,
        "  create    page_view: 1,204 events, 2026-01-30 to 2026-01-31",
        "  create    purchase: 1 event, 2026-01-30 to 2026-01-31",
        "2 to create, 0 to change, 0 unchanged, 0 refused",
        "Nothing was sent. Run the same command with --yes to apply it.",
        "",
      ].join("\n"),
    );
    expect(await stored()).toEqual([]);
  });

  test("applies with --yes, and finds nothing to do the second time", async () => {
    const first = await qualify([".", "--yes"]);
    expect(first.exitCode).toBe(0);
    expect(first.stdout).toContain("2 of 2 applied.\n");
    expect(await stored()).toEqual(["purchase", "page_view"]);
    expect((await qualify(["."])).stdout).toContain(
      "0 to create, 0 to change, 2 unchanged, 0 refused\nNothing to do.\n",
    );
  });

  test("shows what differs field by field", async () => {
    await qualify([".", "--yes"]);
    const { stdout } = await qualify([".", "--table", "w.events", "--include-event", "purchase"]);
    expect(stdout).toContain(
      "  change    purchase\n" +
        `            sql: "SELECT * FROM events WHERE event = 'purchase'" -> ` +
        `"SELECT * FROM w.events WHERE event = 'purchase'"\n0 to create, 1 to change`,
    );
  });

  test("has the console check everything in a dry run, which wins over --yes", async () => {
    const { exitCode, stdout } = await qualify([".", "--dry-run", "--yes"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("2 of 2 would be accepted; nothing was stored.\n");
    expect(await stored()).toEqual([]);
  });

  test("shows names that are refused, and applies the others", async () => {
    await writeManifest({ events: [counted("a\u001b[31m\nb", 1), counted("purchase", 1)] });
    const plan = await qualify(["."]);
    expect(plan.exitCode).toBe(0);
    expect(plan.stdout).toContain("  refused   a\\u001b[31m\\nb: the event's name has a backslash");
    const applied = await qualify([".", "--yes"]);
    expect(applied.exitCode).toBe(1);
    expect(applied.stdout).toContain("Exclude refused events with --exclude-event");
    expect(await stored()).toEqual(["purchase"]);
  });

  test("prints one JSON object", async () => {
    const { stdout } = await qualify([".", "--json", "--yes", "--exclude-event", "page_*"]);
    expect(JSON.parse(stdout)).toEqual({
      command: "qualify",
      exitCode: 0,
      mode: "apply",
      console: baseUrl,
      manifestPath: path.join(directory, "manifest.json"),
      isComplete: true,
      otherRows: 0,
      plan: [expect.objectContaining({ action: "create", event: "purchase", name: "purchase" })],
      done: ["purchase"],
      failed: [],
      uncertain: [],
      notTried: [],
    });
  });

  test("says that an export is not whole, and that counts are at least", async () => {
    const { event: _, ...otherEvents } = counted("", 7);
    await writeManifest({ complete: false, otherEvents });
    const { stdout } = await qualify([path.join(directory, "manifest.json")]);
    expect(stdout).toContain("purchase: at least 1 event, ");
    expect(stdout).toContain("The export is not complete");
    expect(stdout).toContain("7 events with other names have no qualifying event.");
  });

  test.each([
    ["a key that is revoked", () => service.keys.revoked, /check SWITCHYARD_CONSOLE_KEY/],
    ["a key for events", () => service.keys.server, /check SWITCHYARD_CONSOLE_KEY|key may not/],
  ])("ends at %s", async (_, key, message) => {
    const { exitCode, stderr } = await qualify([".", "--yes"], key());
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain(key());
  });

  test("lists what was not done if the key may not write", async () => {
    const { exitCode, stdout } = await qualify([".", "--yes"], service.keys.readOnly);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("0 of 2 applied.\n");
    expect(stdout).toContain("The key may not do this: use ");
  });

  test("lists what was done and what is left when it is interrupted, and does the rest", async () => {
    const names = Array.from({ length: 9 }, (_, index) => `event ${index}`);
    await writeManifest({ events: names.map((name) => counted(name, 1)) });
    const interruption = new AbortController();
    const between = createServer(async (request, response) => {
      const { method = "GET", url = "/", headers } = request;
      const body = await text(request);
      const answer = await fetch(`${baseUrl}${url}`, {
        method,
        ...(body === "" ? {} : { body }),
        headers: {
          "service-api-key": String(headers["service-api-key"]),
          "content-type": "application/json",
        },
      });
      if (method === "POST") interruption.abort();
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(await answer.text());
    });
    await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
    try {
      const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
      const { exitCode, stdout, stderr } = await qualify(
        [".", "--yes"],
        undefined,
        url,
        interruption.signal,
      );
      expect(exitCode).toBe(130);
      const done = (await stored()).toSorted();
      expect(done.length).toBeGreaterThan(0);
      expect(done.length).toBeLessThan(names.length);
      expect(stdout).toContain(`${done.length} of 9 applied.\n`);
      const listed = (verb: string) =>
        [...stdout.matchAll(new RegExp(`^  ${verb} +(event \\d)$`, "gm"))].map(([, name]) => name);
      expect(listed("created")).toEqual(done);
      expect(listed("not tried")).toEqual(names.filter((name) => !done.includes(name)));
      expect(stderr).toContain("Interrupted. Run the same command again");
    } finally {
      between.close();
    }
    expect((await qualify([".", "--yes"])).exitCode).toBe(0);
    expect((await stored()).toSorted()).toEqual(names);
  });

  test("sends the key in the header that it is told to", async () => {
    const other = await startTestService({ keyHeader: "X-Other-Key" });
    try {
      const url = await other.app.http.listen({ host: "127.0.0.1", port: 0 });
      expect((await qualify(["."], other.keys.console, url)).exitCode).toBe(1);
      const words = [".", "--auth-header", "X-Other-Key"];
      expect((await qualify(words, other.keys.console, url)).exitCode).toBe(0);
    } finally {
      await other.close();
    }
  });

  test("takes its key from a file", async () => {
    await writeFile(path.join(directory, "key"), `${service.keys.console}\n`);
    expect((await qualify([".", "--console-key-file", "key"], "")).exitCode).toBe(0);
    await writeFile(path.join(directory, "key"), "");
    expect(await qualify([".", "--console-key-file", "key"], "")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("[key_file_unusable]"),
    });
  });

  test.each([
    ["no key", ["."], "", undefined, "key_missing"],
    ["a key that no header can carry", ["."], "console-two words", undefined, "secret_malformed"],
    ["no export", [], undefined, undefined, "export_missing"],
    ["an address that is none", ["."], undefined, "console.example.com", "base_url_invalid"],
    [
      "a template without a place",
      [".", "--name-template", "x"],
      undefined,
      undefined,
      "template_invalid",
    ],
  ])("refuses %s", async (_, words, key, url, code) => {
    const { exitCode, stderr } = await qualify(words, key, url);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(code) });
  });

  test("refuses an export without a manifest", async () => {
    await mkdir(path.join(directory, "begun", "_switchyard"), { recursive: true });
    await writeFile(path.join(directory, "begun", "_switchyard", "plan.json"), "{}");
    expect(await qualify(["begun"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("[manifest_missing]"),
    });
  });

  test.each([
    ["two exports", [".", "manifest.json"]],
    ["an export and inputs", ["rows.jsonl", "."]],
  ])("refuses %s", async (_, words) => {
    await writeFile(path.join(directory, "rows.jsonl"), "{}\n");
    expect(await qualify(words)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("[event_source_ambiguous]"),
    });
  });

  test("takes an export that is configured as inputs", async () => {
    await writeFile(path.join(directory, "pipeline.config.json"), '{ "inputs": ["."] }');
    const { exitCode, stderr } = await qualify([]);
    expect(exitCode, stderr).toBe(0);
  });

  test("has no flag for the export", async () => {
    expect(await qualify(["--from", "out"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("unknown option '--from' (Pass inputs without a flag.)"),
    });
  });
});

describe("qualifying the events of inputs", () => {
  const rows = { read: 12, added: 0, delivered: 9, rejected: 3, filtered: 0 };
  const example = { source: "rows.jsonl", row: 4, message: "no event name in event_type" };
  const manifest: CountManifest = {
    ...exampleManifest,
    rows,
    rejects: [{ code: "event_missing", rows: 3, example }],
    failures: [],
    events: [counted("page_view", 9)],
  };
  let requests: CountRequest[];
  let result: CountResult;

  beforeEach(async () => {
    requests = [];
    result = { outcome: "done", manifest, tooManyRejects: false };
    await writeFile(path.join(directory, "rows.jsonl"), "{}\n");
  });

  const counting: Partial<Runs> = {
    async count(request) {
      requests.push(request);
      return result;
    },
  };
  const count = (words: readonly string[], url?: string) =>
    qualify(words, undefined, url, undefined, counting);

  test("shows the plan, and how many rows it says nothing of", async () => {
    const { exitCode, stdout } = await count(["rows.jsonl", "more", "--exclude-event", "x*"]);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        `Qualifying events of rows.jsonl more at ${baseUrl}`,
        "  create    page_view: 9 events, 2026-01-30 to 2026-01-31",
        "1 to create, 0 to change, 0 unchanged, 0 refused",
        "Rejected: 3 of 12 rows; their events are not counted",
        "  event_missing: 3 rows, such as rows.jsonl, row 4",
        "    no event name in event_type → map another field to the event name",
        "Nothing was sent. Run the same command with --yes to apply it.",
        "",
      ].join("\n"),
    );
    expect(requests).toMatchObject([
      { inputs: ["rows.jsonl", "more"], cwd: directory, excludeEvents: ["x*"] },
    ]);
  });

  test("leaves names alone that passed the filters under another name", async () => {
    const { stdout } = await count(["rows.jsonl", "--include-event", "before"]);
    expect(stdout).toContain("1 to create");
  });

  const failure = { source: "rows.jsonl", code: "source_truncated", message: "it stops" };

  test.each([
    ["rejects more than are allowed", { tooManyRejects: true }, 3],
    ["fails in part", { manifest: { ...manifest, failures: [failure] } }, 1],
  ])("applies what it found where reading %s, with its exit code", async (_, changes, exitCode) => {
    result = { ...result, ...changes };
    const end = await count(["rows.jsonl", "--yes"]);
    expect(end.exitCode, end.stderr).toBe(exitCode);
    expect(end.stdout).toContain("1 of 1 applied.");
    expect(end.stdout.includes("Failed: 1 source could not be read completely")).toBe(
      exitCode === 1,
    );
    expect(await stored()).toEqual(["page_view"]);
  });

  test("sends nothing if reading was interrupted", async () => {
    result = { ...result, outcome: "interrupted" };
    const { exitCode, stderr } = await count(["rows.jsonl", "--yes"]);
    expect(exitCode).toBe(130);
    expect(stderr).toContain("Interrupted. Run the same command again");
    expect(await stored()).toEqual([]);
  });

  test.each([
    ["a console that does not know the key", [], () => service.keys.revoked, "console_unusable"],
    ["a template", ["--name-template", "x"], undefined, "template_invalid"],
    ["times", ["--from-time", "2026-02", "--to-time", "2026-01"], undefined, "configuration"],
  ])("finds fault with %s before it reads anything", async (_, words, key, code) => {
    const all = ["rows.jsonl", ...words];
    const { stderr } = await qualify(all, key?.(), undefined, undefined, counting);
    expect(stderr).toContain(code);
    expect(requests).toEqual([]);
  });

  test("prefers an export to the inputs of the configuration, which are read if there is none", async () => {
    const name = path.join(directory, "pipeline.config.json");
    await writeFile(name, JSON.stringify({ inputs: ["a/*.json"] }));
    expect((await count([])).stdout).toContain("Qualifying events of a/*.json at ");
    await writeFile(name, JSON.stringify({ inputs: ["a/*.json"], export: { to: "." } }));
    expect((await count([])).stdout).toContain("manifest.json at ");
    expect((await count(["rows.jsonl"])).stdout).toContain("Qualifying events of rows.jsonl at ");
  });

  test.each([
    ["a file", "manifest.json", '{"files":["x"]}'],
    ["a directory with a manifest", ".", '{"files":["x"]}'],
    ["a directory with no object for a manifest", ".", '["manifestVersion"]'],
  ])("takes %s for an input where Switchyard did not write it", async (_, input, text) => {
    await writeFile(path.join(directory, "manifest.json"), text);
    expect((await count([input])).stdout).toContain(`Qualifying events of ${input} at `);
  });
});
