import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { cellKinds } from "../../src/batch/column.js";
import { json, readColumn, readRows, text, writeWithDuckDB } from "./parquet-files.js";

/** SQL expression, then the text and the kind of its cell. */
const values: readonly (readonly [string, string | undefined, keyof typeof cellKinds])[] = [
  ["'grün 🚋'::varchar", "grün 🚋", "string"],
  ["''::varchar", "", "string"],
  ["null::varchar", undefined, "null"],
  [`'{"a": 1}'::json`, '{"a": 1}', "string"],
  ["'abc'::blob", "abc", "string"],
  ["true", "true", "boolean"],
  ["false", "false", "boolean"],
  ["(-128)::tinyint", "-128", "number"],
  ["255::utinyint", "255", "number"],
  ["65535::usmallint", "65535", "number"],
  ["(-2147483648)::integer", "-2147483648", "number"],
  ["4294967295::uinteger", "4294967295", "number"],
  ["9223372036854775807::bigint", "9223372036854775807", "number"],
  ["(-9223372036854775808)::bigint", "-9223372036854775808", "number"],
  ["18446744073709551615::ubigint", "18446744073709551615", "number"],
  ["0.1::double", "0.1", "number"],
  ["'-0'::double", "-0", "number"],
  ["123456789.125::double", "123456789.125", "number"],
  ["1e300::double", "1e+300", "number"],
  ["'nan'::double", undefined, "null"],
  ["'-infinity'::double", undefined, "null"],
  ["0.1::float", "0.1", "number"],
  ["16777216::float", "16777216", "number"],
  ["3.4028235e38::float", "3.4028235e+38", "number"],
  ["12.50::decimal(4,2)", "12.50", "number"],
  ["(-0.05)::decimal(4,2)", "-0.05", "number"],
  ["-12345678901.234567::decimal(18,6)", "-12345678901.234567", "number"],
  ["0::decimal(38,10)", "0.0000000000", "number"],
  [
    "'-12345678901234567890123456789.012345678'::decimal(38,9)",
    "-12345678901234567890123456789.012345678",
    "number",
  ],
  ["(2::decimal(38,0))", "2", "number"],
  [
    "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid",
    "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    "string",
  ],
  ["date '2024-02-29'", "2024-02-29", "string"],
  ["date '1969-12-31'", "1969-12-31", "string"],
  ["date '0001-01-01'", "0001-01-01", "string"],
  ["'12024-03-01'::date", "+012024-03-01", "string"],
  ["time '23:59:59.000001'", "23:59:59.000001", "string"],
  ["time '00:00:00'", "00:00:00", "string"],
  ["timestamp '2026-01-31 17:00:00.123'", "2026-01-31T17:00:00.123000", "string"],
  ["timestamp '1969-12-31 23:59:59.999999'", "1969-12-31T23:59:59.999999", "string"],
  ["timestamptz '2026-01-31 17:00:00.5+00'", "2026-01-31T17:00:00.500000Z", "string"],
  ["'2026-01-31 17:00:00.25'::timestamp_ms", "2026-01-31T17:00:00.250", "string"],
  ["'2026-01-31 17:00:00'::timestamp_s", "2026-01-31T17:00:00", "string"],
  ["'2026-01-31 17:00:00.123456789'::timestamp_ns", "2026-01-31T17:00:00.123456789", "string"],
  ["interval '14 months 3 days 4.5 seconds'", "P14M3DT4.500S", "string"],
];

