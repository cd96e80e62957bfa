import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runInProcess, runSwitchyard } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { longTest } from "../support/long-test.js";
import { isCi, someOf } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";

/** Days of an input, each with a file of its own. */
const DAYS = isCi ? 40 : 8;
const KILLS = 6;
/** One of each input. */
const ROWS_OF_DAY = 3;
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
const scratch = scratchDirectory("compact");

/** A row for each day; `mark` tells files apart. */
function rowsOf(mark: string): string {
  const lines = Array.from({ length: DAYS }, (_, day) => {
    const date = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
    const event_time = `${date} 08:00:00.000000`;
    const id = `${mark}-${day}`;
    return JSON.stringify({ event_type: mark, event_time, user_id: id, $insert_id: id });
  });
  return `${lines.join("\n")}\n`;
}

async function run(...words: string[]) {
  return runInProcess([...words, "--quiet"]);
}

async function succeed(...words: string[]): Promise<void> {
  const result = await run(...words);
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
}

function exportArgs(name: string, format = "jsonl"): string[] {
  const output = join(scratch, name, "out");
  return ["export", join(scratch, name, "in"), "--to", output, "--format", format];
}

/** Exports one file after the other, each as an epoch of its own. */
async function grow(name: string, marks: readonly string[], format = "jsonl"): Promise<string> {
  mkdirSync(join(scratch, name, "in"), { recursive: true });
  for (const mark of marks) {
    writeFileSync(join(scratch, name, "in", `${mark}.jsonl`), rowsOf(mark));
    await succeed(...exportArgs(name, format));
  }
  return join(scratch, name, "out");
}

/** Copies an export of the inputs `a` and `b`, which is made once. */
function copyOfTwo(name: string): string {
  cpSync(join(scratch, "two"), join(scratch, name), { recursive: true, preserveTimestamps: true });
  return join(scratch, name, "out");
}

function filesIn(output: string): readonly string[] {
  const names = readdirSync(join(output, "events"), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.includes("part-")).sort();
}

/** The events of each day that is there, in the order of the files. */
function eventsByDay(output: string): Readonly<Record<string, readonly string[]>> {
  const days: Record<string, string[]> = {};
  for (const name of filesIn(output)) {
    const lines = readFileSync(join(output, "events", name), "utf8")
      .trimEnd()
      .split("\n");
    const day = name.slice(0, 10);
    days[day] = [...(days[day] ?? []), ...lines.map((line) => JSON.parse(line).event as string)];
  }
  return days;
}

/** The manifest also has the names of the inputs. */
function partsOf(digests: Record<string, string>) {
  return Object.entries(digests).filter(([path]) => path.startsWith("events/"));
}

async function verified(output: string): Promise<boolean> {
  return (await run("verify", output)).exitCode === 0;
}

let quiet: Record<string, string>;
/** Duration of an undisturbed `compact`, here and now. */
let quietMs: number;

beforeAll(async () => {
  const output = await grow("quiet", ["a", "b", "c"]);
  expect(filesIn(output)).toHaveLength(3 * DAYS);
  const start = performance.now();
  const result = await runSwitchyard(["compact", output, "--quiet"]);
  quietMs = performance.now() - start;
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  quiet = digestExport(output);
  await grow("two", ["a", "b"]);
});

it("joins the files of all epochs, day by day and in their order, and the export goes on", async () => {
  const output = join(scratch, "quiet/out");
  expect(filesIn(output)).toHaveLength(DAYS);
  expect(new Set(filesIn(output).map((name) => name.slice(11)))).toEqual(
    new Set(["part-compacted-000.jsonl"]),
  );
  for (const events of Object.values(eventsByDay(output))) expect(events).toEqual(["a", "b", "c"]);
  expect(await verified(output)).toBe(true);

  const again = await runInProcess(exportArgs("quiet"));
  expect(again.stdout).toContain("Already done");
  expect(digestExport(output)).toEqual(quiet);
  const nothing = await runInProcess(["compact", output, "--json"]);
  expect(JSON.parse(nothing.stdout)).toMatchObject({ outcome: "done", days: 0, filesAfter: DAYS });
});

