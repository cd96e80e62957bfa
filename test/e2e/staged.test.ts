import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { runInProcess, runSwitchyard } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { interruptWhileMerging } from "../support/interrupted-merge.js";
import { longTest } from "../support/long-test.js";
import { someOf } from "../support/property-runs.js";
import { firstSplitFinished, scratchDirectory } from "../support/scratch.js";

const DAYS = 60;
const ROWS = 20_000;
const scratch = scratchDirectory("staged");
const input = join(scratch, "rows.jsonl");
let undisturbed: Record<string, string>;

function exportArgs(output: string, ...more: string[]): string[] {
  const [splits, threads] = ["128KiB", "2"];
  const sizes = ["--split-size", splits, "--threads", threads, "--quiet"];
  return ["export", input, "--to", output, "--format", "jsonl", ...sizes, ...more];
}

async function exportQuietly(output: string, ...more: string[]): Promise<void> {
  const result = await runInProcess(exportArgs(output, ...more));
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
}

/** Exports, and ends the process with a signal as soon as there is output. */
async function signalOnce(output: string, has: () => Promise<unknown>, signal: NodeJS.Signals) {
  return runSwitchyard(exportArgs(output), {
    started: (child) => void has().then(() => child.kill(signal)),
  });
}

function copyOf(made: string, name: string): string {
  const output = join(scratch, name);
  cpSync(join(scratch, made), output, { recursive: true, preserveTimestamps: true });
  return output;
}

/** Copies an export with all splits finished, but not all merges. */
function interruptedWhileMerging(name: string): string {
  return copyOf("interrupted", name);
}

function stagedIn(output: string): readonly string[] {
  const directory = join(output, "_switchyard/staged");
  return existsSync(directory) ? readdirSync(directory).sort() : [];
}

function partsIn(output: string): readonly string[] {
  const names = readdirSync(join(output, "events"), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.includes("part-"));
}

beforeAll(async () => {
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const time = new Date(Date.UTC(2026, 0, 1) + (index / ROWS) * DAYS * 86_400_000);
    const event_time = time.toISOString().replace("T", " ").replace("Z", "000");
    return JSON.stringify({ event_type: `event_${index % 7}`, event_time, user_id: `u${index}` });
  });
  writeFileSync(input, `${rows.join("\n")}\n`);
  const output = join(scratch, "undisturbed");
  await exportQuietly(output);
  undisturbed = digestExport(output);
  const interrupted = join(scratch, "interrupted");
  await interruptWhileMerging(exportArgs(interrupted), interrupted);
});

it("has one file for each day, the same for any number of threads, and leaves nothing behind", async () => {
  const output = join(scratch, "threads");
  await exportQuietly(output, "--threads", "1");
  expect(digestExport(output)).toEqual(undisturbed);
  expect(partsIn(output)).toHaveLength(DAYS);
  // Days within one split keep their part, those of two splits are joined.
  expect(partsIn(output).some((name) => name.includes("part-merged-000"))).toBe(true);
  expect(partsIn(output).some((name) => name.includes("part-000001-000"))).toBe(true);
  expect(existsSync(join(output, "_switchyard/staged"))).toBe(false);
  expect((await runInProcess(["verify", output, "--quiet"])).exitCode).toBe(0);
});

it("has the rows of the parts of --compact never, in their order", async () => {
  const apart = join(scratch, "apart");
  await exportQuietly(apart, "--compact", "never");
  expect(partsIn(apart).length).toBeGreaterThan(DAYS);
  const textsOf = (output: string) =>
    readdirSync(join(output, "events")).map((day) =>
      readdirSync(join(output, "events", day))
        .sort()
        .map((name) => readFileSync(join(output, "events", day, name), "utf8"))
        .join(""),
    );
  expect(textsOf(join(scratch, "undisturbed"))).toEqual(textsOf(apart));
});

it("counts waiting rows as pending while splits are read, and can be resumed", async () => {
  const output = join(scratch, "pending");
  const interrupted = await signalOnce(output, () => firstSplitFinished(output), "SIGINT");
  expect(interrupted, interrupted.stderr).toMatchObject({ exitCode: 130, signal: null });
  const manifest = JSON.parse(readFileSync(join(output, "manifest.json"), "utf8"));
  expect(manifest).toMatchObject({ complete: false, totals: { rows: 0, files: 0 } });
  expect(manifest.pending).toBe(manifest.rows.delivered);
  await exportQuietly(output);
  expect(digestExport(output)).toEqual(undisturbed);
});

it.each(someOf(["missing", "cut off"], 2))(
  "reads a split again if a staged part is %s",
  async (damage) => {
    const output = interruptedWhileMerging(`damaged-${damage}`);
    const name = stagedIn(output).find((one) => one.includes("part-000003")) ?? "";
    const path = join(output, "_switchyard/staged", name);
    if (damage === "missing") rmSync(path);
    else truncateSync(path, 10);
    const result = await runInProcess(exportArgs(output).filter((word) => word !== "--quiet"));
    expect(result, result.stderr).toMatchObject({ exitCode: 0 });
    expect(result.stderr).toContain("1 split is read again");
    expect(digestExport(output)).toEqual(undisturbed);
  },
);

longTest("names a staged part with damaged content, and resumes after it is deleted", async () => {
  const output = interruptedWhileMerging("damaged-within");
  // The last one, as merges begin with the first days.
  const path = join(output, "_switchyard/staged", stagedIn(output).at(-1) ?? "");
  writeFileSync(path, readFileSync(path, "utf8").replace("{", "["));
  const failed = await runInProcess(exportArgs(output));
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toContain(path);
  expect(failed.stderr).toContain("spill_damaged");
  rmSync(path);
  await exportQuietly(output);
  expect(digestExport(output)).toEqual(undisturbed);
});

longTest("takes a part away from its day that a killed merge has put there", async () => {
  const output = interruptedWhileMerging("moved");
  for (const name of stagedIn(output)) {
    const target = join(output, name.replaceAll("+", "/"));
    // A finished merge has joined them; its staged files are removed at the end.
    if (existsSync(join(target, ".."))) continue;
    mkdirSync(join(target, ".."), { recursive: true });
    linkSync(join(output, "_switchyard/staged", name), target);
  }
  await exportQuietly(output);
  expect(digestExport(output)).toEqual(undisturbed);
});

it.each(someOf(["part-merged", "part-000001"], 2))(
  "writes the same files again if a %s of a finished export is gone",
  async (kind) => {
    const output = copyOf("undisturbed", `lost-${kind}`);
    rmSync(join(output, "events", partsIn(output).find((name) => name.includes(kind)) ?? ""));
    await exportQuietly(output);
    expect(digestExport(output)).toEqual(undisturbed);
    expect(stagedIn(output)).toEqual([]);
  },
);

longTest("starts over with --fresh and another choice", async () => {
  const output = interruptedWhileMerging("fresh");
  const refused = await runInProcess(exportArgs(output, "--compact", "never"));
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('compact: was "auto", is "never"');
  await exportQuietly(output, "--compact", "never", "--fresh");
  expect(stagedIn(output)).toEqual([]);
  await exportQuietly(output, "--fresh");
  expect(digestExport(output)).toEqual(undisturbed);
});
