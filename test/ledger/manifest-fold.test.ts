import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { EVENT_COUNTS_NAMES_MAX } from "../../src/base/limits.js";
import { EventFold } from "../../src/ledger/event-fold.js";
import type { SplitRecord } from "../../src/ledger/ledger-records.js";
import { foldExport, type ManifestFacts } from "../../src/ledger/manifest-fold.js";
import { makePlan } from "../../src/plan/plan.js";
import type { SplitEvents } from "../../src/profile/event-counts.js";
import type { Source } from "../../src/sources/source.js";

const DAY_MS = 86_400_000;

const sources = ["a", "b"].map(
  (name): Source => ({
    name,
    path: `/in/${name}`,
    codecs: [],
    size: 100,
    fingerprint: `print of ${name}`,
    format: { kind: "ndjson" },
  }),
);

const facts = {
  version: "1.2.3",
  options: { dataset: "events", format: "jsonl", dayZone: "UTC" },
  plan: makePlan(
    sources.map((source) => ({ source, ranges: [{ source, start: 0, end: null }] })),
    { splitBytes: 100 },
  ),
  epochs: [{ number: 0, sources: 2 }],
  unreadable: [],
  inputs: { path: "inputs.jsonl", count: 2, bytes: 9, sha256: "0".repeat(64) },
  run: { startedAt: "s", endedAt: "e", durationMs: 1, resumes: 0, epochs: ["s"] },
};

function foldWith(records: readonly SplitRecord[], events: readonly SplitEvents[]) {
  const fold = new EventFold();
  for (const one of events) fold.add(one);
  return foldExport(facts, records, fold);
}

function fold(given: ManifestFacts, records: readonly SplitRecord[]) {
  const events = new EventFold();
  const ids = records.map(({ id }) => id).sort();
  for (const id of ids) events.add(eventsOf(id));
  return foldExport(given, records, events).manifest;
}

function eventsOf(id: string): SplitEvents {
  return {
    names: [
      { event: "tea", rows: 3, firstMs: Number(id), lastMs: DAY_MS + Number(id) },
      { event: "rum", rows: 1, firstMs: DAY_MS, lastMs: DAY_MS },
    ],
    days: [
      [0, 0, 2],
      [1, 0, 1, 1, 1],
    ],
  };
}

function recordOf(id: string, changes: Partial<SplitRecord> = {}): SplitRecord {
  const part = (day: number) => ({
    path: `events/1970-01-0${day + 1}/part-${id}-0.jsonl`,
    day: `1970-01-0${day + 1}`,
    rows: 2,
    bytes: 20,
    sha256: `sum of ${id} ${day}`,
    firstTimestamp: day * DAY_MS + Number(id),
    lastTimestamp: day * DAY_MS + 10 + Number(id),
  });
  return {
    id,
    status: "complete",
    failures: [],
    rows: { read: 7, added: 0, delivered: 4, rejected: 2, filtered: 1 },
    rejects: [{ code: "time_missing", rows: 2, example: { source: id, message: `in ${id}` } }],
    notices: { collisions: 3 },
    parts: [part(0), part(1)],
    ...changes,
  };
}

