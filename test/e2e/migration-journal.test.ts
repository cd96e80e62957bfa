import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { type Migration, migration } from "../../src/contract/migration.js";
import type { Manifest } from "../../src/ledger/manifest.js";
import type { Report } from "../../src/profile/report.js";
import { JournalDirectory } from "../../src/storage/migration-journals.js";
import { runInProcess, runSwitchyard } from "../support/command-line.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { scratchDirectory } from "../support/scratch.js";
import { startTestService } from "../support/service.js";

const scratch = scratchDirectory("journal");
let directory: string;
let tests = 0;

beforeEach(() => {
  directory = join(scratch, String(tests++));
  mkdirSync(directory);
});

function configure(changes: Readonly<Record<string, unknown>> = {}, name?: string): void {
  const configuration = {
    steps: ["validate", "export", "send", "qualify", "verify"],
    inputs: ["rows.jsonl"],
    preset: "amplitude",
    service: "embedded",
    export: { to: "out" },
    maxRejects: "50%",
    ...changes,
  };
  writeFileSync(join(directory, name ?? "pipeline.config.json"), JSON.stringify(configuration));
}

function writeRows(rows: readonly unknown[], name = "rows.jsonl"): void {
  const lines = rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row)));
  writeFileSync(join(directory, name), lines.map((line) => `${line}\n`).join(""));
}

const row = (index: number, changes: object = {}) => ({
  event_type: "open",
  event_time: `2026-01-${String(1 + (index % 3)).padStart(2, "0")} 10:00:00`,
  user_id: `u${index}`,
  ...changes,
});

const dataDirectory = () => join(directory, ".switchyard");

function readJournals(): readonly Migration[] {
  const place = join(dataDirectory(), "migrations");
  const names = readdirSync(place).filter((name) => name.endsWith(".json"));
  return names.map((name) => migration.parse(JSON.parse(readFileSync(join(place, name), "utf8"))));
}

function readJournal(): Migration {
  const [found, ...others] = readJournals();
  expect(others).toEqual([]);
  return found as Migration;
}

const readJson = (path: string): unknown =>
  JSON.parse(readFileSync(resolve(directory, path), "utf8"));

const statesOf = ({ steps }: Migration) =>
  Object.fromEntries(steps.map(({ name, state }) => [name, state]));

const stepOf = ({ steps }: Migration, wanted: string) =>
  steps.find(({ name }) => name === wanted) as Migration["steps"][number];

const hostile = `</script><img src=x onerror=alert(1)>\u0000\u001b[31m\ud800 "'&`;