it.each(someOf(["parquet", "csv", "arrow", "jsonl.gz"], 4))("joins files of %s", async (format) => {
  const output = await grow(format, ["a", "b"], format);
  const result = await runInProcess(["compact", output, "--json"]);
  expect(JSON.parse(result.stdout)).toMatchObject({
    command: "compact",
    exitCode: 0,
    filesBefore: 2 * DAYS,
    filesAfter: DAYS,
    rows: 2 * DAYS,
  });
  expect(await verified(output)).toBe(true);
});

it("joins the parts of a later epoch with parts that were joined before", async () => {
  const output = await grow("later", ["a", "b"]);
  await succeed("compact", output);
  await grow("later", ["c"]);
  expect(await verified(output)).toBe(true);
  expect(filesIn(output)).toHaveLength(2 * DAYS);
  const { epochs } = JSON.parse(readFileSync(join(output, "manifest.json"), "utf8"));
  expect(epochs.map(({ days }: { days: string[] }) => days.length)).toEqual([DAYS, DAYS, DAYS]);
  await succeed("compact", output);
  for (const events of Object.values(eventsByDay(output)))
    expect([...events].sort()).toEqual(["a", "b", "c"]);
  expect(filesIn(output)).toHaveLength(DAYS);
  expect(await verified(output)).toBe(true);
  // The manifest is made again from the records of the splits.
  const before = readFileSync(join(output, "manifest.json"), "utf8");
  rmSync(join(output, "manifest.json"));
  await succeed(...exportArgs("later"));
  const after = JSON.parse(readFileSync(join(output, "manifest.json"), "utf8"));
  const { run: _, ...facts } = JSON.parse(before);
  expect(after).toMatchObject(facts);
});

longTest("leaves parts alone that together exceed the part size", async () => {
  mkdirSync(join(scratch, "large/in"), { recursive: true });
  const args = [...exportArgs("large"), "--part-size", "200B"];
  for (const mark of ["a", "b", "c"]) {
    writeFileSync(join(scratch, "large/in", `${mark}.jsonl`), rowsOf(mark));
    await succeed(...args);
  }
  const output = join(scratch, "large/out");
  await succeed("compact", output);
  const names = filesIn(output).filter((name) => name.startsWith("2026-01-05"));
  expect(names.map((name) => name.slice(11))).toEqual([
    "part-compacted-000.jsonl",
    "part-e00002-000000-000.jsonl",
  ]);
  expect(await verified(output)).toBe(true);
  await succeed(...args);
});

it("changes nothing the second time, whatever the sizes of the parts", async () => {
  const input = join(scratch, "sizes/in");
  mkdirSync(input, { recursive: true });
  const row = (id: number) => {
    const user_id = String(1_000 + id);
    const time = { event_time: "2026-01-01 08:00:00.000000", $insert_id: user_id };
    return JSON.stringify({ event_type: "sign_up", user_id, ...time });
  };
  const write = (name: string, first: number, rows: number) =>
    writeFileSync(
      join(input, `${name}.jsonl`),
      Array.from({ length: rows }, (_, at) => row(first + at)).join("\n"),
    );
  const exportTo = (output: string, partBytes: number) =>
    succeed("export", input, "--to", output, "--format", "jsonl", "--part-size", `${partBytes}B`);
  write("a", 0, 10);
  const trial = join(scratch, "sizes/trial");
  await exportTo(trial, 1 << 20);
  const rowBytes = readFileSync(join(trial, "events", filesIn(trial)[0] ?? "")).length / 10;
  // The first and the last fit into one file, but are not beside each other.
  const output = join(scratch, "sizes/out");
  await exportTo(output, 13 * rowBytes);
  for (const [name, first, rows] of [
    ["b", 10, 6],
    ["c", 16, 6],
    ["d", 22, 2],
  ] as const) {
    write(name, first, rows);
    await exportTo(output, 13 * rowBytes);
  }
  await succeed("compact", output);
  expect(filesIn(output)).toHaveLength(3);
  const once = digestExport(output);
  const again = await runInProcess(["compact", output, "--json"]);
  expect(JSON.parse(again.stdout)).toMatchObject({ outcome: "done", days: 0 });
  expect(digestExport(output)).toEqual(once);
  // The manifest that the ledger yields is the same.
  rmSync(join(output, "manifest.json"));
  await exportTo(output, 13 * rowBytes);
  expect(digestExport(output)).toEqual(once);
});

