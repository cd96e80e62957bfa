import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ChangedError } from "../../src/ledger/resume.js";
import { resolveWritten } from "../../src/mapper/resolve-mapping.js";
import { inputsOf } from "../support/inputs-of.js";
import { someOf } from "../support/property-runs.js";
import { fakeExport } from "./kit/fake-export.js";
import { quietRun, someInputs } from "./kit/some-inputs.js";

describe("a source that fails", () => {
  const faults: readonly [string, string, string][] = [
    ["break", "source_broken", "bad.txt: broken here"],
    ["crash", "source_crashed", "bad.txt: its worker thread died: not foreseen"],
    [
      "exit",
      "source_crashed",
      "bad.txt: its worker thread died: its thread ended with exit code 7",
    ],
    ["panic", "source_crashed", "bad.txt: its worker thread died: panicked"],
  ];
  it.each(someOf(faults, 2))(
    "by %s ends the run as failed, after all others are done",
    async (word, code, message) => {
      const run = fakeExport();
      run.input("a.txt", "2026-01-01 a");
      run.input("bad.txt", "2026-01-01 b", `2026-01-01 ${word}`, "2026-01-01 c");
      run.input("c.txt", "2026-01-01 d");
      const { outcome, failures, manifest } = await run.run({ splitBytes: 1_000 });
      expect(outcome).toBe("failed");
      expect(failures).toEqual([{ source: "bad.txt", code, message }]);
      expect(manifest.complete).toBe(false);
      expect(inputsOf(run.output).map(({ name, failure }) => [name, failure?.code])).toEqual([
        ["a.txt", undefined],
        ["bad.txt", code],
        ["c.txt", undefined],
      ]);
      const rows = Object.values(run.files())
        .filter((text) => text.startsWith("2026"))
        .join("");
      expect(rows).toContain("2026-01-01 a");
      expect(rows).toContain("2026-01-01 d");
      // A known fault keeps the rows before it; a dead thread delivers none.
      expect(rows.includes("2026-01-01 b")).toBe(word === "break");
      expect(rows).not.toContain("2026-01-01 c");
    },
  );

  it("is read again by a resumed run, with its repaired content", async () => {
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
    // Rows of the broken content in another day are gone.
    expect(manifest.days.map(({ day }) => day)).toEqual(["2026-01-01"]);
    expect(existsSync(join(run.output, "events/2026-01-02"))).toBe(false);
  });

  it("may be longer or shorter after its repair", async () => {
    for (const count of someOf([1, 12], 2)) {
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

describe("a repaired input", () => {
  it.each(someOf(["2026-01-01 break", "unreadable"], 2))(
    "gives the files of a clean run, also where it moves the splits behind it (%s)",
    async (damage) => {
      const good = ["2026-01-01 b1", "2026-01-02 b2", "2026-01-01 b3"];
      const bad = damage === "unreadable" ? [damage] : [...good.slice(0, 2), damage, ...good];
      const [clean, run] = [fakeExport(), fakeExport()];
      for (const one of [clean, run]) {
        one.input("a.txt", "2026-01-01 a");
        one.input("b.txt", ...good);
        one.input("c.txt", "2026-01-01 c1", "2026-01-02 c2");
      }
      await clean.run({ splitBytes: 30 });
      run.input("b.txt", ...bad);
      expect((await run.run({ splitBytes: 30 })).outcome).toBe("failed");
      run.input("b.txt", ...good);
      expect((await run.run({ splitBytes: 30 })).outcome).toBe("done");
      expect(run.files()).toEqual(clean.files());
      expect((await run.run({ splitBytes: 30 })).alreadyDone).toBe(true);
    },
  );
});

describe("an input with unreadable first bytes", () => {
  it("ends the run as failed, and is read in its place when it is repaired", async () => {
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
    expect(repaired).toMatchObject({ outcome: "done", rowsRead: 3 });
    expect(inputsOf(run.output).map(({ name }) => name)).toEqual(["a.txt", "b.txt", "c.txt"]);
    expect((await run.run()).alreadyDone).toBe(true);
  });

  it("is refused if it was read before, and fails if it was not", async () => {
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
    run.input("a.txt", "2026-01-01 a");
    run.remove("b.txt");
    expect(await run.run({ splitBytes: 14 })).toMatchObject({ outcome: "done" });
  });
});

describe("an output directory with the work of an earlier run", () => {
  it("leads to the output of an undisturbed run, with any splits and parts left by a kill", async () => {
    const quiet = await quietRun();
    const full = fakeExport();
    someInputs(full);
    await full.run();
    const splits = readdirSync(join(full.output, "_switchyard/splits"));
    expect(splits.length).toBeGreaterThan(4);
    // With and without the manifest, and with all splits lost or those from one on.
    for (const lost of someOf([...splits.keys()], 5)) {
      const from = lost % 3 === 0 ? splits : splits.slice(lost);
      for (const name of from)
        rmSync(join(full.output, "_switchyard/splits", name), { force: true });
      if (lost % 2 === 0) rmSync(join(full.output, "manifest.json"));
      // A part that a killed run had already renamed; its row must disappear.
      mkdirSync(join(full.output, "events/2026-01-09"), { recursive: true });
      const orphan = `part-${(splits.at(-1) as string).slice(0, 6)}-1.jsonl`;
      writeFileSync(join(full.output, "events/2026-01-09", orphan), "2026-01-09 orphan\n");
      const result = await full.run();
      expect(result.alreadyDone).toBe(false);
      expect(full.files()).toEqual(quiet);
    }
  });

  it("is refused with a list of changes, and left unchanged", async () => {
    const run = fakeExport();
    someInputs(run);
    await run.run();
    const before = run.files();
    run.input("a.txt", "2026-01-01 other");
    run.remove("b.txt");
    run.input("new.txt", "2026-01-01 n");
    const changed = run.run({
      format: "csv",
      mapping: resolveWritten({ event: "name", timestamp: "at" }),
    });
    await expect(changed).rejects.toBeInstanceOf(ChangedError);
    await expect(changed).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(
        [
          "settings:",
          '  --format: was "jsonl", is "csv"',
          '  mapping.timestamp: was [{"format":"auto","path":["time"],"shifted":false,"zone":"UTC"}], is [{"format":"auto","path":["at"],"shifted":false,"zone":"UTC"}]',
          "  input a.txt: size 347 → 17 bytes, other content\n",
        ].join("\n"),
      ),
    });
    await expect(changed).rejects.toThrow("--fresh");
    expect(run.files()).toEqual(before);
  });

  it("accepts changes that do not affect the output", async () => {
    const run = fakeExport();
    someInputs(run);
    await run.run();
    const again = await run.run({ threads: 1, maxRejects: { rows: 9 }, ratioMax: 5 });
    expect(again.alreadyDone).toBe(true);
  });

  it("loses Switchyard's own files, and no others, with --fresh", async () => {
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

  it("is refused if it has parts without a ledger, and may hold any other files", async () => {
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

  it.each(someOf([[false], [true]], 2))(
    "is refused if a day has a file of somebody else (fresh: %s)",
    async (fresh) => {
      const run = fakeExport();
      someInputs(run);
      await run.run();
      rmSync(join(run.output, "_switchyard"), { recursive: true });
      const day = join(run.output, "events/2026-01-01");
      if (!fresh) rmSync(day, { recursive: true });
      mkdirSync(day, { recursive: true });
      writeFileSync(join(day, "mine.parquet"), "mine");
      const before = Object.keys(run.files());
      await expect(run.run({ fresh })).rejects.toMatchObject({ code: "output_occupied" });
      expect(Object.keys(run.files())).toEqual(before);
      rmSync(join(day, "mine.parquet"));
      writeFileSync(join(day, "_SUCCESS"), "");
      expect((await run.run({ fresh: true })).outcome).toBe("done");
    },
  );

  it.each(someOf(["finished", "grown"], 2))(
    "is refused if a day of a run that it resumes has a file of somebody else (%s)",
    async (state) => {
      const run = fakeExport();
      someInputs(run);
      await run.run();
      if (state === "grown") run.input("later.txt", "2026-01-09 a");
      const before = Object.keys(run.files()).length;
      const mine = join(run.output, "events/2026-01-01/mine.parquet");
      writeFileSync(mine, "mine");
      await expect(run.run()).rejects.toMatchObject({
        code: "output_occupied",
        message: expect.stringContaining(`${mine} exists`),
      });
      expect(Object.keys(run.files())).toHaveLength(before + 1);
      rmSync(mine);
      expect((await run.run()).outcome).toBe("done");
    },
  );

  it.each(someOf(["deleted", "truncated"], 2))(
    "is not done if a part of it was %s, and writes it again",
    async (how) => {
      const run = fakeExport();
      someInputs(run);
      await run.run();
      const before = run.files();
      const part = Object.keys(before).find((name) => name.startsWith("events/")) ?? "";
      if (how === "deleted") rmSync(join(run.output, part));
      else writeFileSync(join(run.output, part), "");
      const again = await run.run();
      expect(again).toMatchObject({ outcome: "done", alreadyDone: false });
      expect(run.files()[part]).toEqual(before[part]);
      expect(await run.run()).toMatchObject({ alreadyDone: true });
    },
  );

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

  it("never contains the salt", async () => {
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
