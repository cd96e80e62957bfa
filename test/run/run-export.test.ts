import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SwitchyardError } from "../../src/base/errors.js";
import { EVENT_COUNTS_NAMES_MAX } from "../../src/base/limits.js";
import type { RunProgress } from "../../src/ledger/run-observer.js";
import type { Source, SourceRange } from "../../src/sources/source.js";
import { longTest } from "../support/long-test.js";
import { someOf } from "../support/property-runs.js";
import { fakeExport } from "./kit/fake-export.js";
import { DAYS, someInputs } from "./kit/some-inputs.js";

describe("an export", () => {
  it("delivers every row to its day and accounts for it in the manifest", async () => {
    const run = fakeExport();
    someInputs(run);
    const { outcome, manifest } = await run.run();
    expect(outcome).toBe("done");
    expect(manifest.rows).toEqual({
      read: 37,
      added: 0,
      delivered: 34,
      rejected: 2,
      filtered: 1,
    });
    const delivered = Object.entries(run.files())
      .filter(([name]) => name.startsWith("events/"))
      .flatMap(([name, text]) =>
        text
          .trimEnd()
          .split("\n")
          .map((line) => [name, line] as const),
      );
    expect(delivered).toHaveLength(34);
    for (const [name, line] of delivered) expect(name).toContain(line.slice(0, 10));
    expect(manifest.days.map(({ day }) => day)).toEqual(DAYS);
    expect(manifest.days.reduce((sum, { rows }) => sum + rows, 0)).toBe(34);
    expect(manifest.totals.files).toBe(manifest.days.flatMap(({ files }) => files).length);
    expect(manifest.notices).toEqual({ seen: 37 });
    expect(manifest.complete).toBe(true);
  });

  it("writes the same bytes with one thread and with four", async () => {
    const [one, four] = [fakeExport(), fakeExport()];
    for (const run of [one, four]) someInputs(run);
    await one.run({ threads: 1 });
    await four.run({ threads: 4 });
    expect(four.files()).toEqual(one.files());
  });

  longTest(
    "counts names that come first in the inputs, in any order of finished splits",
    async () => {
      const run = fakeExport();
      const lines = (word: string, count: number) =>
        Array.from({ length: count }, (_, index) => `${DAYS[0]} ${word}${index}`);
      run.input("a.txt", ...lines("early", 20));
      run.input("b.txt", ...lines("late", EVENT_COUNTS_NAMES_MAX));
      // Each input is a split; the larger one finishes first.
      const { manifest } = await run.run({ threads: 1, splitBytes: run.inputBytes() - 10 });
      expect(manifest.events).toHaveLength(EVENT_COUNTS_NAMES_MAX);
      expect(manifest.events.filter(({ event }) => event.startsWith("early"))).toHaveLength(20);
      expect(manifest.otherEvents?.rows).toBe(20);
    },
  );

  it("keeps a rejected row with its position, reason and bytes", async () => {
    const run = fakeExport();
    run.input("a.txt", "2026-01-01 a", "2026-01-01 bad", "2026-01-01 bad");
    run.input("b.txt", "2026-01-01 bad \u00ff");
    const { manifest, tooManyRejects } = await run.run();
    const lines = run.read("rejects/part-000000.jsonl").trimEnd().split("\n");
    const kept = {
      code: "time_unparsable",
      message: '"2026-01-01 bad" is bad',
      raw: "2026-01-01 bad",
      format: { kind: "ndjson" },
    };
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { ...kept, source: "a.txt", row: 2 },
      { ...kept, source: "a.txt", row: 3 },
      {
        source: "b.txt",
        row: 1,
        code: "time_unparsable",
        message: '"2026-01-01 bad \u00ff" is bad',
        rawBase64: Buffer.from("2026-01-01 bad \u00ff", "latin1").toString("base64"),
        format: { kind: "ndjson" },
      },
    ]);
    expect(manifest.rejects).toEqual([
      {
        code: "time_unparsable",
        rows: 3,
        example: { source: "a.txt", row: 2, message: '"2026-01-01 bad" is bad' },
      },
    ]);
    expect(tooManyRejects).toBe(true);
  });

  it("allows rejects up to a number or a share", async () => {
    const run = fakeExport();
    run.input("a.txt", "2026-01-01 a", "2026-01-01 b", "2026-01-01 c", "2026-01-01 bad");
    expect((await run.run({ maxRejects: { rows: 1 } })).tooManyRejects).toBe(false);
    expect((await run.run({ maxRejects: { rows: 0 } })).tooManyRejects).toBe(true);
    expect((await run.run({ maxRejects: { share: 0.25 } })).tooManyRejects).toBe(false);
    expect((await run.run({ maxRejects: { share: 0.24 } })).tooManyRejects).toBe(true);
  });

  it("reports progress at any time", async () => {
    const run = fakeExport();
    someInputs(run);
    let progress: () => RunProgress = () => expect.fail("not started");
    let early: RunProgress | undefined;
    await run.run({ threads: 2 }, undefined, {
      started(read) {
        progress = read;
        early = read();
      },
    });
    const { bytesTotal } = progress();
    expect(early).toMatchObject({ bytesDone: 0, rows: 0, splitsDone: 0, bytesTotal });
    expect(bytesTotal).toBe(run.inputBytes());
    expect(progress()).toMatchObject({ bytesDone: bytesTotal, rows: 37, rejects: 2 });
    expect(progress().splitsDone).toBe(progress().splitsTotal);
    expect(progress().threads.every(({ source }) => source === undefined)).toBe(true);
  });

  it("does nothing and reports it if the same command has finished", async () => {
    const run = fakeExport();
    someInputs(run);
    const first = await run.run();
    run.now += 86_400_000;
    const second = await run.run();
    expect(second).toMatchObject({ outcome: "done", alreadyDone: true, rowsRead: 0 });
    expect(second.manifest).toEqual(first.manifest);
  });

  it("fails as a whole when the mapper loses a row, and commits nothing of that split", async () => {
    const run = fakeExport();
    run.input("a.txt", "2026-01-01 a", "2026-01-01 lose");
    await expect(run.run()).rejects.toThrow("the mapper gave 1 rows for 2");
    expect(run.files()).toEqual({});
  });

  it("fails with the worker's reason when the workers cannot be set up", async () => {
    const run = fakeExport();
    run.input("a.txt", "2026-01-01 a");
    await expect(run.run({ preset: "impossible" })).rejects.toThrow("no such tools");
  });
});