describe("the journal of a migration", () => {
  test("has the numbers of its report and manifest, whole rows, and what the target drops", async () => {
    writeRows([
      ...Array.from({ length: 20 }, (_, index) => row(index)),
      ...Array.from({ length: 7 }, (_, index) => row(index, { event_time: hostile })),
      row(1, { event_type: "" }),
      row(2, { event_type: `long ${"x".repeat(300)}` }),
      row(3, {
        event_type: hostile.replace("\ud800", ""),
        event_properties: { a: "y".repeat(9_000) },
      }),
      row(4, { event_type: "", note: "z".repeat(9_000) }),
      row(5, { event_type: "ignored" }),
    ]);
    configure({
      target: "statsig",
      excludeEvent: ["ignored"],
      acceptFindings: ["target_names"],
    });
    const result = await runInProcess(["migrate", "--json"], { cwd: directory });
    expect(result.stdout, result.stderr).toContain("reportPath");
    const journal = readJournal();
    const report = readJson(String(JSON.parse(result.stdout).steps[0].reportPath)) as Report;
    const { rows, rejects, target, findings, days } = report;
    const validated = stepOf(journal, "validate");
    expect(validated.accounts).toEqual({
      read: rows.read,
      added: rows.added,
      delivered: rows.mapped,
      rejected: rows.rejected,
      filtered: rows.filtered,
      duplicates: 0,
    });
    expect(rows).toMatchObject({ rejected: 9, filtered: 1 });
    expect(validated.rejects.map(({ code, rows }) => [code, rows])).toEqual(
      rejects.map(({ code, rows }) => [code, rows]),
    );
    expect(validated.days).toEqual(days.map(({ day, events }) => ({ day, events })));
    expect(journal.validation).toMatchObject({
      tone: report.verdict.tone,
      verdict: report.verdict.sentence,
      target: { lost: target?.lost, events: target?.events, changed: target?.changed },
      findings: findings.map(({ code, rows, title }) => ({ code, rows, title })),
    });
    expect(target?.lost).toBeGreaterThan(0);
    expect(journal.validation?.target?.rules.map(({ names }) => names)).toEqual(
      target?.rules.map(({ names }) => names.map((name) => ({ ...name }))),
    );
    expect(statesOf(journal), result.stdout).toMatchObject({ validate: "done", export: "done" });
  });

  test("has the accounts of the manifest, and rows from the rejects files", async () => {
    writeRows([
      ...Array.from({ length: 20 }, (_, index) => row(index)),
      ...Array.from({ length: 7 }, (_, index) => row(index, { event_time: hostile })),
      row(4, { event_type: "", note: "z".repeat(9_000) }),
    ]);
    configure({ steps: ["export", "send", "verify"] });
    const { exitCode, stderr } = await runInProcess(["migrate"], { cwd: directory });
    expect(exitCode, stderr).toBe(0);
    const journal = readJournal();
    const manifest = readJson("out/manifest.json") as Manifest;
    for (const name of ["export", "send"]) {
      expect(stepOf(journal, name).accounts).toEqual({ ...manifest.rows, duplicates: 0 });
      const { rejects } = stepOf(journal, name);
      expect(rejects.map(({ code, rows, samples }) => [code, rows, samples.length])).toEqual([
        ["time_unparsable", 7, 5],
        ["event_missing", 1, 1],
      ]);
      const [unparsable, missing] = rejects;
      expect(JSON.parse(unparsable?.samples[0]?.raw ?? "")).toMatchObject({ user_id: "u0" });
      expect(missing?.samples[0]).toMatchObject({ row: 28, isBase64: false, isCut: true });
      expect(missing?.samples[0]?.raw).toHaveLength(4_096);
    }
    expect(stepOf(journal, "export").days).toEqual(
      manifest.days.map(({ day, rows: events }) => ({ day, events })),
    );
    expect(statesOf(journal)).toEqual({ export: "done", send: "done", verify: "done" });
    expect(journal).toMatchObject({
      name: directory.slice(scratch.length + 1),
      configuration: join(directory, "pipeline.config.json"),
      attempts: [{ number: 1, state: "done", command: "migrate", directory, error: null }],
      nextCommand: null,
      validation: null,
    });
    expect(stepOf(journal, "export").progress).toMatchObject({ rows: 28, rejected: 8 });
  });

  test("of a failed migration says why, and which command resumes it", async () => {
    writeRows([row(1), row(2, { event_type: "" })]);
    configure({ steps: ["export", "send", "verify"], maxRejects: 0 });
    await runInProcess(["migrate"], { cwd: directory });
    const journal = readJournal();
    expect(statesOf(journal)).toEqual({ export: "failed", send: "skipped", verify: "skipped" });
    expect(stepOf(journal, "export")).toMatchObject({
      accounts: { read: 2, delivered: 1, rejected: 1 },
      error: { code: "rejects_exceeded" },
    });
    configure({ steps: ["export"], inputs: ["nowhere.jsonl"] });
    await runInProcess(["migrate", "--quiet"], { cwd: directory });
    expect(readJournal()).toMatchObject({
      attempts: [{ state: "failed" }, { number: 2, state: "failed", command: "migrate --quiet" }],
      steps: [{ name: "export", state: "failed", error: { code: expect.any(String) } }],
    });
  });

  test("is one for a killed run and the run that resumes it", async () => {
    writeAmplitudeRows(join(directory, "rows.jsonl"), 3_000, 4);
    configure({ send: { batchSize: 1, rate: "1000" } });
    const killed = await runSwitchyard(["migrate"], {
      cwd: directory,
      started: (child) =>
        void vi
          .waitFor(
            () => {
              const { progress, state } = stepOf(readJournal(), "send");
              if (state !== "running" || (progress?.delivered ?? 0) === 0) throw new Error("no");
            },
            { timeout: 60_000, interval: 20 },
          )
          .finally(() => child.kill("SIGKILL")),
    });
    expect(killed.signal, killed.stderr).toBe("SIGKILL");
    const files = new JournalDirectory(dataDirectory());
    const [seen] = (await files.list()).migrations;
    expect(statesOf(seen as Migration)).toEqual({
      validate: "done",
      export: "done",
      send: "killed",
      qualify: "waiting",
      verify: "waiting",
    });
    expect(seen).toMatchObject({
      attempts: [{ state: "killed", endedTime: seen?.updatedTime }],
      nextCommand: expect.stringMatching(/ migrate$/),
    });
    const validated = stepOf(seen as Migration, "validate").accounts;
    const resumed = await runSwitchyard(["migrate"], { cwd: directory });
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    const journal = readJournal();
    expect(journal.id).toBe(seen?.id);
    expect(readdirSync(join(dataDirectory(), "migrations"))).toEqual([`${journal.id}.json`]);
    expect(journal.attempts.map(({ number, state }) => [number, state])).toEqual([
      [1, "killed"],
      [2, "done"],
    ]);
    expect(Object.values(statesOf(journal))).toEqual(Array.from({ length: 5 }, () => "done"));
    // Nothing was new to validate: the first attempt did it.
    expect(stepOf(journal, "validate")).toMatchObject({ accounts: validated, state: "done" });
    await runInProcess(["migrate"], { cwd: directory });
    const again = readJournal();
    expect(again.attempts).toHaveLength(3);
    expect(Object.values(statesOf(again))).toEqual(Array.from({ length: 5 }, () => "done"));
    expect(again.validation?.verdict).toBe(journal.validation?.verdict);
  });

  test("is one for each of two configurations that run at once, and served by the API", async () => {
    for (const name of ["a", "b"]) {
      writeAmplitudeRows(join(directory, `${name}.jsonl`), 500, 2);
      const changes = {
        steps: ["export", "verify"],
        service: undefined,
        inputs: [`${name}.jsonl`],
        export: { to: name },
      };
      configure(changes, `${name}.config.json`);
    }
    mkdirSync(dataDirectory());
    const runs = ["a", "b"].map((name) =>
      runInProcess(["migrate", "--config", `${name}.config.json`], { cwd: directory }),
    );
    expect((await Promise.all(runs)).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(
      readJournals()
        .map(({ name }) => name.replace(/^\d+/, ""))
        .sort(),
    ).toEqual(["/a.config.json", "/b.config.json"]);
    const service = await startTestService({ journals: new JournalDirectory(dataDirectory()) });
    const { json } = await service.call<readonly object[]>({ path: "/console/v1/migrations" });
    expect(json.data).toHaveLength(2);
    expect(json).toMatchObject({ skipped: [] });
    await service.close();
  });
});

describe("single commands", () => {
  test("write nothing without a data directory", async () => {
    writeRows([row(1)]);
    configure({ service: undefined });
    await runInProcess(["export"], { cwd: directory });
    expect(readdirSync(directory)).not.toContain(".switchyard");
  });

  test("are attempts of the migration of their configuration, and change their own step", async () => {
    writeRows([row(1), row(2)]);
    configure({ service: undefined });
    mkdirSync(dataDirectory());
    for (const command of ["export", "validate", "verify"])
      await runInProcess([command, "--quiet"], { cwd: directory });
    const journal = readJournal();
    expect(journal.attempts.map(({ command, state }) => [command, state])).toEqual([
      ["export --quiet", "done"],
      ["validate --quiet", "done"],
      ["verify --quiet", "done"],
    ]);
    expect(journal.steps.map(({ name, state }) => [name, state])).toEqual([
      ["validate", "done"],
      ["export", "done"],
      ["verify", "done"],
    ]);
    expect(journal.nextCommand).toBeNull();
    expect(journal.validation?.reportPath).toMatch(/report\.html$/);
  });

  test("do not write while another run does, and say so", async () => {
    writeRows([row(1)]);
    configure({ service: undefined });
    mkdirSync(dataDirectory());
    await runInProcess(["export"], { cwd: directory });
    const { id } = readJournal();
    const lock = join(dataDirectory(), "migrations", `${id}.json.lock`);
    writeFileSync(
      lock,
      JSON.stringify({
        pid: process.pid,
        host: (await import("node:os")).hostname(),
        processStart: null,
        lockedAt: "2026-01-01T00:00:00.000Z",
        token: "t",
      }),
    );
    const { exitCode, stderr } = await runInProcess(["verify"], { cwd: directory });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("another run of the same configuration writes it");
  });

  test("replace a damaged journal, and say so", async () => {
    writeRows([row(1)]);
    configure({ service: undefined });
    mkdirSync(dataDirectory());
    await runInProcess(["export"], { cwd: directory });
    const path = join(dataDirectory(), "migrations", `${readJournal().id}.json`);
    writeFileSync(path, "{");
    const { stderr } = await runInProcess(["verify"], { cwd: directory });
    expect(stderr).toContain("is not a journal (it is not valid JSON). A new one is started.");
    expect(readJournal().attempts).toHaveLength(1);
  });

  test("go on if their journal cannot be written", async () => {
    writeRows([row(1)]);
    configure({ service: undefined });
    mkdirSync(dataDirectory());
    writeFileSync(join(dataDirectory(), "migrations"), "a file");
    const { exitCode, stderr } = await runInProcess(["export"], { cwd: directory });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("This run is not shown in the console of the service.");
  });
});

describe("migrate --open", () => {
  /** A browser that signs in by the link, and keeps what it then sees of the migration. */
  const browser = `
    const { writeFileSync } = require("node:fs");
    const url = new URL(process.argv.at(-1));
    const [ticket, next] = url.hash.slice(1).split("~");
    (async () => {
      const headers = { "content-type": "application/json", origin: url.origin };
      const body = JSON.stringify({ ticket });
      const signedIn = await fetch(url.origin + "/console/v1/session", { method: "POST", headers, body });
      const cookie = signedIn.headers.getSetCookie().map((one) => one.split(";")[0]).join("; ");
      const page = decodeURIComponent(next);
      const answer = await fetch(url.origin + "/console/v1" + page, { headers: { cookie } });
      writeFileSync("seen.json", JSON.stringify({ page, status: answer.status, ...(await answer.json()) }));
    })();`;

  test.each(["embedded", undefined])(
    "shows the migration in a browser until Ctrl-C: service %s",
    async (service) => {
      writeRows([row(1), row(2)]);
      configure({ steps: ["export", "verify"], service });
      writeFileSync(join(directory, "browser.cjs"), browser);
      let isKept = false;
      const ended = await runSwitchyard(["migrate", "--open"], {
        cwd: directory,
        env: { BROWSER: `${process.execPath} ${join(directory, "browser.cjs")}` },
        started: (child) =>
          void child.stderr?.on("data", (text) => {
            if (!String(text).includes("The console runs until you press Ctrl-C: http")) return;
            isKept = true;
            void vi
              .waitFor(() => readJson("seen.json"), { timeout: 60_000, interval: 20 })
              .finally(() => child.kill("SIGINT"));
          }),
      });
      expect(isKept, ended.stderr).toBe(true);
      expect(ended.exitCode, ended.stderr).toBe(0);
      const { id } = readJournal();
      expect(readJson("seen.json")).toMatchObject({
        page: `/migrations/${id}`,
        status: 200,
        data: { id },
      });
      expect(readJournal().attempts).toMatchObject([{ state: "done", command: "migrate --open" }]);
    },
  );

  test("prints no link with --quiet or --json", async () => {
    writeRows([row(1)]);
    configure({ steps: ["export", "send"] });
    for (const flag of ["--quiet", "--json"])
      expect((await runInProcess(["migrate", flag], { cwd: directory })).stderr).toBe("");
  });
});
