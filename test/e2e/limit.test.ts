import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it, test } from "vitest";
import { writeZip } from "../sources/zip-writer.js";
import { runInProcess } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { FaultyService } from "../support/faulty-service.js";
import { PACKED_ROWS, writePackedInputs } from "../support/packed-inputs.js";
import { someOf } from "../support/property-runs.js";
import { accepted } from "../support/reaction.js";
import { scratchDirectory } from "../support/scratch.js";
import { runSend } from "../support/send-command.js";

const directory = scratchDirectory("limit");
const ROWS = 400;
const FILES = 4;
const TOTAL = ROWS * FILES;
const inputs = ["a.jsonl", "b.jsonl.gz", "c.zip", "d.csv"];

const propertiesOf = (index: number) => JSON.stringify({ index, text: "x".repeat(index % 90) });

/** Row `index` of all inputs; every 50th has no time and is rejected. */
function lineOf(index: number): string {
  const time = new Date(Date.UTC(2026, 0, 1 + (index % 3))).toISOString();
  const event_time = index % 50 === 7 ? "" : time.replace("T", " ").replace("Z", "000");
  const insert = `i${index % 20 === 19 ? index - 1 : index}`;
  return JSON.stringify({
    event_type: `e${index % 5}`,
    event_time,
    user_id: `u${index}`,
    $insert_id: insert,
    event_properties: JSON.parse(propertiesOf(index)),
  });
}

const lines = (file: number, make = lineOf) =>
  `${Array.from({ length: ROWS }, (_, index) => make(file * ROWS + index)).join("\n")}\n`;

function csvLineOf(index: number): string {
  const row = JSON.parse(lineOf(index));
  const properties = propertiesOf(index).replaceAll('"', '""');
  return `${row.event_type};${row.event_time};${row.user_id};${row.$insert_id};"${properties}"`;
}

beforeAll(() => {
  const header = "event_type;event_time;user_id;$insert_id;event_properties\n";
  writeFileSync(join(directory, "a.jsonl"), lines(0));
  writeFileSync(join(directory, "b.jsonl.gz"), gzipSync(lines(1)));
  const entry = { name: "rows.json", data: Buffer.from(lines(2)), method: 8 } as const;
  writeFileSync(join(directory, "c.zip"), writeZip([entry]));
  writeFileSync(join(directory, "d.csv"), header + lines(3, csvLineOf));
});

async function run(exitCode: number, ...words: readonly string[]) {
  const result = await runInProcess(words, { cwd: directory });
  expect(result, result.stderr).toMatchObject({ exitCode });
  return result;
}

async function runJson(exitCode: number, ...words: readonly string[]) {
  return JSON.parse((await run(exitCode, ...words, "--json")).stdout);
}

const exportTo = (output: string, ...more: readonly string[]) => [
  "export",
  ...inputs,
  "--to",
  output,
  "--format",
  "jsonl",
  "--max-rejects",
  "5%",
  ...more,
];

/** Numbers of the rows whose events an export has. */
function indexesIn(output: string): number[] {
  const days = join(directory, output, "events");
  const files = readdirSync(days, { recursive: true, encoding: "utf8" });
  return files
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(days, name), "utf8").trimEnd().split("\n"))
    .map((line) => Number(JSON.parse(line).metadata.index))
    .sort((a, b) => a - b);
}

const manifestOf = (output: string) =>
  JSON.parse(readFileSync(join(directory, output, "manifest.json"), "utf8"));

const delivered = (rows: number) =>
  Array.from({ length: rows }, (_, index) => index).filter((index) => index % 50 !== 7);