describe("cells of a Parquet file", () => {
  it("hold the values of every type as text, with all digits", async () => {
    const select = values.map(([sql], index) => `${sql} as c${index}`).join(", ");
    const path = await writeWithDuckDB(`select ${select}`);
    const [row] = await readRows(
      path,
      values.map((_, index) => text(`c${index}`)),
    );
    const read = values.map(([sql], index) => [sql, row?.cells[index], row?.kinds[index]]);
    expect(read).toEqual(values.map(([sql, cell, kind]) => [sql, cell, cellKinds[kind]]));
  });

  it("are the same with one value a row group and with nulls between", async () => {
    const path = await writeWithDuckDB(
      "select case when i % 3 = 0 then null else i end as n from range(10000) r(i)",
      ", row_group_size 2048",
    );
    const cells = await readColumn(path, text("n"));
    expect(cells).toEqual(
      Array.from({ length: 10_000 }, (_, i) => (i % 3 === 0 ? undefined : String(i))),
    );
  });

  it("are JSON tokens if JSON is requested", async () => {
    const path = await writeWithDuckDB(
      `select 'say "hi"' || chr(10) || chr(1) as s, 1.5::double as d, date '2024-01-01' as day`,
    );
    const [row] = await readRows(path, [json("s"), json("d"), json("day")]);
    expect(row?.cells).toEqual(['"say \\"hi\\"\\n\\u0001"', "1.5", '"2024-01-01"']);
    expect(row?.kinds).toEqual([cellKinds.string, cellKinds.number, cellKinds.string]);
  });

  it("are right for every day of a cycle of leap years", async () => {
    const days = "date '1890-01-01' + i::int as day, day::varchar as day_text";
    const path = await writeWithDuckDB(`select ${days} from range(146097) r(i)`);
    const rows = await readRows(path, [text("day"), text("day_text")]);
    expect(rows.filter(({ cells }) => cells[0] !== cells[1])).toEqual([]);
    expect(rows).toHaveLength(146_097);
  });

  it("of times and decimals have the digits that DuckDB gives them", async () => {
    const path = await writeWithDuckDB(
      `select t, t::varchar as t_text, t::date as day, t::date::varchar as day_text,
              t::time as clock, t::time::varchar as clock_text,
              small, small::varchar as small_text, large, large::varchar as large_text
       from (select timestamp '0001-01-01' + to_microseconds((${random(1)} * 3.1e17)::bigint) as t,
                    ((${random(2)} - 0.5) * 1e12)::decimal(18, 5) as small,
                    ((case when i % 2 = 0 then '-' else '' end) || substr(hash(i)::varchar
                      || hash(i + 9)::varchar, 1, (1 + i % 30)::int) || '.'
                      || lpad((hash(i * 7) % 100000000)::varchar, 8, '0'))::decimal(38, 8) as large
             from range(5000) r(i))`,
    );
    const names = ["t", "day", "clock", "small", "large"];
    const rows = await readRows(
      path,
      [...names, ...names.map((name) => `${name}_text`)].map((name) => text(name)),
    );
    expect(rows).toHaveLength(5000);
    for (const { cells } of rows) {
      const trimmed = cells.slice(0, 5).map((cell, index) => {
        const spaced = cell?.replace("T", " ");
        return index === 0 || index === 2 ? spaced?.replace(/(\.\d*?)0+$/, "$1") : spaced;
      });
      expect(trimmed).toEqual(cells.slice(5));
    }
  });

  it("have the shortest text that reads back as the same double or float", async () => {
    const path = await writeWithDuckDB(
      `select (${random(1)} - 0.5) * pow(10, (${random(2)} * 60 - 30)::int) as d,
              ((${random(3)} - 0.5) * pow(10, (${random(4)} * 20 - 10)::int))::float as f,
              round(${random(5)} * 1e6, (i % 7)::int) as r
       from range(20000) t(i)`,
    );
    const rows = await readRows(path, [text("d"), text("f"), text("r")]);
    const exact = await exactDoubles(path);
    for (const [index, { cells }] of rows.entries()) {
      const { d, f, r } = exact[index] ?? { d: 0, f: 0, r: 0 };
      expect([cells[0], cells[2]]).toEqual([String(d), String(r)]);
      expect(Math.fround(Number(cells[1]))).toBe(f);
      const digits = cells[1]?.replace(/e.*|\D/g, "").replace(/^0+|0+$/g, "") ?? "";
      expect(digits.length).toBeLessThanOrEqual(9);
    }
  });
});

/** SQL for numbers from 0 to 1 that are the same in every run. */
function random(seed: number): string {
  return `(hash(i * 31 + ${seed}) / 18446744073709551616.0)`;
}

async function exactDoubles(path: string): Promise<{ d: number; f: number; r: number }[]> {
  const file = await asyncBufferFromFile(path);
  return (await parquetReadObjects({ file })) as { d: number; f: number; r: number }[];
}
