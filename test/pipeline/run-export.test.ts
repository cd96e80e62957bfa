import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SwitchyardError } from "../../src/base/errors.js";
import { CENSUS_NAMES_MAX } from "../../src/base/limits.js";
import { ChangedError } from "../../src/pipeline/ledger/resume.js";
import type { RunProgress } from "../../src/pipeline/progress.js";
import { runExport } from "../../src/pipeline/run-export.js";
import type { Source, SourceRange } from "../../src/readers/source.js";
import { type FakeExport, fakeExport } from "./kit/fake-export.js";

const DAYS = ["2026-01-01", "2026-01-02", "2026-01-03"];

/** Inputs of several splits, with rows of every fate. */
function someInputs(run: FakeExport): void {
  const rows = (word: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${DAYS[index % 3]} ${word}${index}`);
  run.input("a.txt", ...rows("a", 20), "2026-01-01 bad", ...rows("b", 3));
  run.input("b.txt", ...rows("c", 2));
  run.input("c.txt", "2026-01-02 skip", "2026-01-02 bad", ...rows("d", 9));
}

async function quietRun(): Promise<Readonly<Record<string, string>>> {
  const run = fakeExport();
  someInputs(run);
  await run.run();
  return run.files();
}

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
      duplicates: 0,
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

  it("gives the same bytes with one thread and with four", async () => {
    const [one, four] = [fakeExport(), fakeExport()];
    for (const run of [one, four]) someInputs(run);
    await one.run({ threads: 1 });
    await four.run({ threads: 4 });
    expect(four.files()).toEqual(one.files());
  });

  it("counts by name those that come first in the inputs, whichever split is done first", async () => {
    const run = fakeExport();
    const lines = (word: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${DAYS[0]} ${word}${index}`);
    run.input("a.txt", ...lines("early", 20));
    run.input("b.txt", ...lines("late", CENSUS_NAMES_MAX));
    // A split for each of them; the larger one is done first.
    const { manifest } = await run.run({ threads: 1, splitBytes: run.inputBytes() - 10 });
    expect(manifest.events).toHaveLength(CENSUS_NAMES_MAX);
    expect(manifest.events.filter(({ event }) => event.startsWith("early"))).toHaveLength(20);
    expect(manifest.otherEvents?.rows).toBe(20);
  });

  it("keeps a rejected row with its place, its reason and its bytes", async () => {
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

  it("allows as many rejects as it was told, as a number or as a share", async () => {
    const run = fakeExport();
    run.input("a.txt", "2026-01-01 a", "2026-01-01 b", "2026-01-01 c", "2026-01-01 bad");
    expect((await run.run({ maxRejects: { rows: 1 } })).tooManyRejects).toBe(false);
    expect((await run.run({ maxRejects: { rows: 0 } })).tooManyRejects).toBe(true);
    expect((await run.run({ maxRejects: { share: 0.25 } })).tooManyRejects).toBe(false);
    expect((await run.run({ maxRejects: { share: 0.24 } })).tooManyRejects).toBe(true);
  });

  it("says at any time how far it is", async () => {
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

  it("does nothing, and says so, where the same command has finished", async () => {
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

describe("a source that fails", () => {
  it.each([
    ["break", "source_broken", "bad.txt: broken here"],
    ["crash", "source_crashed", "bad.txt: its worker thread died: not foreseen"],
    ["exit", "source_crashed", "bad.txt: its worker thread died: its thread ended with code 7"],
    ["panic", "source_crashed", "bad.txt: its worker thread died: panicked"],
  ])("by %s ends the run as failed, after all others are done", async (word, code, message) => {
    const run = fakeExport();
    run.input("a.txt", "2026-01-01 a");
    run.input("bad.txt", "2026-01-01 b", `2026-01-01 ${word}`, "2026-01-01 c");
    run.input("c.txt", "2026-01-01 d");
    const { outcome, failures, manifest } = await run.run({ splitBytes: 1_000 });
    expect(outcome).toBe("failed");
    expect(failures).toEqual([{ source: "bad.txt", code, message }]);
    expect(manifest.complete).toBe(false);
    expect(manifest.inputs.map(({ name, failure }) => [name, failure?.code])).toEqual([
      ["a.txt", undefined],
      ["bad.txt", code],
      ["c.txt", undefined],
    ]);
    const rows = Object.values(run.files())
      .filter((text) => text.startsWith("2026"))
      .join("");
    expect(rows).toContain("2026-01-01 a");
    expect(rows).toContain("2026-01-01 d");
    // The rows before a foreseen break are whole; a thread that died gives none.
    expect(rows.includes("2026-01-01 b")).toBe(word === "break");
    expect(rows).not.toContain("2026-01-01 c");
  });

  it("is read again when the run is resumed, and its repaired content is taken up", async () => {
    const run = fakeExport();
    run.input("a.txt", "2026-01-01 a");
    run.input("b.txt", "2026-01-02 b", "2026-01-03 break");
    run.input("c.txt", "2026-01-01 c");
    const options = { splitBytes: 14 };
    expect((await run.run(options)).outcome).toBe("failed");
    expect((await run.run(options)).outcome).toBe("failed");
    run.input("b.txt", "2026-01-01 b", "2026-01-01 repaired");
    const { outcome, manifest } = await run.run(options);
    expect(outcome).toBe("done");
    expect(manifest.rows.delivered).toBe(4);
    expect(manifest.run.resumes).toBe(2);
    // What the broken content had delivered to another day is gone.
    expect(manifest.days.map(({ day }) => day)).toEqual(["2026-01-01"]);
    expect(existsSync(join(run.output, "events/2026-01-02"))).toBe(false);
  });

  it("may have become longer or shorter when it is repaired", async () => {
    for (const count of [1, 12]) {
      const run = fakeExport();
      run.input("a.txt", "2026-01-01 a", "2026-01-01 a");
      run.input("b.txt", ...Array.from({ length: 4 }, () => "2026-01-01 break"));
      run.input("c.txt", "2026-01-01 c", "2026-01-01 c");
      await run.run({ splitBytes: 30 });
      run.input("b.txt", ...Array.from({ length: count }, (_, index) => `2026-01-01 b${index}`));
      const { outcome, manifest } = await run.run({ splitBytes: 30 });
      expect(outcome).toBe("done");
      expect(manifest.rows.delivered).toBe(4 + count);
    }
  });
});

describe("an input of which not even the beginning can be read", () => {
  it("ends the run as failed, and is taken up behind the others once it is repaired", async () => {
    const run = fakeExport();
    run.input("a.txt", "2026-01-01 a");
    run.input("b.txt", "unreadable");
    run.input("c.txt", "2026-01-01 c");
    const broken = await run.run();
    expect(broken.outcome).toBe("failed");
    expect(broken.failures).toEqual([
      { source: "b.txt", code: "source_unreadable", message: "b.txt: cannot be read" },
    ]);
    expect(broken.manifest.rows.delivered).toBe(2);
    expect(broken.manifest.complete).toBe(false);
    expect((await run.run()).outcome).toBe("failed");
    run.input("b.txt", "2026-01-01 b");
    const repaired = await run.run();
    expect(repaired).toMatchObject({ outcome: "done", rowsRead: 1 });
    expect(repaired.manifest.inputs.map(({ name }) => name)).toEqual(["a.txt", "c.txt", "b.txt"]);
    expect((await run.run()).alreadyDone).toBe(true);
  });

  it("is refused where it was read before, and only failed where it was not", async () => {
    const run = fakeExport();
    run.input("a.txt", "2026-01-01 a");
    run.input("b.txt", "2026-01-01 break");
    await run.run({ splitBytes: 14 });
    run.input("b.txt", "unreadable");
    expect((await run.run({ splitBytes: 14 })).failures.map(({ code }) => code)).toEqual([
      "source_unreadable",
    ]);
    run.input("a.txt", "unreadable");
    await expect(run.run({ splitBytes: 14 })).rejects.toThrow("input a.txt: a.txt: cannot be read");
    run.remove("b.txt");
    await expect(run.run({ splitBytes: 14 })).rejects.toThrow("input b.txt: was there, is gone");
  });
});

describe("an export that cannot go on", () => {
  it("fails at once when the disk is full, and goes on when there is room", async () => {
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

  it.each(["wait", "spin"])(
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

  it("shows no part of a split whose commit was interrupted", async () => {
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
      "manifest.json",
    ]);
  });

  it("keeps no plan when it was interrupted while it planned", async () => {
    const run = fakeExport();
    someInputs(run);
    const undisturbed = run.outside();
    const stop = new AbortController();
    const planRanges = async (source: Source): Promise<readonly SourceRange[]> => {
      stop.abort();
      throw new SwitchyardError("interrupted", `gave up ${source.name}`);
    };
    const context = { signal: stop.signal, observer: {} };
    await expect(
      runExport(run.options(), context, { ...undisturbed, planRanges }),
    ).rejects.toMatchObject({ code: "interrupted", exitCode: 130 });
    expect(existsSync(join(run.output, "_switchyard", "plan.json"))).toBe(false);
  });

  it("begins nothing when it was interrupted before", async () => {
    const run = fakeExport();
    someInputs(run);
    await expect(run.run({}, AbortSignal.abort())).rejects.toMatchObject({ exitCode: 130 });
    expect(existsSync(run.output)).toBe(false);
  });
});

describe("an output directory with the work of an earlier run", () => {
  it("gives what a quiet run gives, whichever splits and parts a kill has left", async () => {
    const quiet = await quietRun();
    const full = fakeExport();
    someInputs(full);
    await full.run();
    const splits = readdirSync(join(full.output, "_switchyard/splits"));
    expect(splits.length).toBeGreaterThan(4);
    for (let lost = 0; lost < splits.length; lost++) {
      const from = lost % 3 === 0 ? splits : splits.slice(lost);
      for (const name of from)
        rmSync(join(full.output, "_switchyard/splits", name), { force: true });
      if (lost % 2 === 0) rmSync(join(full.output, "manifest.json"));
      // A part that a killed run had already renamed, with a row that must not stay.
      mkdirSync(join(full.output, "events/2026-01-09"), { recursive: true });
      const orphan = `part-${(splits.at(-1) as string).slice(0, 6)}-1.jsonl`;
      writeFileSync(join(full.output, "events/2026-01-09", orphan), "2026-01-09 orphan\n");
      const result = await full.run();
      expect(result.alreadyDone).toBe(false);
      expect(full.files()).toEqual(quiet);
    }
  });

  it("is refused with all that changed, and left as it is", async () => {
    const run = fakeExport();
    someInputs(run);
    await run.run();
    const before = run.files();
    run.input("a.txt", "2026-01-01 other");
    run.remove("b.txt");
    run.input("new.txt", "2026-01-01 n");
    const changed = run.run({
      format: "csv",
      mapping: { event: ["name"], time: { zone: "Europe/Berlin" } },
    });
    await expect(changed).rejects.toBeInstanceOf(ChangedError);
    await expect(changed).rejects.toMatchObject({
      exitCode: 2,
      changes: [
        'format: was "jsonl", is "csv"',
        'mapping.time.zone: was "UTC", is "Europe/Berlin"',
        "input a.txt: size 347 → 17 bytes, other content",
        "input b.txt: was there, is gone",
        "input new.txt: was not there, is there now",
      ],
    });
    await expect(changed).rejects.toThrow("--fresh");
    expect(run.files()).toEqual(before);
  });

  it("is not concerned by what does not change the output", async () => {
    const run = fakeExport();
    someInputs(run);
    await run.run();
    const again = await run.run({ threads: 1, maxRejects: { rows: 9 }, ratioMax: 5 });
    expect(again.alreadyDone).toBe(true);
  });

  it("is emptied of Switchyard's own files, and of nothing else, by --fresh", async () => {
    const run = fakeExport();
    someInputs(run);
    await run.run({ dataset: "old" });
    const foreign = ["notes.txt", "old/2026-01-01/mine.jsonl", "old/part-000000-0.jsonl"];
    foreign.push("old/2026-01-01/part-7.jsonl", "rejects/README", "events/x/part-000000-0.jsonl");
    mkdirSync(join(run.output, "events/x"), { recursive: true });
    for (const name of foreign) writeFileSync(join(run.output, name), "foreign");
    run.input("a.txt", "2026-01-05 a");
    const { outcome } = await run.run({ fresh: true, format: "jsonl.gz" });
    expect(outcome).toBe("done");
    const names = Object.keys(run.files());
    expect(names).toEqual(expect.arrayContaining(foreign));
    expect(names.filter((name) => name.startsWith("old/")).sort()).toEqual(
      foreign.filter((name) => name.startsWith("old/")).sort(),
    );
    expect(run.read("manifest.json")).toContain('"2026-01-05"');
  });

  it("is refused where there are parts and no ledger, and may hold anything else", async () => {
    const run = fakeExport();
    someInputs(run);
    mkdirSync(join(run.output, "events/2026-01-01"), { recursive: true });
    writeFileSync(join(run.output, "notes.txt"), "mine");
    writeFileSync(join(run.output, "events/2026-01-01/part-000003-0.parquet"), "theirs");
    await expect(run.run()).rejects.toMatchObject({ code: "output_occupied", exitCode: 2 });
    expect(Object.keys(run.files())).toEqual([
      "events/2026-01-01/part-000003-0.parquet",
      "notes.txt",
    ]);
    expect(existsSync(join(run.output, "_switchyard"))).toBe(false);
    expect((await run.run({ dataset: "others" })).outcome).toBe("done");
  });

  it("keeps what `tomorrow` meant when the run first started", async () => {
    const run = fakeExport();
    run.input("a.txt", "2026-01-01 break");
    await run.run();
    const plan = () => JSON.parse(run.read("_switchyard/plan.json"));
    expect(plan().maxTimeMs).toBe(Date.UTC(2026, 1, 2));
    run.now += 7 * 86_400_000;
    await run.run();
    expect(plan().maxTimeMs).toBe(Date.UTC(2026, 1, 2));
  });

  it("never holds the salt", async () => {
    const run = fakeExport();
    run.input("a.txt", "2026-01-01 a");
    const privacy = { drop: [], hash: ["user.email"], salt: "pepper-and-salt" };
    await run.run({ privacy });
    const written = ["manifest.json", "_switchyard/plan.json"]
      .map((name) => run.read(name))
      .join("");
    expect(written).not.toContain("pepper");
    await expect(run.run({ privacy: { ...privacy, salt: "other" } })).rejects.toThrow(
      "privacy.saltCheck",
    );
  });
});