describe("a manifest", () => {
  it("adds up the records of splits, by day and in total", () => {
    const manifest = fold(facts, [recordOf("000000"), recordOf("000001")]);
    expect(manifest.complete).toBe(true);
    expect(manifest.totals).toEqual({
      rows: 8,
      bytes: 80,
      files: 4,
      days: 2,
      firstTimestamp: "1970-01-01T00:00:00.000Z",
      lastTimestamp: "1970-01-02T00:00:00.011Z",
    });
    expect(manifest.rows).toMatchObject({ read: 14, delivered: 8, rejected: 4, filtered: 2 });
    expect(manifest.notices).toEqual({ collisions: 6 });
    expect(manifest.rejects).toEqual([
      { code: "time_missing", rows: 4, example: { source: "000000", message: "in 000000" } },
    ]);
    expect(manifest.days[1]).toMatchObject({
      day: "1970-01-02",
      rows: 4,
      bytes: 40,
      firstTimestamp: "1970-01-02T00:00:00.000Z",
      lastTimestamp: "1970-01-02T00:00:00.011Z",
    });
    expect(manifest.days[1]?.files.map(({ path }) => path)).toEqual([
      "events/1970-01-02/part-000000-0.jsonl",
      "events/1970-01-02/part-000001-0.jsonl",
    ]);
  });

  it("counts events by name, and by day and name", () => {
    const { manifest, eventsByDay } = foldWith(
      [recordOf("000000"), recordOf("000001")],
      [eventsOf("000000"), eventsOf("000001")],
    );
    expect(manifest.events).toEqual([
      {
        event: "rum",
        rows: 2,
        firstTimestamp: "1970-01-02T00:00:00.000Z",
        lastTimestamp: "1970-01-02T00:00:00.000Z",
      },
      {
        event: "tea",
        rows: 6,
        firstTimestamp: "1970-01-01T00:00:00.000Z",
        lastTimestamp: "1970-01-02T00:00:00.001Z",
      },
    ]);
    expect(manifest.otherEvents).toBeUndefined();
    expect(eventsByDay).toBe(
      '{"day":"1970-01-01","events":[["tea",4]]}\n' +
        '{"day":"1970-01-02","events":[["rum",2],["tea",2]]}\n',
    );
    expect(manifest.eventsByDay).toEqual({
      path: "events-by-day.jsonl",
      bytes: eventsByDay.length,
      sha256: createHash("sha256").update(eventsByDay).digest("hex"),
    });
  });

  it("counts the events of names beyond the limit, in total and by day", () => {
    const others = { rows: 1, firstMs: 5, lastMs: 5 };
    const names = eventsOf("000000").names.slice(0, 1);
    const folded = foldWith([recordOf("000000")], [{ names, others, days: [[0, 0, 1]] }]);
    expect(folded.manifest.otherEvents).toEqual({
      rows: 1,
      firstTimestamp: "1970-01-01T00:00:00.005Z",
      lastTimestamp: "1970-01-01T00:00:00.005Z",
    });
    expect(folded.eventsByDay).toBe(
      '{"day":"1970-01-01","events":[["tea",1]],"others":1}\n' +
        '{"day":"1970-01-02","events":[],"others":2}\n',
    );
  });

  it("counts names of the first splits one by one if there are too many names", () => {
    const named = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        event: `e${from + index}`,
        rows: 1,
        firstMs: 1,
        lastMs: 1,
      }));
    const fold = new EventFold();
    fold.add({ names: named(0, EVENT_COUNTS_NAMES_MAX), days: [] });
    fold.add({ names: named(1, EVENT_COUNTS_NAMES_MAX), days: [] });
    const folded = fold.result([]);
    expect(folded.events).toHaveLength(EVENT_COUNTS_NAMES_MAX);
    expect(folded.otherEvents?.rows).toBe(1);
    expect(folded.events.find(({ event }) => event === "e1")?.rows).toBe(2);
  });

  it("counts only the first pairs by day if there are too many pairs", () => {
    const fold = new EventFold(2);
    fold.add(eventsOf("000000"));
    fold.add(eventsOf("000001"));
    const parts = ["000000", "000001"].flatMap((id) => recordOf(id).parts);
    expect(fold.result(parts).byDay).toBe(
      '{"day":"1970-01-01","events":[["tea",4]]}\n' +
        '{"day":"1970-01-02","events":[["tea",2]],"others":2}\n',
    );
  });

  it("is refused if an event was not counted", () => {
    const { names, days } = eventsOf("000000");
    expect(() => foldWith([recordOf("000000")], [{ names: names.slice(1), days }])).toThrow(
      expect.objectContaining({ code: "accounts_differ" }),
    );
  });

  it("does not depend on the order in which splits were finished", () => {
    const records = [recordOf("000000"), recordOf("000001")];
    expect(JSON.stringify(fold(facts, [...records].reverse()))).toBe(
      JSON.stringify(fold(facts, records)),
    );
  });

  it("is not complete while a split is missing or a source has failed", () => {
    const failure = { source: "b", code: "source_broken", message: "b: broken" };
    expect(fold(facts, [recordOf("000000")]).complete).toBe(false);
    const failed = recordOf("000001", { status: "incomplete", failures: [failure] });
    const manifest = fold(facts, [recordOf("000000"), failed]);
    expect(manifest.complete).toBe(false);
    expect(manifest.failures).toEqual([failure]);
    expect(manifest.inputs).toBe(facts.inputs);
  });

  it.each([
    ["a row read is missing", { read: 8 }],
    ["a row was delivered that is in no file", { delivered: 5, rejected: 1 }],
    ["a row is counted twice", { filtered: 2 }],
  ])("is refused where %s", (_, changes) => {
    const record = recordOf("000000");
    const wrong = { ...record, rows: { ...record.rows, ...changes } };
    expect(() => fold(facts, [wrong])).toThrow(
      expect.objectContaining({ code: "accounts_differ" }),
    );
  });
});
