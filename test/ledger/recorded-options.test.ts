import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { nameOptions } from "../../src/base/option-text.js";
import {
  optionDifferences,
  recordedMapping,
  recordOptions,
} from "../../src/ledger/recorded-options.js";
import type { Mapping } from "../../src/mapper/mapping.js";
import { fakeExport } from "../run/kit/fake-export.js";
import { scratchDirectory } from "../support/scratch.js";

const differences = (...recorded: Parameters<typeof optionDifferences>) =>
  optionDifferences(...recorded).map((line) => nameOptions(line));

describe("differences between recorded options", () => {
  it.each([
    [{ a: 1 }, { a: 1 }, []],
    [{ a: 1 }, { a: 2 }, ["a: was 1, is 2"]],
    [{ a: { b: "x", c: 1 } }, { a: { b: "y", c: 1 } }, ['a.b: was "x", is "y"']],
    [{ a: 1 }, { b: 1 }, ["a: was 1, is not set", "b: was not set, is 1"]],
    [{ a: [1, 2] }, { a: [2, 1] }, ["a: was [1,2], is [2,1]"]],
    [{ a: null }, { a: {} }, ["a: was null, is {}"]],
  ])("of %j and %j are named one by one", (before, after, expected) => {
    expect(differences(before, after)).toEqual(expected);
  });

  it.each([
    [{ splitBytes: 4_194_304 }, { splitBytes: 67_108_864 }, "--split-size: was 4MiB, is 64MiB"],
    [{ partBytes: 70_000 }, { partBytes: 1001 }, "--part-size: was 70KB, is 1001"],
    [{ format: "parquet" }, { format: "csv" }, '--format: was "parquet", is "csv"'],
    [
      { format: "parquet", compression: "snappy" },
      { format: "parquet", compression: "zstd" },
      '--format: was "parquet", is "parquet.zstd"',
    ],
    [
      { format: "csv", csvSafe: true },
      { format: "csv", csvSafe: false },
      '--format: was "csv.safe", is "csv"',
    ],
    [{ privacy: { drop: [] } }, { privacy: { drop: ["a"] } }, '--drop: was [], is ["a"]'],
    [{ csv: {} }, { csv: { delimiter: ";" } }, '--csv-dialect delimiter: was not set, is ";"'],
    [
      { dataset: "events", dayName: "{day}" },
      { dataset: "e", dayName: "d={day}", partition: "day,event" },
      '--layout: was "events/{day}", is "e/d={day}/event={event}"',
    ],
    [
      { minTime: "1971-01-01", maxTime: "tomorrow" },
      { minTime: "1971-01-01", maxTime: "2027-01-01" },
      '--time-limits: was "1971-01-01..", is "1971-01-01..2027-01-01"',
    ],
    [{ mapping: { a: 1 } }, { mapping: { a: 2 } }, "mapping.a: was 1, is 2"],
  ])("of %j and %j have the names and units of users", (before, after, expected) => {
    expect(differences(before, after)).toEqual([expected]);
  });

  it("are none in settings of other formats, which options cannot say", () => {
    const before = { format: "csv", compression: "zstd", csvSafe: false };
    expect(differences(before, { ...before, compression: "snappy" })).toEqual([]);
    const rows = { format: "jsonl", compression: "snappy", csvSafe: true };
    expect(differences(rows, { ...rows, csvSafe: false })).toEqual([]);
  });

  it("name an option of every recorded name, but for the mapping and the salt", async () => {
    const options = fakeExport().options();
    const recorded = await recordOptions({ ...options, fromTimeMs: 0, toTimeMs: 1 });
    const lines = differences(recorded, {});
    const named = lines.filter((line) => !line.startsWith("--")).map((line) => line.split(":")[0]);
    expect(named.filter((name) => !["mapping", "privacy", "csv"].includes(name ?? ""))).toEqual([]);
  });
});

describe("recorded options", () => {
  let root: string;
  beforeEach(() => {
    root = scratchDirectory("options");
  });

  it("have a mapping without and with one filter as before there could be several", async () => {
    const options = fakeExport().options();
    const recordedWith = async (filter: Mapping["filter"]) => {
      const mapping = { ...options.mapping, filter };
      const recorded = await recordOptions({ ...options, mapping });
      expect(recordedMapping(recorded)).toEqual(mapping);
      return recorded["mapping"];
    };
    const one = { path: ["type"], include: [], exclude: ["group"] };
    expect(await recordedWith([])).toMatchObject({ filter: null });
    expect(await recordedWith([one])).toMatchObject({ filter: one });
    expect(await recordedWith([one, one])).toMatchObject({ filter: [one, one] });
  });

  it("are the same after JSON, in any order of members", async () => {
    const options = fakeExport().options();
    const reversed = Object.fromEntries(Object.entries(options).reverse()) as typeof options;
    const recorded = await recordOptions(options);
    expect(JSON.parse(JSON.stringify(await recordOptions(reversed)))).toEqual(recorded);
    expect(JSON.stringify(await recordOptions(reversed))).toBe(JSON.stringify(recorded));
  });

  it("change with the content of the transform module", async () => {
    const transformPath = join(root, "transform.mjs");
    const options = { ...fakeExport().options(), transformPath };
    writeFileSync(transformPath, "export default (event) => event;");
    const before = await recordOptions(options);
    writeFileSync(transformPath, "export default () => null;");
    const changes = differences(before, await recordOptions(options));
    expect(changes).toEqual([expect.stringMatching(/^--transform: was "\w{64}", is "\w{64}"$/)]);
  });

  it("name a transform module that cannot be read", async () => {
    const options = { ...fakeExport().options(), transformPath: join(root, "none.mjs") };
    await expect(recordOptions(options)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("none.mjs"),
    });
  });
});
