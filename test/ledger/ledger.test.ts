import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { Ledger, type RunRecord } from "../../src/ledger/ledger.js";
import type { SplitRecord } from "../../src/ledger/ledger-records.js";
import { type Layout, layoutOf } from "../../src/output/layout.js";
import { makePlan } from "../../src/plan/plan.js";
import type { SplitEvents } from "../../src/profile/event-counts.js";
import type { Source } from "../../src/sources/source.js";
import { scratchDirectory } from "../support/scratch.js";

let root: string;
let layout: Layout;
let ledger: Ledger;

beforeEach(async () => {
  root = scratchDirectory("ledger");
  layout = layoutOf(join(root, "out"), "events");
  ledger = new Ledger(layout);
  await ledger.prepare();
});

const sources = ["a", "b"].map(
  (name): Source => ({
    name,
    path: `/in/${name}`,
    codecs: ["gzip"],
    size: 60,
    fingerprint: name,
    format: { kind: "ndjson" },
  }),
);

const run: RunRecord = {
  version: "1.2.3",
  options: { dataset: "events", format: "jsonl", dayZone: "UTC", mapping: { event: ["x"] } },
  maxTimeMs: 99,
  startedAt: "then",
  resumes: 2,
  plan: makePlan(
    sources.map((source) => ({ source, ranges: [{ source, start: 0, end: null }] })),
    { splitBytes: 10_000 },
  ),
  unreadable: [{ source: "c", code: "x", message: "c: x" }],
};

const split: SplitRecord = {
  id: "000000",
  status: "complete",
  failures: [],
  rows: { read: 0, added: 0, delivered: 0, rejected: 0, filtered: 0 },
  rejects: [],
  notices: {},
  parts: [],
};

const events: SplitEvents = {
  names: [{ event: "tea", rows: 1, firstMs: 2, lastMs: 3 }],
  days: [[0, 0, 1]],
};

/** Returns the run as data. */
async function readRun(): Promise<RunRecord> {
  return JSON.parse(JSON.stringify(await ledger.readRun()));
}