describe("an export with --limit", () => {
  it.each(someOf([ROWS + 1, TOTAL - 5, ROWS, 1, ROWS - 1, 2 * ROWS + 30], 3))(
    "has exactly the first %i rows, rejected ones included, with any number of threads",
    async (limit) => {
      const words = ["--limit", String(limit), "--split-size", "8KiB"];
      const one = await runJson(0, ...exportTo(`one-${limit}`, ...words, "--threads", "1"));
      expect(one.rows.read).toBe(limit);
      expect(one.limit).toEqual({ rows: limit, partial: true });
      expect(manifestOf(`one-${limit}`)).toMatchObject({
        complete: true,
        limit: { rows: limit, partial: true },
        configuration: { limit },
      });
      expect(indexesIn(`one-${limit}`)).toEqual(delivered(limit));
      await run(0, ...exportTo(`two-${limit}`, ...words, "--threads", "2"));
      expect(digestExport(join(directory, `two-${limit}`))).toEqual(
        digestExport(join(directory, `one-${limit}`)),
      );
    },
  );

  it("reads all rows if there are not more, and says so", async () => {
    for (const limit of [TOTAL, TOTAL + 1]) {
      const output = `all-${limit}`;
      const { stdout } = await run(0, ...exportTo(output, "--limit", String(limit)));
      expect(stdout).toMatch(/limit +\S+ rows not exceeded: all rows were read/);
      expect(manifestOf(output)).toMatchObject({ limit: { rows: limit, partial: false } });
      expect(indexesIn(output)).toEqual(delivered(TOTAL));
    }
  });

  it("says that it is partial: summary, verify and runs", async () => {
    const { stdout } = await run(0, ...exportTo("said", "--limit", "30"));
    expect(stdout).toMatch(/limit +partial: only the first 30 rows of the inputs/);
    expect((await run(0, "verify", "said")).stdout).toMatch(/partial: only the first 30 rows/);
    expect(await runJson(0, "verify", "said")).toMatchObject({
      outcome: "verified",
      limit: { rows: 30, partial: true },
    });
    expect((await run(0, "runs", "said")).stdout).toMatch(/partial: only the first 30 rows/);
    const { exports } = await runJson(0, "runs", "said");
    expect(exports.at(0)).toMatchObject({ state: "done", limit: { rows: 30, partial: true } });
  });

  it("is done when it is run again, also if there are more inputs, and does not grow", async () => {
    const words = exportTo("again", "--limit", "450");
    await run(0, ...words);
    const more = [words[0] ?? "", "e.jsonl", ...words.slice(1)];
    writeFileSync(join(directory, "e.jsonl"), lines(5));
    expect(await runJson(0, ...more)).toMatchObject({ alreadyDone: true, rows: { read: 450 } });
    for (const other of [[], ["--limit", "451"]]) {
      const { stderr } = await run(2, ...exportTo("again", ...other));
      expect(stderr).toContain(`--limit: was 450, is ${other[1] ?? "not set"}`);
    }
    expect(indexesIn("again")).toEqual(delivered(450));
  });

  it("that was not reached takes no further inputs", async () => {
    await run(0, ...exportTo("whole", "--limit", "9999"));
    writeFileSync(join(directory, "f.jsonl"), lines(6));
    const { stderr } = await run(2, ...exportTo("whole", "--limit", "9999"), "f.jsonl");
    expect(stderr).toContain("--limit 9999: an output of a limited run takes no further inputs");
    expect(stderr).toContain("f.jsonl");
  });

  it("reads lost splits again to the same rows, and refuses inputs that have changed", async () => {
    const words = exportTo("resumed", "--limit", "850", "--split-size", "8KiB");
    await run(0, ...words);
    const before = digestExport(join(directory, "resumed"));
    const splits = join(directory, "resumed/_switchyard/splits");
    const last = readdirSync(splits).sort().at(-1)?.slice(0, 6) ?? "";
    for (const name of readdirSync(splits).filter((one) => one.startsWith(last)))
      rmSync(join(splits, name));
    const resumed = await runJson(0, ...words);
    expect(resumed.alreadyDone).toBe(false);
    expect(resumed.rows.read).toBe(850);
    expect(digestExport(join(directory, "resumed"))).toEqual(before);

    writeFileSync(join(directory, "a.jsonl"), lines(0).replace("u3", "U3"));
    const { stderr } = await run(2, ...words);
    expect(stderr).toContain("input a.jsonl: modified");
    writeFileSync(join(directory, "a.jsonl"), lines(0));
  });

  it("removes duplicates among its rows only, joins parts and gives shards the same plan", async () => {
    const options = ["--limit", "777", "--split-size", "8KiB", "--compact", "always"];
    const deduped = await runJson(0, ...exportTo("dedupe", ...options, "--dedupe", "all"));
    const repeats = delivered(777).filter((index) => index % 20 === 19).length;
    expect(deduped.rows).toMatchObject({ read: 777, duplicates: repeats });
    await run(0, "verify", "dedupe");
    for (const shard of ["1/2", "0/2"])
      await run(0, ...exportTo("shards", ...options, "--shard", shard));
    await run(0, ...exportTo("shards", ...options, "--shard", "finish"));
    await run(0, ...exportTo("unsharded", ...options));
    expect(digestExport(join(directory, "shards"))).toEqual(
      digestExport(join(directory, "unsharded")),
    );
    await run(0, "compact", "unsharded");
    await run(0, "verify", "unsharded");
  });

  it.each(["0", "-1", "1.5", "many", ""])("refuses --limit '%s'", async (limit) => {
    const { stderr } = await run(2, ...exportTo("refused", "--limit", limit));
    expect(stderr).toContain("--limit: must be");
    expect(readdirSync(directory)).not.toContain("refused");
  });
});

