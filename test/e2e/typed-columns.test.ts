import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";
import { expect, test } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const values = [12.5, "-3.25", "1e3", null, 0.1, 123456789012345680, "abc", ".5", 1e-7, "-7e2"];
const wrong = ["abc", ".5"];
const hour = (index: number) => Date.UTC(2026, 0, 30) + index * 3_600_000;

/** Events of three days; some have an id that is not a number. */
const rows = Array.from({ length: 60 }, (_, index) => ({
  event_type: "buy",
  event_time: new Date(hour(index)).toISOString(),
  user_id: index % 20 === 19 ? `x${index}` : `9007199254740${100 + index}`,
  $insert_id: `i-${index % 50}`,
  event_properties: { price: values[index % values.length] },
}));

const kept = rows.filter(
  ({ user_id: id, event_properties: { price } }) =>
    !id.startsWith("x") && !wrong.includes(String(price)),
);

const columns = ["name=event", "at=timestamp", "id=userID:bigint", "price=value:double"];

function projectOf(more: object = {}): string {
  const cwd = scratchDirectory("typed-columns");
  writeFileSync(join(cwd, "in.ndjson"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const configuration = {
    inputs: ["in.ndjson"],
    preset: "amplitude",
    mapping: { value: ["event_properties.price"] },
    maxRejects: "100%",
    export: { to: "out", columns },
    ...more,
  };
  writeFileSync(join(cwd, "pipeline.config.json"), JSON.stringify(configuration));
  return cwd;
}

type Row = readonly [at: number, id: string, price: number | null];

const expected = (from: typeof rows): Row[] =>
  from.map(({ event_time: time, user_id: id, event_properties: { price } }) => [
    Date.parse(time),
    id,
    price == null ? null : Number(price),
  ]);

/** Returns the rows of all parts as other readers see them, and checks their types. */
async function readRows(directory: string, format: string): Promise<readonly Row[]> {
  const parts = readdirSync(join(directory, "events"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const rowsOfParts = await Promise.all(
    parts.map((part) => (format === "arrow" ? readArrow(part) : readWithDuckDb(part, format))),
  );
  return rowsOfParts.flat().toSorted(([a], [b]) => a - b);
}

function readArrow(part: string): readonly Row[] {
  const table = tableFromIPC(readFileSync(part));
  expect(table.schema.fields.map(({ type }) => String(type))).toEqual([
    "Utf8",
    "Int64",
    "Int64",
    "Float64",
  ]);
  return [...table].map((row) => [
    Number(row["at"]),
    String(row["id"]),
    row["price"] as number | null,
  ]);
}

async function readWithDuckDb(part: string, format: string): Promise<readonly Row[]> {
  const duckdb = await (await DuckDBInstance.create(":memory:")).connect();
  const types = `columns = {name: 'varchar', "at": 'bigint', id: 'bigint', price: 'double'}`;
  const from = {
    parquet: `read_parquet('${part}')`,
    csv: `read_csv('${part}')`,
    jsonl: `read_json('${part}', format = 'newline_delimited', ${types})`,
  }[format];
  const sql = `select "at"::double, id, price, typeof(id), typeof(price) from ${from}`;
  const found = (await duckdb.runAndReadAll(sql)).getRowsJS();
  duckdb.closeSync();
  return found.map(([at, id, price, ...typesFound]) => {
    expect(typesFound).toEqual(["BIGINT", "DOUBLE"]);
    return [at as number, String(id), price as number | null];
  });
}

test.each(someOf(["parquet", "arrow", "csv", "jsonl"], 3))(
  "typed ids and values are numbers in %s, spilled and joined too, and other texts are rejects",
  async (format) => {
    const cwd = projectOf();
    const run = (...args: string[]) => runInProcess(args, { cwd });
    const options = [
      "--format",
      format === "csv" ? "csv.safe" : format,
      "--split-size",
      "2KiB",
      "--quiet",
    ];
    expect(await run("export", ...options)).toMatchObject({ exitCode: 0 });
    expect(await run("verify", "out")).toMatchObject({ exitCode: 0 });
    expect(await readRows(join(cwd, "out"), format)).toEqual(expected(kept));
    const manifest = JSON.parse(readFileSync(join(cwd, "out/manifest.json"), "utf8"));
    expect(manifest.rows).toMatchObject({ delivered: kept.length });
    expect(manifest.rejects).toMatchObject([
      { code: "type_mismatch", rows: rows.length - kept.length },
    ]);
  },
);

test("a line has typed texts without quotes, and a reject names field, text and type", async () => {
  const cwd = projectOf();
  const exported = await runInProcess(["export", "--format", "jsonl"], { cwd });
  expect(exported.exitCode).toBe(0);
  const [first, second] = readFileSync(partOf(join(cwd, "out/events/2026-01-30")), "utf8").split(
    "\n",
  );
  expect([first, second]).toEqual([
    `{"name":"buy","at":${hour(0)},"id":9007199254740100,"price":12.5}`,
    `{"name":"buy","at":${hour(1)},"id":9007199254740101,"price":-3.25}`,
  ]);
  const [reject] = readFileSync(partOf(join(cwd, "out/rejects")), "utf8").split("\n");
  expect(JSON.parse(reject ?? "")).toMatchObject({
    row: 7,
    message: 'event_properties.price is "abc", which is not a double',
  });
});

function partOf(directory: string): string {
  return join(directory, readdirSync(directory)[0] ?? "");
}

test("repeated events of typed columns are removed once: both passes reject the same rows", async () => {
  const cwd = projectOf();
  const run = (...args: string[]) => runInProcess(args, { cwd });
  expect(await run("export", "--dedupe", "all", "--quiet")).toMatchObject({ exitCode: 0 });
  const ids = new Set<string>();
  const once = kept.filter(({ $insert_id: id }) => !ids.has(id) && ids.add(id));
  expect(once.length).toBeLessThan(kept.length);
  expect(await readRows(join(cwd, "out"), "parquet")).toEqual(expected(once));
});

test("a transform may make numbers of texts, and what it returns is checked", async () => {
  const cwd = projectOf({ transform: "fix.mjs" });
  writeFileSync(
    join(cwd, "fix.mjs"),
    `export default (event) => {
      const value = event.value === ".5" ? 0.5 : event.value;
      return [{ ...event, value }, { ...event, value: event.value === "abc" ? "def" : "7" }];
    };`,
  );
  expect(await runInProcess(["export", "--quiet"], { cwd })).toMatchObject({ exitCode: 0 });
  const manifest = JSON.parse(readFileSync(join(cwd, "out/manifest.json"), "utf8"));
  const [{ rows: rejected, example }] = manifest.rejects;
  const wrongRows = rows.filter(
    ({ user_id: id, event_properties: { price } }) => id.startsWith("x") || price === "abc",
  );
  expect(rejected).toBe(wrongRows.length);
  expect(example.message).toBe('the transform returned value "abc", which is not a double');
  const found = await readRows(join(cwd, "out"), "parquet");
  expect(found).toHaveLength(2 * (rows.length - wrongRows.length));
  expect(found.filter(([, , price]) => price === 0.5)).not.toHaveLength(0);
});

test.each([
  [["n=event", "t=timestamp", "m=metadata:double"], {}, '(got "m=metadata:double")'],
  [["n=event", "t=timestamp:double"], {}, "timestamp are ms, s, timestamp"],
  [["n=event", "t=timestamp", "v=value:float"], {}, "can be double or bigint"],
  [["n=event", "t=timestamp", "v=value:double"], { drop: ["value"] }, "value is dropped or hashed"],
  [
    ["n=event", "t=timestamp", "v=userID:bigint"],
    { drop: ["user.userID"] },
    "user.userID is dropped",
  ],
])("%j with %j is refused", async (list, more, reason) => {
  const cwd = projectOf({ ...more, export: { to: "out", columns: list } });
  const refused = await runInProcess(["export"], { cwd });
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain(reason);
});