describe("a ledger", () => {
  it("returns the run and the splits that were written", async () => {
    expect(await ledger.readRun()).toBeUndefined();
    await ledger.writeRun(run);
    expect(await readRun()).toEqual(run);
    await ledger.writeSplit({ ...split, id: "000001", status: "incomplete" });
    await ledger.writeEvents(split.id, events);
    await ledger.writeSplit(split);
    expect(await ledger.readEvents(split.id)).toEqual(events);
    expect((await ledger.readSplits()).map(({ id }) => id)).toEqual(["000000", "000001"]);
    await ledger.removeSplit("000000");
    await expect(ledger.readEvents("000000")).rejects.toMatchObject({ code: "ledger_unreadable" });
    expect((await ledger.readSplits()).map(({ id }) => id)).toEqual(["000001"]);
  });

  it("ignores and removes unfinished files of a killed run", async () => {
    writeFileSync(join(layout.splitsDirectory, "000000.json.part"), "{");
    writeFileSync(join(layout.temporaryDirectory, "half"), "{");
    expect(await ledger.readSplits()).toEqual([]);
    await ledger.prepare();
    expect(readdirSync(layout.temporaryDirectory)).toEqual([]);
  });

  it("names a file that cannot be read, with advice", async () => {
    writeFileSync(layout.planFile, "{");
    await expect(ledger.readRun()).rejects.toThrow(/plan\.json cannot be read .* --fresh/);
    await ledger.writeRun(run);
    writeFileSync(join(layout.splitsDirectory, "000003.json"), "");
    await expect(ledger.readSplits()).rejects.toThrow("000003.json cannot be read");
  });

  it.each([
    ["plan.json", "a plan without its lines", { format: 1, version: "1.2.3" }],
    ["plan.json", "lines elsewhere", { lines: { path: "../x", bytes: 1, sha256: "0".repeat(64) } }],
    ["plan.json", "nothing", null],
    ["splits/000000.json", "a record without rows", { ...split, rows: undefined }],
    ["splits/000000.json", "an unknown status", { ...split, status: "half" }],
    ["merges/plan.json", "a plan without merges", { spilled: "x" }],
    ["merges/000000.json", "a merge without parts", { id: "000000", rows: 1 }],
  ])("refuses %s with %s", async (name, _, damaged) => {
    await ledger.writeRun(run);
    await ledger.writeMergePlan({ spilled: "x", merges: [] });
    const path = join(layout.ledgerDirectory, name);
    const isPart = name === "plan.json" && damaged !== null && !("version" in damaged);
    const whole = isPart ? { ...JSON.parse(readFileSync(path, "utf8")), ...damaged } : damaged;
    writeFileSync(path, JSON.stringify(whole));
    const reading = async () => {
      await ledger.readRun();
      await ledger.readSplits();
      await ledger.readMergePlan();
      await ledger.readMerge("000000");
    };
    await expect(reading()).rejects.toMatchObject({
      code: "ledger_unreadable",
      message: expect.stringContaining(path),
    });
  });

  it.each([
    ["a source without a path", { source: { name: "a" } }],
    ["a range of no source", { split: "000000", bytes: 1, ranges: [[7, 0, null]] }],
    ["a split without ranges", { split: "000000", bytes: 1 }],
    ["an unknown line", { ranges: [] }],
    ["half a line", undefined],
  ])("refuses a plan with %s", async (_, damaged) => {
    await ledger.writeRun(run);
    const path = join(layout.epochDirectory, "plan-2.jsonl");
    const lines = readFileSync(path, "utf8");
    writeFileSync(
      path,
      damaged === undefined ? lines.slice(0, -9) : `${JSON.stringify(damaged)}\n`,
    );
    await expect(ledger.readRun()).rejects.toMatchObject({
      code: "ledger_unreadable",
      message: expect.stringContaining(path),
    });
    rmSync(path);
    await expect(ledger.readRun()).rejects.toThrow("it does not exist");
  });

  it("refuses a plan with the lines of another one", async () => {
    await ledger.writeRun(run);
    const path = join(layout.epochDirectory, "plan-2.jsonl");
    writeFileSync(path, readFileSync(path, "utf8").replace("/in/a", "/in/b"));
    await expect(ledger.readRun()).rejects.toThrow("is not what plan.json says");
  });

  it("keeps the lines of a plan as long as it stays the same", async () => {
    await ledger.writeRun(run);
    await ledger.writeRun({ ...run, resumes: 3 });
    const plans = () => readdirSync(layout.epochDirectory).filter((name) => /^plan/.test(name));
    expect(plans()).toEqual(["plan-2.jsonl", "plan.json"]);
    expect(await readRun()).toEqual({ ...run, resumes: 3 });
    const other = { ...run, resumes: 4, unreadable: [] };
    await ledger.writeRun(other);
    expect(plans()).toEqual(["plan-4.jsonl", "plan.json"]);
    expect(await readRun()).toEqual(other);
  });

  it("uses the sources of today that are as planned, and only those", async () => {
    await ledger.writeRun(run);
    const [a, b] = sources.map((source) => ({ ...source }));
    const changed = { ...b!, fingerprint: "other" };
    const plan = (await ledger.readRun([a!, changed]))?.plan;
    expect(plan?.sources[0]).toBe(a);
    expect(plan?.sources[1]).toMatchObject({ name: "b", fingerprint: "b" });
    expect(plan?.splits[0]?.ranges[0]?.source).toBe(a);
    expect((await ledger.readRun([b!]))?.plan.sources[1]).toBe(b);
  });

  it.each([
    [
      "a newer format",
      { format: 99, version: "9.9.9" },
      /9\.9\.9 in format 99; \S+ resumes format 1/,
    ],
    [
      "that of 0.2.0",
      { ledgerVersion: 7, version: "0.2.0" },
      /0\.2\.0 in a format older than 0\.3\.0/,
    ],
  ])("refuses %s and names the version that wrote it", async (_, content, message) => {
    writeFileSync(layout.planFile, JSON.stringify(content));
    await expect(ledger.readRun()).rejects.toMatchObject({
      code: "ledger_unreadable",
      message: expect.stringMatching(message),
    });
  });

  it("names a directory that is not writable", async () => {
    rmSync(layout.splitsDirectory, { recursive: true });
    writeFileSync(layout.splitsDirectory, "a file in the way");
    await expect(ledger.writeSplit(split)).rejects.toMatchObject({
      code: "output_unwritable",
      message: expect.stringContaining(root),
    });
  });
});
