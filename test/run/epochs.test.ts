import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inputsOf } from "../support/inputs-of.js";
import { longTest } from "../support/long-test.js";
import { type FakeExport, fakeExport } from "./kit/fake-export.js";

const SPLIT_BYTES = 30;

/** An export of two files, which is done. */
async function exported(): Promise<FakeExport> {
  const run = fakeExport();
  run.input("a.txt", "2026-01-01 a1", "2026-01-02 a2", "2026-01-01 bad");
  run.input("b.txt", "2026-01-02 b1");
  await run.run({ splitBytes: SPLIT_BYTES });
  return run;
}

const again = (run: FakeExport) => run.run({ splitBytes: SPLIT_BYTES });

/** Returns the parts and rejects by path. */
function partsOf(run: FakeExport) {
  const files = Object.entries(run.files());
  return Object.fromEntries(files.filter(([name]) => /part-/.test(name)));
}

/** Returns the time of the last change of everything in the output. */
function changesOf(run: FakeExport): ReadonlyMap<string, number> {
  const names = readdirSync(run.output, { recursive: true, encoding: "utf8" });
  const isLasting = (name: string) => name !== "_switchyard";
  return new Map(
    names.filter(isLasting).map((name) => [name, statSync(join(run.output, name)).mtimeMs]),
  );
}

