import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { version } from "../../src/base/package-files.js";
import { knownFormats } from "../../src/ledger/ledger-records.js";
import { runInProcess } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { scratchDirectory } from "../support/scratch.js";

const outputs = join(import.meta.dirname, "../../fixtures/outputs");
const formats = readdirSync(outputs).sort();

/** The options of fixtures/make/outputs.mjs. */
const options = "--format jsonl --split-size 4KiB --dedupe all --max-rejects 10% --quiet".split(
  " ",
);
const addedRow =
  '{"event_type":"later","event_time":"2026-01-02T00:00:00Z","user_id":"u","$insert_id":"later","event_properties":{"n":160}}';

const exportTo = async (cwd: string, output: string, inputs: readonly string[] = ["in"]) => {
  const result = await runInProcess(["export", ...inputs, "--to", output, ...options], { cwd });
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
};

/** Copies a fixture with its inputs, as a checkout does: with other times of change. */
function copyOf(format: string): string {
  const cwd = scratchDirectory("formats");
  cpSync(join(outputs, format), cwd, { recursive: true });
  for (const name of readdirSync(join(cwd, "in"))) utimesSync(join(cwd, "in", name), 1, 1);
  return cwd;
}

/** The digests of an export, as if this version had begun it. */
function digestOf(cwd: string, output: string): Record<string, string> {
  const file = join(cwd, output, "manifest.json");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(/("version": )"[\d.]+"/, `$1"${version}"`),
  );
  return digestExport(join(cwd, output));
}

it("there is a fixture of each format that is known", () => {
  expect(formats).toEqual(knownFormats.map((format) => `format-${format}`));
});

it.each(formats)(
  "an export of %s that was killed is resumed to the bytes of a new one",
  async (format) => {
    const cwd = copyOf(format);
    await exportTo(cwd, "half-done");
    await exportTo(cwd, "fresh");
    expect(digestOf(cwd, "half-done")).toEqual(digestOf(cwd, "fresh"));
    const before = JSON.parse(
      readFileSync(join(outputs, format, "half-done/_switchyard/plan.json"), "utf8"),
    );
    const { epochs } = JSON.parse(readFileSync(join(cwd, "half-done/manifest.json"), "utf8")).run;
    // It was resumed and not begun again.
    expect(epochs[0]).toBe(before.startedAt);
  },
);

it.each(formats)("a finished export of %s grows, and is verified and compacted", async (format) => {
  const cwd = copyOf(format);
  const before = digestExport(join(cwd, "finished"));
  await exportTo(cwd, "finished");
  expect(digestExport(join(cwd, "finished"))).toEqual(before);
  // The epochs of a new export come in the same order.
  const files = (...numbers: number[]) => numbers.map((number) => `in/${number}.ndjson`);
  mkdirSync(join(cwd, "later"));
  writeFileSync(join(cwd, "later/4.ndjson"), `${addedRow}\n`);
  rmSync(join(cwd, "fresh"), { recursive: true, force: true });
  await exportTo(cwd, "fresh", files(0, 1));
  await exportTo(cwd, "fresh", files(0, 1, 2, 3));
  for (const output of ["finished", "fresh"]) {
    await exportTo(cwd, output, ["in", "later"]);
    for (const command of ["verify", "compact", "verify"]) {
      const result = await runInProcess([command, output], { cwd });
      expect(result, result.stderr).toMatchObject({ exitCode: 0 });
    }
  }
  const { epochs, rows } = JSON.parse(readFileSync(join(cwd, "finished/manifest.json"), "utf8"));
  expect(epochs).toHaveLength(3);
  expect(rows.read).toBe(161);
  expect(digestOf(cwd, "finished")).toEqual(digestOf(cwd, "fresh"));
});
