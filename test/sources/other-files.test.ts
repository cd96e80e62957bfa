import { describe, expect, it, test } from "vitest";
import {
  kindOfContent,
  kindOfFields,
  kindOfHidden,
  kindOfName,
  looksLikeRows,
  type OtherKind,
  splitByName,
} from "../../src/sources/other-files.js";
import type { HeadExtent } from "../../src/sources/source-head.js";

const sample = (text: string, extent: HeadExtent = "whole") => ({
  bytes: Buffer.from(text),
  extent,
});

describe("a name says what a file is", () => {
  const kinds: Readonly<Record<OtherKind, readonly string[]>> = {
    "merged ids": ["a/-100_2026-01-31_7.json.gz", "-7_2026-01-31_17#1.json"],
    persons: [],
    "failed events": [],
    manifest: [
      "manifest.json",
      "in/shop_2026-01-13_manifest.txt",
      "2026-01-13-2026-01-14_manifest.json",
      "a.manifest",
    ],
    checksum: ["a.csv.md5", "a.sha256", "a.json.gz.crc", "SHA256SUMS", "checksums.txt"],
    marker: ["complete", "100_2026-01-31_8.complete", "100_2026-01-31_8_complete", "shop.fin"],
    "lookup table": ["shop_2026-01-13-lookup_data.tar.gz", "shop-lookup_data.zip"],
    document: ["README", "readme.txt", "README.md", "a/LICENSE", "x.pdf", "chart.PNG"],
    "desktop file": ["Thumbs.db", "a/desktop.ini", "out.lnk"],
    "hidden name": [],
  };

  test.each(Object.entries(kinds).flatMap(([kind, names]) => names.map((name) => [name, kind])))(
    "%s: %s",
    (name, kind) => expect(kindOfName(name as string)?.kind).toBe(kind),
  );

  it.each([
    "readme_clicked.json",
    "complete-events.json.gz",
    "complete.json",
    "event_name=complete/part-0.parquet",
    "manifest_viewed.json",
    "manifests.parquet",
    "success.csv",
    "100_2026-01-31_8#0.json.gz",
    "country.tsv",
    "lookup_data.csv",
    "persons.jsonl",
    "md5_checked.csv",
    "100_2026-01-31_7.json.gz",
  ])("but %s can hold events", (name) => expect(kindOfName(name)).toBeUndefined());

  it.each([
    ["a/_SUCCESS", "marker"],
    ["_committed_17", "marker"],
    ["_started_17", "marker"],
    ["a/.DS_Store", "desktop file"],
    ["a/._a.json", "desktop file"],
    ["__MACOSX/._a.json", "desktop file"],
    ["_delta_log", "hidden name"],
    [".x.json", "hidden name"],
  ])("the hidden %s is a %s", (name, kind) => expect(kindOfHidden(name)).toBe(kind));
});

const row = (members: object) => `${JSON.stringify(members)}\n`;
const person = {
  team_id: 1,
  distinct_id: "d",
  person_id: "p",
  properties: { event: "a" },
  person_version: 1,
  person_distinct_id_version: 0,
};
const BAD_ROWS = "iglu:com.snowplowanalytics.snowplow.badrows/";
const merge = { scope: 7, merge_time: 1, amplitude_id: 1, merged_amplitude_id: 2 };

describe("the first bytes say what a file is", () => {
  it.each([
    ["persons", row(person) + row(person)],
    ["persons", "team_id,distinct_id,person_id,properties,person_version\n1,d,p,{},1\n"],
    ["merged ids", row(merge)],
    ["merged ids", '"scope","amplitude_id","merged_amplitude_id"\n7,1,2\n'],
    ["manifest", row({ dump_id: 852, tables: [] })],
    ["failed events", row({ schema: `${BAD_ROWS}schema_violations/jsonschema/2-0-0`, data: {} })],
    ["manifest", "Datafeed-Manifest-Version: 1.0\nLookup-Files: 0\n"],
  ])("%s: %s", (kind, text) => expect(kindOfContent(sample(text))).toBe(kind));

  it.each([
    row({ ...person, event: "a" }),
    row({ ...merge, event_type: "a" }),
    row({ ...person, timestamp: 1 }),
    row({ event: "person_version", distinct_id: "d", person_id: "p" }),
    row({ event: "a", properties: person }),
    row({ schema: "iglu:com.tea/badrows", data: { url: BAD_ROWS } }),
    "event,distinct_id,person_id,person_version\n",
    row({ distinct_id: "d", person_id: "p" }),
    "",
  ])("but this can be events: %s", (text) => {
    expect(kindOfContent(sample(text))).toBeUndefined();
  });

  it("needs the whole first row", () => {
    const text = row({ ...person, properties: { long: "x".repeat(5_000) } });
    expect(kindOfContent(sample(text.slice(0, 4_096), "part"))).toBe("undecided");
    expect(kindOfContent(sample(text, "part"))).toBe("persons");
  });

  it("of columns, those of events win", () => {
    expect(kindOfFields(Object.keys(person))).toBe("persons");
    expect(kindOfFields([...Object.keys(person), "event"])).toBeUndefined();
  });
});

describe("a name that says too little", () => {
  it.each<readonly [OtherKind, string, boolean]>([
    ["manifest", '{"files": ["a.parquet"]}', false],
    ["manifest", '{\n  "files": [\n    "a"\n  ]\n}\n', false],
    ["manifest", row({ event: "a" }) + row({ event: "b" }), true],
    ["manifest", '[{"event": "a"}]', true],
    ["manifest", "PAR1\0", true],
    ["marker", "2026-01-13T05:00:00Z\n", false],
    ["marker", "event,time\n".repeat(200), true],
  ])("is decided by the content: %s %j: %s", (kind, text, isRows) => {
    expect(looksLikeRows(sample(text), kind)).toBe(isRows);
  });
});

test("lookup tables of Adobe are known by the headers beside them", () => {
  const names = ["a/column_headers.tsv", "a/event.tsv", "a/hit_data.tsv", "b/event.tsv"];
  const split = (some: readonly string[]) =>
    splitByName(
      some,
      (name) => name,
      () => false,
    );
  expect(split(names)).toEqual({
    data: ["a/hit_data.tsv", "b/event.tsv"],
    others: [
      { one: "a/column_headers.tsv", kind: "lookup table" },
      { one: "a/event.tsv", kind: "lookup table" },
    ],
  });
  expect(split(names.slice(1)).data).toEqual(names.slice(1));
});
