import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { longTest } from "../support/long-test.js";
import { someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("missing-fields");

/** Writes a CSV file whose properties are in a column of this name; returns its path. */
function put(name: string, properties: string, rows: number, value = '"{""a"":1}"'): string {
  const lines = Array.from(
    { length: rows },
    (_, index) => `e,2026-01-31 10:00:00,u${index},${value}`,
  );
  const file = join(scratch, name);
  writeFileSync(file, [`event_type,event_time,user_id,${properties}`, ...lines].join("\n"));
  return file;
}

const good = put("good.csv", "event_properties", 100);
const renamed = put("renamed.csv", "properties", 30);
const config = join(scratch, "misspelt.json");
writeFileSync(config, JSON.stringify({ mapping: { metadata: "event_propertys" } }));

async function run(command: string, ...words: readonly string[]) {
  const to =
    command === "export" ? ["--to", join(scratch, words.join("").replaceAll("/", ""))] : [];
  const report = command === "validate" ? ["--report", join(scratch, "report")] : [];
  return runInProcess([command, ...words, ...to, ...report], { cwd: scratch });
}

async function missing(command: string, ...words: readonly string[]) {
  const { stdout } = await run(command, ...words, "--json");
  const { missingFields, findings = [] } = JSON.parse(stdout) as {
    readonly missingFields: readonly unknown[];
    readonly findings?: readonly { readonly code: string; readonly title: string }[];
  };
  const titles = findings.filter(({ code }) => code === "field_missing").map(({ title }) => title);
  return { missingFields, titles };
}

describe("a mapped field that no row has", () => {
  it("is found by validate, with its target", async () => {
    expect(await missing("validate", good, "--config", config)).toEqual({
      missingFields: [
        {
          target: "metadata",
          fields: ["event_propertys"],
          rows: 100,
          sources: 1,
          sourcesTotal: 1,
          names: [good],
        },
      ],
      titles: ["metadata is mapped from event_propertys, which no row has"],
    });
  });

  it("is noted by export, which does not fail", async () => {
    const { exitCode, stdout } = await run("export", good, "--config", config);
    expect(stdout).toContain("notice    metadata is mapped from event_propertys, which no row has");
    expect(exitCode).toBe(0);
  });

  it.each(someOf(["validate", "export"], 2))(
    "makes %s fail with --require-fields",
    async (command) => {
      const words = [good, "--config", config, "--require-fields"];
      const { exitCode, stderr, stdout } = await run(command, ...words, "--json");
      expect(exitCode).toBe(1);
      expect(stderr).toContain(
        "error: metadata is mapped from event_propertys, which no row has. ",
      );
      expect(JSON.parse(stdout)).toMatchObject({
        exitCode: 1,
        error: { code: "fields_missing" },
      });
    },
  );

  it("is found if it lacks in some sources only", async () => {
    const { missingFields, titles } = await missing("validate", good, renamed);
    expect(titles).toEqual([
      `metadata is mapped from event_properties, which no row of ${renamed} has`,
    ]);
    expect(missingFields).toMatchObject([{ rows: 30, sources: 1, sourcesTotal: 2 }]);
  });

  it("is not found in a source of few rows, or one that is mostly empty elsewhere", async () => {
    const few = put("few.csv", "properties", 10);
    const sparse = put("sparse.csv", "event_properties", 1000, "");
    expect((await missing("validate", good, few)).titles).toEqual([]);
    expect((await missing("validate", good, sparse, renamed)).titles).toEqual([
      `metadata is mapped from event_properties, which no row of ${sparse} has`,
    ]);
  });

  it("is not found, or counted, in rows that could not be read", async () => {
    const ragged = put("ragged.csv", "event_properties", 100, "{},");
    expect(await missing("validate", ragged)).toEqual({ missingFields: [], titles: [] });
    expect((await run("export", ragged)).stdout).not.toContain("which no row has");
    const mixed = put("mixed.csv", "event_properties", 100, "{},");
    appendFileSync(mixed, "\ne,2026-01-31 10:00:00,u,".repeat(30));
    expect((await missing("validate", mixed)).missingFields).toMatchObject([{ rows: 30 }]);
  });

  it("is not found if it has values in another part of the source", async () => {
    const file = join(scratch, "late.jsonl");
    const row = { event_type: "e", event_time: "2026-01-31 10:00:00", user_id: "u" };
    const empty = `${JSON.stringify({ ...row, pad: "x".repeat(1000) })}\n`.repeat(2_000);
    writeFileSync(file, `${empty}${JSON.stringify({ ...row, event_properties: { a: 1 } })}\n`);
    expect((await missing("validate", file, "--split-size", "1MiB")).titles).toEqual([]);
  });

  longTest("is not reported for an optional field of a preset", async () => {
    expect((await missing("validate", good)).titles).toEqual([]);
  });

  longTest("is found within listed fields", async () => {
    const file = join(scratch, "listed.json");
    const metadata = ["event_properties", { fields: ["event_type", "platfrom", "contry"] }];
    writeFileSync(file, JSON.stringify({ mapping: { metadata } }));
    expect((await missing("validate", good, "--config", file)).titles).toEqual([
      "metadata is mapped from platfrom, contry, which no row has",
    ]);
  });
});

describe("source fields without a target", () => {
  it("are listed by validate with their share of the sampled rows", async () => {
    const file = join(scratch, "unused.jsonl");
    const row = { event_type: "e", event_time: "2026-01-31 10:00:00", user_id: "u", os: "ios" };
    const rows = [row, { ...row, os: null }, { ...row, nested: { a: 1 } }, row];
    writeFileSync(file, rows.map((one) => JSON.stringify(one)).join("\n"));
    const { stdout } = await run("validate", file);
    expect(stdout).toContain("  unmapped  os 75%, nested 25%\n");
    const json = await run("validate", file, "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      unusedFields: [
        { field: "os", share: 0.75 },
        { field: "nested", share: 0.25 },
      ],
    });
  });

  longTest("are not mentioned if there are none", async () => {
    expect((await run("validate", good)).stdout).not.toContain("unmapped");
  });
});