longTest.each(["export", "compact"] as const)(
  `survives ${KILLS} kills at random moments if %s is run next, seed ${seed}: a day is whole, or one is away`,
  async (next) => {
    const random = createRandom(seed);
    const name = `killed-${next}`;
    let kills = 0;
    for (let round = 0; kills < KILLS && round < 40; round++) {
      rmSync(join(scratch, name), { recursive: true, force: true });
      const output = await grow(name, ["a", "b", "c"]);
      for (let isDone = false; !isDone; ) {
        // The run after the last kill comes to its end.
        const afterMs = kills < KILLS ? random() * quietMs : undefined;
        const result = await runSwitchyard(["compact", output, "--quiet"], {
          started: (child) => {
            if (afterMs !== undefined) setTimeout(() => child.kill("SIGKILL"), afterMs).unref();
          },
        });
        isDone = result.signal === null;
        if (!isDone) kills++;
        const days = Object.values(eventsByDay(output));
        for (const events of days) expect(events).toHaveLength(ROWS_OF_DAY);
        expect(days.length).toBeGreaterThanOrEqual(DAYS - 1);
        if (next === "compact" || isDone) continue;
        await succeed(...exportArgs(name));
        expect(Object.keys(eventsByDay(output))).toHaveLength(DAYS);
        expect(await verified(output)).toBe(true);
      }
      expect(partsOf(digestExport(output))).toEqual(partsOf(quiet));
      expect(await verified(output)).toBe(true);
      expect(existsSync(join(output, "_switchyard/compacting"))).toBe(false);
    }
  },
  600_000,
);

describe("a compacted export", () => {
  it("is written again as a whole if a joined file is gone", async () => {
    const output = await grow("lost", ["a", "b", "c"]);
    const before = digestExport(output);
    await succeed("compact", output);
    rmSync(join(output, "events", filesIn(output)[7] ?? ""));
    await succeed(...exportArgs("lost"));
    expect(digestExport(output)).toEqual(before);
    expect(await verified(output)).toBe(true);
  });

  longTest("starts over with --fresh", async () => {
    const output = await grow("fresh", ["a", "b"]);
    await succeed("compact", output);
    await succeed(...exportArgs("fresh"), "--fresh");
    expect(filesIn(output).some((name) => name.includes("compacted"))).toBe(false);
    for (const events of Object.values(eventsByDay(output))) expect(events).toEqual(["a", "b"]);
    expect(await verified(output)).toBe(true);
  });
});

describe("compact refuses", () => {
  async function refusal(output: string): Promise<string> {
    const result = await run("compact", output);
    expect(result.exitCode).toBe(1);
    return result.stderr;
  }

  it("a directory without a manifest, and one without a ledger", async () => {
    expect(await refusal(scratch)).toContain("manifest_missing");
    const output = copyOfTwo("foreign");
    rmSync(join(output, "_switchyard"), { recursive: true });
    expect(await refusal(output)).toContain("compact_refused");
  });

  it("an export that is not complete", async () => {
    const output = copyOfTwo("incomplete");
    const path = join(output, "manifest.json");
    const manifest = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify({ ...manifest, complete: false }));
    expect(await refusal(output)).toContain("not complete");
  });

  it.each(["cut off", "changed", "gone"])("an export with a file that is %s", async (damage) => {
    const output = copyOfTwo(`damaged-${damage}`);
    const name = filesIn(output)[10] ?? "";
    const path = join(output, "events", name);
    if (damage === "gone") rmSync(path);
    else if (damage === "cut off") truncateSync(path, 5);
    else writeFileSync(path, readFileSync(path, "utf8").replace("{", "["));
    const before = readdirSync(join(path, "..")).sort();
    expect(await refusal(output)).toContain(path);
    expect(readdirSync(join(path, "..")).sort()).toEqual(before);
  });
});
