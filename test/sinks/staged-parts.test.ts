import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { tableFromIPC } from "apache-arrow";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { Kernel } from "../../src/batch/kernel.js";
import { type OutputFormat, outputFormatNames } from "../../src/formats/output-formats.js";
import { diskFiles } from "../../src/sinks/part-files.js";
import type { Commitment, PartFile } from "../../src/sinks/sink.js";
import { stagedPathOf } from "../../src/sinks/staged-parts.js";
import { someOf } from "../support/property-runs.js";
import {
  commitSplit,
  createSink,
  digestTree,
  type EventRow,
  readTree,
  type SinkOptions,
  temporaryDirectory,
  variedRows,
  writeRows,
} from "./event-rows.js";
import { parquetReaders } from "./parquet/parquet-readers.js";

const watch = { checkpoint: () => {}, taken: () => {} };

/** Writes splits whose small parts wait. */
async function stage(
  splits: readonly (readonly EventRow[])[],
  options: SinkOptions = {},
): Promise<{ directory: string; staged: readonly PartFile[]; commitments: Commitment[] }> {
  const directory = temporaryDirectory();
  const kernel = new Kernel();
  const sink = await createSink(kernel, directory, { compact: "always", ...options });
  const commitments: Commitment[] = [];
  for (const [index, rows] of splits.entries()) {
    const split = sink.openSplit(String(index).padStart(6, "0"));
    await writeRows(split, kernel, rows);
    commitments.push(await commitSplit(split));
  }
  const staged = commitments.flatMap((commitment) => commitment.staged ?? []);
  return { directory, staged: staged.sort((a, b) => (a.day < b.day ? -1 : 1)), commitments };
}

/** Joins the staged parts with a worker of its own. */
async function joinStaged(
  directory: string,
  staged: readonly PartFile[],
  options: SinkOptions = {},
): Promise<readonly PartFile[]> {
  const sink = await createSink(new Kernel(), directory, options);
  const task = { id: "000000", splits: [], staged };
  const written = await sink.mergeDays(task, watch);
  try {
    return (await written.commit()).parts;
  } catch (error) {
    await written.abort();
    throw error;
  }
}

/** Reads the metadata of all rows of a part with a reader that is not ours. */
async function metadataOf(path: string, format: OutputFormat): Promise<readonly unknown[]> {
  const bytes = readFileSync(path);
  const linesOf = (text: string) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).metadata);
  switch (format) {
    case "jsonl":
      return linesOf(bytes.toString());
    case "jsonl.gz":
      return linesOf(gunzipSync(bytes).toString());
    case "csv":
      return parse<EventRow>(bytes, { columns: true }).map(({ metadata }) => JSON.parse(metadata));
    case "parquet": {
      const tables = await Promise.all(Object.values(parquetReaders).map((read) => read(path)));
      for (const table of tables) expect(table).toEqual(tables[0]);
      return (tables[0] ?? []).map(({ metadata }) => metadata);
    }
    case "arrow":
      return [...(tableFromIPC(bytes).getChild("metadata") ?? [])].map((text) => JSON.parse(text));
  }
}

describe.each(someOf(outputFormatNames, 5))("small parts in %s", (format) => {
  test("are joined day by day in the order of the splits, with every row once", async () => {
    const splits = [variedRows(300, 3), variedRows(40, 2), variedRows(500, 3)];
    const { directory, staged, commitments } = await stage(splits, { format });
    expect(commitments.flatMap(({ parts }) => parts)).toEqual([]);
    expect(Object.keys(readTree(directory)).every((path) => path.includes("staged"))).toBe(true);
    const parts = await joinStaged(directory, staged, { format });
    expect(parts.map(({ path }) => path)).toEqual(
      ["01", "02", "03"].map((day) => `events/2026-01-${day}/part-merged-000.${format}`),
    );
    for (const { path, day, rows, bytes } of parts) {
      const of = (row: EventRow) => new Date(row.timestamp).toISOString().startsWith(day);
      const expected = splits.flatMap((split) => split.filter(of));
      expect(rows).toBe(expected.length);
      expect(readFileSync(join(directory, path)).length).toBe(bytes);
      const found = await metadataOf(join(directory, path), format);
      expect(found).toEqual(expected.map(({ metadata }) => JSON.parse(metadata)));
    }
  });

  test("fill parts up to their size, and keep file and name if they are alone", async () => {
    const { directory, staged } = await stage(
      [1, 2, 3, 4, 5].map(() => variedRows(200, 1)),
      {
        format,
      },
    );
    const [{ bytes: size }] = staged as [PartFile];
    const before = readFileSync(stagedPathOf(directory, staged[4]!));
    const parts = await joinStaged(directory, staged, { format, partBytes: size * 2.5 });
    expect(parts.map(({ path, rows }) => [path.slice(18), rows])).toEqual([
      [`part-000004-000.${format}`, 200],
      [`part-merged-000.${format}`, 400],
      [`part-merged-001.${format}`, 400],
    ]);
    expect(parts[0]).toEqual(staged[4]);
    expect(readFileSync(join(directory, parts[0]!.path)).equals(before)).toBe(true);
  });
});