describe("an export that cannot continue", () => {
  it("fails at once when the disk is full, and resumes when there is room", async () => {
    const run = fakeExport();
    run.input("a.txt", "2026-01-01 a", "2026-01-01 a");
    run.input("b.txt", "2026-01-01 full");
    run.input("c.txt", "2026-01-01 c");
    const options = { splitBytes: 20, threads: 1 };
    await expect(run.run(options)).rejects.toMatchObject({
      code: "disk_full",
      exitCode: 1,
      message: expect.stringContaining(run.output),
    });
    expect(Object.keys(run.files())).not.toContain("manifest.json");
    run.input("b.txt", "2026-01-01 b");
    expect((await run.run(options)).manifest.rows.delivered).toBe(4);
  });

  it.each(someOf(["wait", "spin"], 2))(
    "stops within the grace when a reader's thread is in a %s",
    async (word) => {
      const run = fakeExport();
      run.input("a.txt", "2026-01-01 a", "2026-01-01 a", "2026-01-01 a");
      run.input("b.txt", "2026-01-02 b", `2026-01-02 ${word}`);
      const stop = new AbortController();
      const result = await run.run({ splitBytes: 40, threads: 2 }, stop.signal, {
        started(progress) {
          const look = setInterval(() => {
            const { threads, splitsDone } = progress();
            if (splitsDone === 1 && threads.some(({ source }) => source === "b.txt")) {
              clearInterval(look);
              stop.abort();
            }
          }, 5);
        },
      });
      expect(result.outcome).toBe("interrupted");
      expect(result.manifest.complete).toBe(false);
      expect(result.manifest.rows.delivered).toBe(3);
      expect(existsSync(join(run.output, "events/2026-01-02"))).toBe(false);
      run.input("b.txt", "2026-01-02 b");
      const resumed = await run.run({ splitBytes: 40, threads: 1 });
      expect(resumed).toMatchObject({ outcome: "done", rowsRead: 1 });
    },
  );

  longTest("shows no part of a split whose commit was interrupted", async () => {
    const run = fakeExport();
    run.input("a.txt", "2026-01-01 a", "2026-01-01 a", "2026-01-01 a");
    run.input("b.txt", "2026-01-02 late", "2026-01-03 b");
    const stop = new AbortController();
    const part = join(run.output, "events/2026-01-02/part-000001-0.jsonl");
    const look = setInterval(() => existsSync(part) && stop.abort(), 5);
    const result = await run.run({ splitBytes: 40, threads: 1 }, stop.signal);
    clearInterval(look);
    expect(result.outcome).toBe("interrupted");
    expect(Object.keys(run.files())).toEqual([
      "events-by-day.jsonl",
      "events/2026-01-01/part-000000-0.jsonl",
      "inputs.jsonl",
      "manifest.json",
    ]);
  });

  it("keeps no plan if it is interrupted while planning", async () => {
    const run = fakeExport();
    someInputs(run);
    const stop = new AbortController();
    const planRanges = async (source: Source): Promise<readonly SourceRange[]> => {
      stop.abort();
      throw new SwitchyardError("interrupted", `gave up ${source.name}`);
    };
    const read = { ...run.reading(), planRanges };
    await expect(run.run({}, stop.signal, {}, { read })).rejects.toMatchObject({
      code: "interrupted",
      exitCode: 130,
    });
    expect(existsSync(join(run.output, "_switchyard", "plan.json"))).toBe(false);
  });

  it("follows each complete manifest while it holds the lock, and no other", async () => {
    const run = fakeExport();
    someInputs(run);
    const followed: boolean[] = [];
    const lock = join(run.output, "_switchyard", "lock");
    const follow = async () => void followed.push(existsSync(lock));
    const interrupted = new AbortController();
    const observer = { started: () => interrupted.abort() };
    await run.run({}, interrupted.signal, observer, { follow });
    expect(followed).toEqual([]);
    await run.run({}, undefined, {}, { follow });
    expect((await run.run({}, undefined, {}, { follow })).alreadyDone).toBe(true);
    expect(followed).toEqual([true, true]);
  });

  it("begins nothing if it was interrupted before", async () => {
    const run = fakeExport();
    someInputs(run);
    await expect(run.run({}, AbortSignal.abort())).rejects.toMatchObject({ exitCode: 130 });
    expect(existsSync(run.output)).toBe(false);
  });
});
