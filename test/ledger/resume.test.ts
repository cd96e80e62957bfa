import { describe, expect, it } from "vitest";
import type { RunRecord } from "../../src/ledger/ledger.js";
import { ChangedError, compareRun, type RunFacts } from "../../src/ledger/resume.js";
import { assignSources } from "../../src/ledger/source-epochs.js";
import { makePlan } from "../../src/plan/plan.js";
import type { Source, ZipEntry } from "../../src/sources/source.js";

const options = { dataset: "events", format: "jsonl", dayZone: "UTC" };

function fileOf(name: string, content: string): Source {
  return {
    name,
    path: `/in/${name}`,
    codecs: [],
    size: 10,
    fingerprint: JSON.stringify({ sha256: content }),
    format: { kind: "ndjson" },
  };
}

/** An entry of a zip that was modified at a time. */
function entryOf(name: string, crc32: number, zipModifiedMs: number): Source {
  const entry: ZipEntry = {
    name,
    index: 0,
    localHeaderOffset: zipModifiedMs,
    compressedSize: 5,
    uncompressedSize: 9,
    method: 8,
    crc32,
  };
  const source = fileOf(`z.zip!${name}`, "");
  return { ...source, entry, fingerprint: JSON.stringify({ modifiedMs: zipModifiedMs, crc32 }) };
}

/** A run with a split for each source. */
function savedRun(sources: readonly Source[], unreadable: readonly string[] = []): RunRecord {
  return {
    version: "1",
    options,
    maxTimeMs: 0,
    startedAt: "",
    resumes: 0,
    plan: makePlan(
      sources.map((source) => ({ source, ranges: [{ source, start: 0, end: null }] })),
      { splitBytes: 1 },
    ),
    unreadable: unreadable.map((source) => ({ source, code: "x", message: `${source}: x` })),
  };
}

function factsOf(sources: readonly Source[], unreadable: readonly string[] = []): RunFacts {
  return { version: "1", options, sources, unreadable: savedRun([], unreadable).unreadable };
}

function check(saved: RunRecord, finished: readonly string[], facts: RunFacts, isFinal = false) {
  const splits = {
    finished: new Set(finished),
    replaceable: new Set<string>(),
    edited: new Set<string>(),
    isFinal,
  };
  const { known, fresh } = assignSources([saved], facts);
  const { refused, ...changes } = compareRun(saved, splits, { ...facts, ...known[0] });
  if (refused.length > 0) throw new ChangedError("out", refused);
  const names = (sources: readonly Source[]) => sources.map(({ name }) => name);
  return {
    repaired: names(changes.repaired),
    appeared: names(changes.appeared),
    lost: [...changes.lost],
    vanished: [...changes.vanished],
    fresh: [...names(fresh.sources), ...fresh.unreadable.map(({ source }) => source)],
  };
}

const nothing = { repaired: [], appeared: [], lost: [], vanished: [], fresh: [] };