test("a part with other columns is not joined", async () => {
  const { directory, staged } = await stage([variedRows(50, 1), variedRows(50, 1)], {
    format: "csv",
  });
  const path = stagedPathOf(directory, staged[1]!);
  const text = readFileSync(path, "utf8").replace("userID", "userId");
  writeFileSync(path, text);
  const sha256 = createHash("sha256").update(text).digest("hex");
  const foreign = { ...staged[1]!, sha256 };
  await expect(
    joinStaged(directory, [staged[0]!, foreign], { format: "csv" }),
  ).rejects.toMatchObject({
    code: "parts_differ",
    message: expect.stringContaining(path),
  });
});

test("only parts below the limit wait", async () => {
  const rows = variedRows(1000, 2);
  const options = { partBytes: 20_000, compact: "auto" } as const;
  const { commitments } = await stage([rows], options);
  const [{ parts, staged = [] }] = commitments as [Commitment];
  expect(parts.length).toBeGreaterThan(1);
  expect(Math.min(...parts.map(({ bytes }) => bytes))).toBeGreaterThanOrEqual(20_000);
  expect(staged).not.toEqual([]);
  expect(Math.max(...staged.map(({ bytes }) => bytes))).toBeLessThan(20_000);
  expect((await stage([rows], { ...options, compact: "never" })).staged).toEqual([]);
});

describe("a join", () => {
  const splits = [variedRows(300, 3), variedRows(40, 2)];

  test.each(someOf(["changed", "cut off", "longer", "missing"], 2))(
    "names a part that is %s, and leaves everything as it was",
    async (damage) => {
      const { directory, staged } = await stage(splits);
      const path = stagedPathOf(directory, staged[1]!);
      const bytes = readFileSync(path);
      if (damage === "missing") rmSync(path);
      else if (damage === "longer") appendFileSync(path, "\n");
      else if (damage === "cut off") writeFileSync(path, bytes.subarray(1));
      else writeFileSync(path, bytes.fill(32, 40, 41));
      const before = digestTree(directory);
      await expect(joinStaged(directory, staged)).rejects.toMatchObject({
        code: "spill_damaged",
        message: expect.stringContaining(path),
      });
      expect(digestTree(directory)).toEqual(before);
    },
  );

  test.each(someOf([0, 1, 2, 3], 2))(
    "leaves staged parts alone, also if its commit fails after %d names",
    async (done) => {
      const { directory, staged } = await stage(splits);
      const before = digestTree(directory);
      let names = 0;
      const limited = (how: "rename" | "link") => async (from: string, to: string) => {
        if (to.includes("events/") && names++ === done)
          throw Object.assign(new Error("ENOSPC: as if"), { code: "ENOSPC" });
        return diskFiles[how](from, to);
      };
      const files = { ...diskFiles, rename: limited("rename"), link: limited("link") };
      const work = joinStaged(directory, staged, { files });
      if (done < 3) {
        await expect(work).rejects.toMatchObject({ code: "disk_full" });
        expect(digestTree(directory)).toEqual(before);
        return;
      }
      expect(await work).toHaveLength(3);
      for (const part of staged) expect(existsSync(stagedPathOf(directory, part))).toBe(true);
      // Another process may do the same.
      expect(await joinStaged(directory, staged)).toHaveLength(3);
    },
  );
});