describe("the same export with more inputs", () => {
  it("reads only the new ones, as a further epoch that adds to old days", async () => {
    const run = await exported();
    const before = partsOf(run);
    run.input("c.txt", "2026-01-02 old", "2026-01-03 c");
    run.now += 3_600_000;
    const result = await again(run);
    expect(result).toMatchObject({ outcome: "done", rowsRead: 2, alreadyDone: false });
    expect(partsOf(run)).toEqual({
      ...before,
      "events/2026-01-02/part-e00001-000000-0.jsonl": "2026-01-02 old\n",
      "events/2026-01-03/part-e00001-000000-0.jsonl": "2026-01-03 c\n",
    });
    const { epochs, totals, rows, events, run: facts } = result.manifest;
    const none = { added: 0, rejected: 0, filtered: 0 };
    expect(epochs).toEqual([
      {
        number: 0,
        sources: 2,
        rows: { ...none, read: 4, delivered: 3, rejected: 1 },
        days: ["2026-01-01", "2026-01-02"],
      },
      {
        number: 1,
        sources: 1,
        rows: { ...none, read: 2, delivered: 2 },
        days: ["2026-01-02", "2026-01-03"],
      },
    ]);
    expect(result.epochs).toEqual(epochs.slice(1));
    expect(facts.epochs).toEqual(["2026-01-31T12:00:00.000Z", "2026-01-31T13:00:00.000Z"]);
    expect([totals.rows, totals.days, rows.read]).toEqual([5, 3, 6]);
    expect(inputsOf(run.output).map(({ name }) => name)).toEqual(["a.txt", "b.txt", "c.txt"]);
    expect(events.map(({ event }) => event)).toEqual(["a1", "a2", "b1", "c", "old"]);
  });

  it("changes nothing if none of them is new, also when inputs are gone or were renamed", async () => {
    const run = await exported();
    run.input("c.txt", "2026-01-02 old");
    await again(run);
    const [before, files] = [changesOf(run), run.files()];
    run.remove("b.txt");
    run.remove("c.txt");
    run.input("c.1.txt", "2026-01-02 old");
    expect(await again(run)).toMatchObject({ outcome: "done", alreadyDone: true, epochs: [] });
    expect(run.files()).toEqual(files);
    expect(changesOf(run)).toEqual(before);
  });

  it.each([
    ["another content", ["2026-01-01 other"]],
    ["more rows", ["2026-01-01 a1", "2026-01-02 a2", "2026-01-01 bad", "2026-01-01 grown"]],
  ])("is refused if an input that was read has %s, and says what to do", async (_, lines) => {
    const run = await exported();
    const before = run.files();
    run.input("a.txt", ...lines);
    run.input("c.txt", "2026-01-02 c");
    await expect(again(run)).rejects.toThrow(
      /input a\.txt: size .*\nRestore these inputs and pass further rows as new files/,
    );
    expect(run.files()).toEqual(before);
    expect(existsSync(join(run.output, "_switchyard/epochs"))).toBe(false);
  });

  it("is refused with other options, whatever epoch began with them", async () => {
    const run = await exported();
    run.input("c.txt", "2026-01-02 c");
    await again(run);
    run.input("d.txt", "2026-01-02 d");
    await expect(run.run({ splitBytes: SPLIT_BYTES, includeEvents: ["a"] })).rejects.toMatchObject({
      code: "run_changed",
      message: expect.stringContaining('settings:\n  --include-event: was [], is ["a"]\n'),
    });
  });

  it("first finishes what an earlier epoch has left, then reads the new ones", async () => {
    const run = fakeExport();
    run.input("a.txt", "2026-01-01 a");
    run.input("b.txt", "2026-01-01 wait");
    const stopped = new AbortController();
    const observer = { started: () => setTimeout(() => stopped.abort(), 200) };
    const options = { splitBytes: 10 };
    expect(await run.run(options, stopped.signal, observer)).toMatchObject({
      outcome: "interrupted",
    });
    run.input("b.txt", "2026-01-01 b");
    run.input("c.txt", "2026-01-02 c");
    const { outcome, manifest, epochs } = await run.run(options);
    expect(outcome).toBe("done");
    expect(manifest.epochs.map(({ sources }) => sources)).toEqual([2, 1]);
    expect(epochs.map(({ number }) => number)).toEqual([0, 1]);
    expect(manifest.rows.delivered).toBe(3);
    expect(await run.run(options)).toMatchObject({ alreadyDone: true });
  });

  longTest("reads a repaired input in the epoch in which it failed", async () => {
    const run = await exported();
    run.input("c.txt", "unreadable");
    run.input("d.txt", "2026-01-03 d", "2026-01-03 break");
    expect(await again(run)).toMatchObject({ outcome: "failed" });
    run.input("e.txt", "2026-01-04 e");
    expect((await again(run)).manifest.epochs.map(({ rows }) => rows.delivered)).toEqual([3, 1, 1]);
    run.input("c.txt", "2026-01-03 c");
    run.input("d.txt", "2026-01-03 d");
    const { outcome, manifest, epochs } = await again(run);
    expect(outcome).toBe("done");
    expect(epochs.map(({ number }) => number)).toEqual([1]);
    expect(manifest.epochs.map(({ rows }) => rows.delivered)).toEqual([3, 2, 1]);
    expect(await again(run)).toMatchObject({ alreadyDone: true });
  });

  it("does without an input that could never be read and is gone, and says so", async () => {
    const run = await exported();
    run.input("c.txt", "unreadable");
    await again(run);
    run.remove("c.txt");
    const notes: string[] = [];
    const observer = { note: (text: string) => void notes.push(text) };
    const { signal } = new AbortController();
    const result = await run.run({ splitBytes: SPLIT_BYTES }, signal, observer);
    expect(result).toMatchObject({ outcome: "done", manifest: { complete: true } });
    expect(notes).toContain("c.txt could not be read before and is gone: skipped");
  });

  it("writes a lost part of any epoch again, and refuses if its input is gone", async () => {
    const run = await exported();
    run.input("c.txt", "2026-01-02 old", "2026-01-03 c");
    await again(run);
    const files = run.files();
    const part = "events/2026-01-03/part-e00001-000000-0.jsonl";
    rmSync(join(run.output, part));
    expect(await again(run)).toMatchObject({ rowsRead: 2, alreadyDone: false });
    expect(run.files()).toEqual(files);
    rmSync(join(run.output, part));
    run.remove("c.txt");
    await expect(again(run)).rejects.toThrow("input c.txt: is gone, but has to be read again");
    expect(run.files()["events/2026-01-02/part-e00001-000000-0.jsonl"]).toBe("2026-01-02 old\n");
  });

  it("removes parts of an epoch that no ledger knows", async () => {
    const run = await exported();
    const files = run.files();
    writeFileSync(join(run.output, "events/2026-01-02/part-e00001-000000-0.jsonl"), "orphan\n");
    rmSync(join(run.output, "manifest.json"));
    await again(run);
    expect(run.files()).toEqual(files);
  });

  it("starts over with --fresh: all epochs are gone", async () => {
    const run = await exported();
    run.input("c.txt", "2026-01-02 c");
    await again(run);
    run.remove("a.txt");
    const { manifest } = await run.run({ splitBytes: SPLIT_BYTES, fresh: true });
    expect(manifest.epochs.map(({ sources }) => sources)).toEqual([2]);
    expect(Object.keys(partsOf(run)).join(" ")).not.toContain("e00001");
    expect(existsSync(join(run.output, "_switchyard/epochs"))).toBe(false);
    expect(await again(run)).toMatchObject({ alreadyDone: true });
  });

  longTest("keeps what `tomorrow` means in each epoch", async () => {
    const run = await exported();
    run.now += 7 * 86_400_000;
    run.input("c.txt", "2026-01-02 c");
    await again(run);
    const maxTimeOf = (plan: string) => JSON.parse(run.read(`_switchyard/${plan}`)).maxTimeMs;
    expect(maxTimeOf("plan.json")).toBe(Date.UTC(2026, 1, 2));
    expect(maxTimeOf("epochs/1/plan.json")).toBe(Date.UTC(2026, 1, 9));
  });

  it("is refused if the ledger of an epoch between others is missing", async () => {
    const run = await exported();
    for (const name of ["c", "d"]) {
      run.input(`${name}.txt`, `2026-01-02 ${name}`);
      await again(run);
    }
    rmSync(join(run.output, "_switchyard/epochs/1"), { recursive: true });
    await expect(again(run)).rejects.toMatchObject({ code: "ledger_unreadable" });
  });
});