test("the first rows of each format end within any source", async () => {
  const rows = writePackedInputs(join(directory, "packed"));
  for (const limit of [3, PACKED_ROWS + 1, 3 * PACKED_ROWS - 1, rows - 4, rows - 1]) {
    const words = ["export", "packed", "--to", `packed-${limit}`, "--limit", String(limit)];
    expect(await runJson(0, ...words)).toMatchObject({
      rows: { read: limit, delivered: limit },
      limit: { partial: true },
    });
    await run(0, "verify", `packed-${limit}`);
  }
});

test("a source that fails counts with the rows before the damage", async () => {
  const cut = gzipSync(lines(0), { level: 0 }).subarray(0, 20_000);
  writeFileSync(join(directory, "0-cut.jsonl.gz"), cut);
  const words = ["0-cut.jsonl.gz", "a.jsonl", "--max-rejects", "5%"];
  const part = await runJson(1, "export", ...words, "--to", "cut-all");
  const before = part.rows.read - ROWS;
  expect(before).toBeGreaterThan(20);
  const limit = ["--limit", String(before + 10)];
  expect(await runJson(1, "export", ...words, "--to", "cut", ...limit)).toMatchObject({
    rows: { read: before + 10 },
    limit: { partial: true },
  });

  writeFileSync(join(directory, "0-cut.jsonl.gz"), gzipSync(lines(0)));
  const { stderr } = await run(2, "export", ...words, "--to", "cut", ...limit);
  expect(stderr).toContain("its rows may be others, because input 0-cut.jsonl.gz has changed");
});

test.each(["plain", "gzip"])("validate knows the share of the first rows: %s", async (kind) => {
  const row = (index: number) =>
    JSON.stringify({
      event_type: "e",
      event_time: "2026-01-31 10:00:00",
      user_id: createHash("sha256").update(`${index}`).digest("hex"),
    });
  const text = Array.from({ length: 40_000 }, (_, index) => row(index)).join("\n");
  const file = join(directory, `share-${kind}.jsonl`);
  writeFileSync(file, kind === "gzip" ? gzipSync(text) : text);
  const { stdout } = await run(0, "validate", file, "--limit", "1000", "--json");
  const { sample } = JSON.parse(stdout);
  expect(sample.share * 40_000).toBeGreaterThan(700);
  expect(sample.share * 40_000).toBeLessThan(1_300);
});

test("validate reports on the first rows, and does not take a sample of them", async () => {
  const words = ["validate", ...inputs, "--max-rejects", "5%"];
  const { stdout } = await run(0, ...words, "--limit", "300");
  expect(stdout).toContain("the first 300 rows");
  const report = JSON.parse(readFileSync(join(directory, "report/report.json"), "utf8"));
  expect(report).toMatchObject({ rows: { read: 300 }, limit: { rows: 300, partial: true } });
  expect(report.sample.share).toBeGreaterThan(0);
  expect(report.sample.share).toBeLessThan(0.7);
  expect(report.inputs.sourcesTotal).toBe(1);
  expect(readFileSync(join(directory, "report/report.html"), "utf8")).toContain(
    '"limit":{"rows":300',
  );
  const { stderr } = await run(2, ...words, "--limit", "300", "--sample", "10%");
  expect(stderr).toContain("[limit_unsupported]");
});

describe("a send with --limit", () => {
  it("sends the first rows; the rest is refused, because it would send them again", async () => {
    const service = new FaultyService(() => accepted);
    const url = await service.listen();
    const words = [...inputs, "--to", url, "--max-rejects", "5%"];
    const first = await runSend(directory, [...words, "--limit", "130"]);
    expect(first, first.stderr).toMatchObject({
      exitCode: 0,
      json: { rows: { read: 130, delivered: delivered(130).length }, limit: { partial: true } },
    });
    expect(service.requests).toHaveLength(delivered(130).length);
    expect((await runSend(directory, [...words, "--limit", "130"])).json).toMatchObject({
      alreadyDone: true,
    });
    for (const other of [[], ["--limit", "200"]]) {
      const refused = await runSend(directory, [...words, ...other]);
      expect(refused).toMatchObject({ exitCode: 2 });
      expect(refused.stdout).toContain("--limit: was 130");
    }
    expect(service.requests).toHaveLength(delivered(130).length);
    expect((await run(0, "runs")).stdout).toMatch(/partial: only the first 130 rows/);
    await service.close();
  });
});
