import { expect, test } from "vitest";
import { nameFeedColumns } from "../../src/sources/feed-columns.js";
import type { InputFile } from "../../src/sources/inputs.js";
import type { LeftOut } from "../../src/sources/other-files.js";
import type { Source } from "../../src/sources/source.js";
import { nothingFound } from "../../src/sources/source-discovery.js";

const dialect = { delimiter: "\t", quote: '"', escape: "\\", encoding: "utf-8" };

function source(name: string, columns: readonly string[], header = false): Source {
  const format = { kind: "csv", ...dialect, columns, header } as const;
  return { name, path: `/${name}`, codecs: [], size: 9, fingerprint: name, format };
}

/** Names the columns of rows in files, with the header that each lookup has. */
async function nameColumns(
  names: readonly string[],
  headers: Readonly<Record<string, readonly string[]>>,
  isDescribed = false,
) {
  const sources = names.map((name) => source(name, ["column_1", "column_2"]));
  const lookups = Object.keys(headers);
  const leftOut = lookups.map((name): LeftOut => ({ name, kind: "lookup table" }));
  const paths = new Set([...names, ...lookups].map((name) => name.split("!")[0] ?? name));
  const files = [...paths].map((name): InputFile => ({ name, path: `/${name}` }));
  const asked: string[] = [];
  const found = await nameFeedColumns({ ...nothingFound, sources, leftOut }, files, {
    isDescribed,
    signal: new AbortController().signal,
    discoverAll: async ({ name }) => {
      asked.push(name);
      const [lookup = name] = lookups.filter((one) => one.split("!")[0] === name);
      const place = lookup.endsWith("column_headers.tsv") ? lookup : `${lookup}!column_headers.tsv`;
      const columns = headers[lookup] ?? [];
      const own = columns.length === 0 ? [] : [source(place, columns, true)];
      return { ...nothingFound, sources: own };
    },
  });
  const columns = found.sources.map(({ format }) => (format.kind === "csv" ? format.columns : []));
  return { ...found, columns, asked };
}

test("rows have the names of the file beside them, or in their archive", async () => {
  const headers = {
    "a/column_headers.tsv": ["a1", "a2"],
    "b.zip!x/column_headers.tsv": ["b1", "b2"],
  };
  const feeds = ["a/hit_data.tsv", "b.zip!x/hit_data.tsv", "b.zip!hit_data.tsv", "c/hit_data.tsv"];
  const names = [...feeds, "b.zip!other.tsv"];
  const { columns, notes, sources, asked } = await nameColumns(names, headers);
  const none = ["column_1", "column_2"];
  expect(columns).toEqual([["a1", "a2"], ["b1", "b2"], ["b1", "b2"], none, none]);
  expect(asked).toEqual(["a/column_headers.tsv", "b.zip"]);
  expect(notes).toEqual([expect.stringMatching(/^c\/hit_data\.tsv: rows of an Adobe/)]);
  expect(sources[0]?.format).toEqual({
    kind: "csv",
    delimiter: "\t",
    quote: "",
    backslashes: "lf",
    columns: ["a1", "a2"],
    header: false,
    encoding: "mixed",
  });
});

test("rows have the names of the lookups of their day", async () => {
  const headers = {
    "f/tea_2026-01-30-000000-lookup_data.tar.gz": ["old1", "old2"],
    "f/tea_2026-01-31-000000-lookup_data.tar.gz": ["new1", "new2"],
  };
  const names = ["f/01-tea_2026-01-30-170000.tsv.gz", "f/02-tea_2026-01-31-180000.tsv.gz"];
  const { columns } = await nameColumns(names, headers);
  expect(columns).toEqual([
    ["old1", "old2"],
    ["new1", "new2"],
  ]);
});

test("hours in archives have the names in the archive of the first hour of their day", async () => {
  const headers = {
    "f/tea_2026-01-30-000000.tar.gz!column_headers.tsv": ["old1", "old2"],
    "f/tea_2026-01-31-000000.tar.gz!column_headers.tsv": ["new1", "new2"],
    "g/tea_2026-01-31-000000-lookup_data.tar.gz": ["g1", "g2"],
  };
  const names = [
    "f/tea_2026-01-30-010000.tar.gz!hit_data.tsv",
    "f/tea_2026-01-31-000000.tar.gz!hit_data.tsv",
    "f/01-tea_2026-01-31-010000.tsv.gz",
    "g/02-tea_2026-01-31-010000.zip!hit_data.tsv",
  ];
  const { columns } = await nameColumns(names, headers);
  expect(columns.map(([first]) => first)).toEqual(["old1", "new1", "new1", "g1"]);
});

test("a day without lookups has the names that all others have, and is refused if these differ", async () => {
  const lookups = (columns: readonly string[]) => ({
    "tea_2026-01-30-000000-lookup_data.tar.gz": ["a", "b"],
    "tea_2026-01-31-000000-lookup_data.tar.gz": columns,
  });
  const names = ["01-tea_2026-02-01-000000.tsv.gz", "01-tea_2026-01-30-000000.tsv.gz"];
  const same = await nameColumns(names, lookups(["a", "b"]));
  expect(same.columns[0]).toEqual(["a", "b"]);
  const { columns, failures } = await nameColumns(names, lookups(["b", "a"]));
  expect(columns).toEqual([["a", "b"]]);
  expect(failures).toMatchObject([{ name: names[0], code: "source_unreadable" }]);
  expect(failures[0]?.message).toMatch(/01-30-000000.*and.*01-31-000000.*differ/);
});

test("lookups without a header are an error of the rows", async () => {
  const { columns, failures } = await nameColumns(["hit_data.tsv"], { "column_headers.tsv": [] });
  expect(columns).toEqual([]);
  expect(failures[0]?.message).toMatch(/it has no column_headers\.tsv with the names of columns/);
});

test("marks that the user gave stay", async () => {
  const headers = { "column_headers.tsv": ["a", "b"] };
  const { sources } = await nameColumns(["hit_data.tsv"], headers, true);
  expect(sources[0]?.format).toMatchObject({ ...dialect, columns: ["a", "b"], header: false });
});