describe("a saved run", () => {
  it("is resumed unchanged if nothing changed, with inputs in any order", () => {
    const sources = [fileOf("a", "1"), fileOf("b", "1")];
    expect(check(savedRun(sources), ["000000"], factsOf(sources.toReversed()))).toEqual(nothing);
  });

  it("accepts other content only if no split of the source is finished", () => {
    const saved = savedRun([fileOf("a", "1"), fileOf("b", "1")]);
    const facts = factsOf([fileOf("a", "1"), fileOf("b", "2")]);
    expect(check(saved, ["000000"], facts)).toEqual({ ...nothing, repaired: ["b"] });
    expect(() => check(saved, ["000001"], facts)).toThrow("input b: other content");
  });

  it("keeps unchanged entries of a zip that was replaced", () => {
    const saved = savedRun([entryOf("a", 1, 100), entryOf("b", 2, 100)]);
    const replaced = factsOf([entryOf("a", 1, 200), entryOf("b", 3, 200)]);
    expect(check(saved, ["000000"], replaced)).toEqual({ ...nothing, repaired: ["z.zip!b"] });
    expect(() => check(saved, ["000001"], replaced)).toThrow("checksum of the entry 2 → 3");
  });

  it("accepts entries of a zip that could not be read before, and the reverse", () => {
    const entries = [entryOf("a", 1, 100), entryOf("b", 2, 100)];
    const names = ["z.zip!a", "z.zip!b"];
    const other = fileOf("other", "1");
    expect(check(savedRun([other], ["z.zip"]), [], factsOf([other, ...entries]))).toEqual({
      ...nothing,
      appeared: names,
    });
    expect(check(savedRun([other, ...entries]), [], factsOf([other], ["z.zip"]))).toEqual({
      ...nothing,
      lost: names,
    });
    expect(check(savedRun([], ["z.zip"]), [], factsOf([], ["z.zip"]))).toEqual(nothing);
    expect(check(savedRun([], ["z.zip"]), [], factsOf([], ["z.zip!a"]))).toEqual(nothing);
  });

  it("does not treat a name with the same beginning as an entry", () => {
    const saved = savedRun([], ["z.zip"]);
    const facts = factsOf([fileOf("z.zip2", "1")], ["z.zip"]);
    expect(check(saved, [], facts)).toEqual({ ...nothing, fresh: ["z.zip2"] });
  });

  it("leaves new inputs to the next epoch, and does without those that were read", () => {
    const saved = savedRun([fileOf("a", "1"), fileOf("b", "2")], ["broken"]);
    const facts = factsOf([fileOf("b", "2"), fileOf("c", "3")], ["also broken"]);
    expect(check(saved, ["000000"], facts)).toEqual({
      ...nothing,
      vanished: ["a"],
      fresh: ["c", "also broken"],
    });
  });

  it("knows a file that was moved or renamed by its path or its content", () => {
    const saved = savedRun([fileOf("a", "1"), fileOf("b", "2")]);
    const renamed = fileOf("b.1", "2");
    const elsewhere = { ...fileOf("/in/a", "1"), path: "/in/a" };
    expect(check(saved, ["000000", "000001"], factsOf([elsewhere, renamed]))).toEqual(nothing);
    const copy = fileOf("copy of b", "2");
    const facts = factsOf([fileOf("a", "1"), fileOf("b", "2"), copy]);
    expect(check(saved, [], facts)).toEqual({ ...nothing, fresh: ["copy of b"] });
  });

  it("is resumed by another version, unless it may have begun a split whose events it cannot take back", () => {
    const saved = savedRun([fileOf("a", "1"), fileOf("b", "1")]);
    const facts = { ...factsOf(saved.plan.sources), version: "2" };
    expect(check(saved, [], facts)).toEqual(nothing);
    expect(check(saved, ["000000", "000001"], facts, true)).toEqual(nothing);
    expect(() => check(saved, ["000000"], facts, true)).toThrow(/only 1 can finish/);
  });

  it("does not notice an empty list that its version did not know", () => {
    const saved = savedRun([fileOf("a", "1")]);
    const facts = factsOf(saved.plan.sources);
    const more = (mapping: object) => ({ ...facts, options: { ...options, mapping } });
    const before = { ...saved, options: { ...options, mapping: { event: [1] } } };
    expect(check(before, [], more({ event: [1], added: [] }))).toEqual(nothing);
    expect(() => check(before, [], more({ event: [1], added: [1] }))).toThrow("mapping.added");
    expect(() => check(before, [], more({ event: [] }))).toThrow("mapping.event");
  });

  it("knows a file that was touched or copied again by its size and content", () => {
    const print = (modifiedMs: number, sha256 = "1") => ({
      ...fileOf("a", ""),
      fingerprint: JSON.stringify({ size: 10, modifiedMs, sha256 }),
    });
    const saved = savedRun([print(1)]);
    expect(check(saved, ["000000"], factsOf([print(2.5)]))).toEqual(nothing);
    expect(() => check(saved, ["000000"], factsOf([print(2.5, "2")]))).toThrow("other content");
  });

  it("is refused if an input changed or disappeared before it was read", () => {
    const saved = savedRun([fileOf("a", "1"), fileOf("b", "1")]);
    const facts = factsOf([fileOf("b", "2")]);
    expect(() => check(saved, ["000001"], facts)).toThrow(
      /settings:\n {2}input a: is gone, but was not read to its end\n {2}input b: other content\nRestore/,
    );
  });

  it("lists the first of many changes and counts the rest", () => {
    const many = Array.from({ length: 30 }, (_, index) => fileOf(`f${index}`, "1"));
    const refused = () => check(savedRun(many), [], factsOf([]));
    expect(refused).toThrow(ChangedError);
    expect(refused).toThrow(/input f19: .*\n {2}and 10 more/);
    expect(refused).not.toThrow("input f20");
  });
});
