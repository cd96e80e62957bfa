import {
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FINGERPRINT_EDGE_BYTES, FINGERPRINT_SAMPLE_BYTES } from "../../src/base/limits.js";
import { runInProcess } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { amplitudeLines } from "../support/generated-input.js";
import { scratchDirectory } from "../support/scratch.js";

function exportIn(cwd: string, ...more: string[]) {
  const words = ["export", "in", "--to", "out", "--format", "jsonl", "--max-rejects", "1%"];
  return runInProcess([...words, "--dedupe", "all", ...more], { cwd });
}

/** A finished export of two files, of which the first is large. */
async function finished(...more: string[]): Promise<string> {
  const cwd = scratchDirectory("same-inputs");
  mkdirSync(join(cwd, "in"));
  writeFileSync(join(cwd, "in/a.ndjson"), amplitudeLines(0, 3_000, 3));
  writeFileSync(join(cwd, "in/b.ndjson"), amplitudeLines(3_000, 20, 3));
  const result = await exportIn(cwd, ...more);
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return cwd;
}

it("inputs that were touched or copied again are those that were read", async () => {
  const cwd = await finished();
  const before = digestExport(join(cwd, "out"));
  const keys = statSync(join(cwd, "out/_switchyard/keys/splits")).mtimeMs;
  utimesSync(join(cwd, "in/a.ndjson"), 1, 1);
  renameSync(join(cwd, "in"), join(cwd, "old"));
  cpSync(join(cwd, "old"), join(cwd, "in"), { recursive: true });
  rmSync(join(cwd, "old"), { recursive: true });
  // One may be gone at the same time, although both are in one split.
  rmSync(join(cwd, "in/b.ndjson"));
  writeFileSync(join(cwd, "in/c.ndjson"), amplitudeLines(3_020, 20, 3));
  const result = await exportIn(cwd);
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  const manifest = JSON.parse(readFileSync(join(cwd, "out/manifest.json"), "utf8"));
  expect(manifest.epochs.map(({ sources }: { sources: number }) => sources)).toEqual([2, 1]);
  expect(digestExport(join(cwd, "out"))).toMatchObject(
    Object.fromEntries(Object.entries(before).filter(([name]) => name.startsWith("events/"))),
  );
  expect(statSync(join(cwd, "out/_switchyard/keys/splits")).mtimeMs).toBe(keys);
});

it("an input of the same size with other bytes at its ends or at one of its samples is refused", async () => {
  const cwd = await finished();
  const path = join(cwd, "in/a.ndjson");
  const bytes = readFileSync(path);
  const last = bytes.length - FINGERPRINT_EDGE_BYTES;
  const samples = [FINGERPRINT_EDGE_BYTES + 5, last - FINGERPRINT_SAMPLE_BYTES + 5];
  for (const offset of [5, ...samples, bytes.length - 5]) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(offset) ^ 1, offset);
    writeFileSync(path, changed);
    const result = await exportIn(cwd);
    expect(result, `byte ${offset}`).toMatchObject({ exitCode: 2 });
    expect(result.stderr).toContain("other content");
  }
});

it("--fresh says which inputs of earlier runs it does not read, and reads them where they were archived", async () => {
  const cwd = await finished();
  const before = digestExport(join(cwd, "out"));
  mkdirSync(join(cwd, "archive"));
  renameSync(join(cwd, "in/b.ndjson"), join(cwd, "archive/b.ndjson"));
  const without = await exportIn(cwd, "--fresh");
  expect(without, without.stderr).toMatchObject({ exitCode: 0 });
  expect(without.stderr).toContain(
    "1 input of earlier runs that this command does not read, such as",
  );
  const both = await exportIn(cwd, "archive", "--fresh");
  expect(both, both.stderr).toMatchObject({ exitCode: 0 });
  expect(both.stderr).not.toContain("does not read");
  const rows = (digests: object) =>
    Object.keys(digests).filter((name) => name.startsWith("events/"));
  expect(rows(digestExport(join(cwd, "out")))).toEqual(rows(before));
});

it("a transform whose import changed is another transform", async () => {
  const cwd = scratchDirectory("transform-import");
  mkdirSync(join(cwd, "in"));
  writeFileSync(join(cwd, "in/a.ndjson"), amplitudeLines(0, 20, 1));
  writeFileSync(
    join(cwd, "t.mjs"),
    'import { name } from "./names.mjs";\nexport default (e) => ({ ...e, event: name });\n',
  );
  writeFileSync(join(cwd, "names.mjs"), 'export const name = "one";\n');
  const transform = ["--transform", "t.mjs"];
  expect(await exportIn(cwd, ...transform)).toMatchObject({ exitCode: 0 });
  expect(await exportIn(cwd, ...transform)).toMatchObject({ exitCode: 0 });
  writeFileSync(join(cwd, "names.mjs"), 'export const name = "two";\n');
  const result = await exportIn(cwd, ...transform);
  expect(result).toMatchObject({ exitCode: 2 });
  expect(result.stderr).toContain("--transform: was");
});
