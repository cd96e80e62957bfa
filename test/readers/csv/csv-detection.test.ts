import { describe, expect, test } from "vitest";
import { detectCsv } from "../../../src/readers/csv/csv-detection.js";
import type { CsvHints } from "../../../src/readers/csv/csv-trial.js";
import type { GivenDialect } from "../../../src/sources/source.js";

function detect(text: string, hints: CsvHints = {}, given: GivenDialect = {}) {
  return detectCsv(Buffer.from(text), { complete: true, ...hints }, given);
}

const header = "event_type,event_time,user_id,event_properties";
const row = 'click,2026-01-31 17:03:12.123000,mina,"{""a"":1,""b"":[2,3]}"';
const names = header.split(",");

function encode16(text: string, bigEndian: boolean): Buffer {
  const bytes = Buffer.from(text, "utf16le");
  return bigEndian ? bytes.swap16() : bytes;
}

describe("Snowplow's enriched events", () => {
  const id = "5b1f0c9e-3a44-4d1b-9d7e-000000000001";
  const cells = ["tea", "web", "", "2026-01-31 17:03:13.001", "", "page_view", id, '{"a":"b"}'];
  const line = (count: number) => `${[...cells, ...Array(count - cells.length)].join("\t")}\n`;

  test("have the names of their positions, also a single one", () => {
    const found = detect(line(131));
    expect(found).toMatchObject({ delimiter: "\t", quote: "", header: false });
    expect(found?.columns).toHaveLength(131);
    expect([found?.columns[12], found?.columns[126]]).toEqual(["user_id", "event_name"]);
  });

  test("keep these names if every row lacks cells, so that none shifts", () => {
    expect(detect(line(108).repeat(5))?.columns).toHaveLength(131);
  });

  test("have the names that are given instead", () => {
    expect(detect(line(8).repeat(3), {}, { columns: names })?.columns).toEqual(names);
  });

  test("are not any row with a time and a UUID", () => {
    const other = `2026-01-31 17:03:13\tpage_view\t${id}\tmina\n`;
    expect(detect(other.repeat(5))?.columns).toHaveLength(4);
  });
});

describe("detectCsv", () => {
  test("finds commas, doubled quotes and the header", () => {
    expect(detect(`${header}\n${row}\n${row}\n`)).toEqual({
      delimiter: ",",
      quote: '"',
      columns: names,
      header: true,
      encoding: "utf-8",
    });
  });

  test.each([
    ["tabs", "\t"],
    ["semicolons", ";"],
    ["pipes", "|"],
    ["the control character of Hive", "\x01"],
  ])("finds %s, also beside JSON with commas in it", (_, delimiter) => {
    const rows = [names, ["click", "2026-01-31", "mina", '{"a":1,"b":2}'], ["view", "", "", "{}"]];
    const text = rows.map((cells) => `${cells.join(delimiter)}\n`).join("");
    expect(detect(text)).toMatchObject({ delimiter, columns: names, header: true });
  });

  test("prefers a delimiter that never tears JSON apart to one that gives more cells", () => {
    const line = 'click;{"a":1,"b":2,"c":3}\n';
    expect(detect(`event;properties\n${line.repeat(5)}`)?.delimiter).toBe(";");
    expect(detect(line.repeat(5))?.delimiter).toBe(";");
  });

  test("reads a backslash before a quote as an escape only if doubling does not fit", () => {
    const escaped = 'click,2026-01-31,mina,"{\\"a\\":1,\\"b\\":\\"x\\"}"';
    expect(detect(`${header}\n${escaped}\n${escaped}\n`)).toMatchObject({
      quote: '"',
      escape: "\\",
    });
    const both = 'click,2026-01-31,mina,"{""a"":""say \\""hi\\"" ""}"';
    expect(detect(`${header}\n${both}\n${both}\n`)).not.toHaveProperty("escape");
  });

  test("finds single quotes and the absence of quotes", () => {
    expect(detect("event,city\n'a, b','x'\n'it''s, so','y'\n")).toMatchObject({ quote: "'" });
    const tsv = 'event\tcity\n"tis\tone\nb\t"two\nc\td\ne\t"f\ng\th\n';
    expect(detect(tsv)).toMatchObject({ delimiter: "\t", quote: "" });
  });

  test("keeps quotes as quotes when a few records are malformed", () => {
    const rows = Array.from({ length: 9 }, (_, index) => `"a${index}","b, c"\n`).join("");
    expect(detect(`event,city\n${rows}"x"y,z\n`)).toMatchObject({ quote: '"', delimiter: "," });
  });

  test("keeps repeated names and trims names", () => {
    expect(detect("event_type, user_id ,event_type,\n1,2,3,4\n")?.columns).toEqual([
      "event_type",
      "user_id",
      "event_type",
      "",
    ]);
  });

  test("distinguishes a header from a row of values", () => {
    expect(detect("colour,size\nred,1\nblue,2\n")).toMatchObject({ header: true });
    for (const text of ["red,1\nblue,2\n", "a,b\na,c\nd,b\n", `${row}\n${row}\n`]) {
      expect(detect(text), text).toMatchObject({ header: false });
    }
    expect(detect("red,1\nblue,2\n")?.columns).toEqual(["column_1", "column_2"]);
  });

  test("finds a header under a byte order mark", () => {
    expect(detect(`\ufeff${header}\r\n${row}\r\n`)?.columns).toEqual(names);
  });

  test.each([
    ["little", false],
    ["big", true],
  ])("finds UTF-16 of %s-endian order with and without a byte order mark", (_, bigEndian) => {
    for (const mark of ["\ufeff", ""]) {
      const head = encode16(`${mark}${header}\n${row}\n`, bigEndian);
      expect(detectCsv(head, { complete: true })).toMatchObject({
        encoding: bigEndian ? "utf-16be" : "utf-16le",
        columns: names,
      });
    }
  });

  test("does not question given members", () => {
    const snowplow = 'web\t2026-01-31\t{"a":1}\n'.repeat(3);
    const columns = ["app", "time", "context"];
    expect(detect(snowplow, {}, { columns, quote: "" })).toEqual({
      delimiter: "\t",
      quote: "",
      columns,
      header: false,
      encoding: "utf-8",
    });
    expect(detect("a^b\n1^2\n", {}, { delimiter: "^" })?.columns).toEqual(["a", "b"]);
    expect(detect("red,1\n", {}, { delimiter: ",", header: true })?.columns).toEqual(["red", "1"]);
    expect(detect("a,b\n1,2\n", {}, { columns: ["a", "b"] })?.header).toBe(true);
    expect(detect('{"a":1},x\n', {}, { delimiter: "," })?.columns).toHaveLength(2);
  });

  test.each([
    ["NDJSON", '{"event":"a","time":1}\n{"event":"b","time":2}\n'],
    ["a pretty-printed object", '{\n  "event": "a",\n  "b": 1\n}\n'],
    ["an array of objects", '[{"a":1,"b":2},\n{"a":1,"b":2}]\n'],
    ["arrays in lines", "[1,2]\n[3,4]\n"],
    ["one column under any name", "event\na\nb\n"],
    ["prose", "Dear all,\nit rains. Today, as ever, and tomorrow, too.\nYours\n"],
    ["a single line of prose", "Dear all, it rains\n"],
    ["bytes with zeros", "PAR1,\0\0\0,\x01\n,\0"],
    ["nothing", ""],
  ])("does not detect %s as CSV", (_, text) => {
    expect(detect(text)).toBeNull();
  });

  test("reads one column, a header alone or nothing as CSV if the name says so", () => {
    expect(detect("event\na\nb\n", { name: "x.csv" })?.columns).toEqual(["event"]);
    expect(detect("event,time\n", { name: "x.csv.gz" })?.columns).toEqual(["event", "time"]);
    expect(detect("", { name: "x.tsv" })).toMatchObject({ columns: [], header: true });
  });

  test("trusts the header of a short file whose records are mostly ragged", () => {
    const text = "event_type,event_time,user_id\na,2026-01-31\nb,2026-01-31,mina,x\n";
    expect(detectCsv(Buffer.from(text), { name: "rows.csv", complete: true })).toMatchObject({
      delimiter: ",",
      columns: ["event_type", "event_time", "user_id"],
      header: true,
    });
  });

  test("does not judge by the record that the head's end cuts off", () => {
    const head = Buffer.from(`${header}\n${row}\n${row}\n${row}`);
    for (let length = header.length + 2; length < head.length; length++) {
      const found = detectCsv(head.subarray(0, length), { name: "x.csv" });
      expect(found, `${length} bytes`).toMatchObject({ delimiter: ",", columns: names });
    }
  });
});

describe("the detection of backslash escapes", () => {
  const lines = (line: (index: number) => string) =>
    Array.from({ length: 50 }, (_, index) => `${line(index)}\n`).join("");
  const tabs = "event_type\tuser_id\tevent_properties\n";

  test.each([
    ["nulls between tabs", lines((n) => `click\t\\N\t{"n":${n}}`)],
    ["JSON that is valid only without its escapes", lines((n) => `click\tu${n}\t{"a":"x\\\\"y"}`)],
    ["escaped line ends", lines((n) => `click\\\nmore\tu${n}\t{}`)],
    ["escaped delimiters", lines((n) => `click\\\tmore\tu${n}\t{}`)],
  ])("finds them by %s", (_, text) => {
    expect(detect(tabs + text)).toMatchObject({
      delimiter: "\t",
      quote: "",
      backslashes: "lf",
      columns: ["event_type", "user_id", "event_properties"],
    });
  });

  test.each([
    ["JSON that is valid as it is", tabs + lines((n) => `click\t\\N\t{"a":"x\\"y\\n${n}"}`)],
    [
      "paths of Windows",
      `event_type,user_id,path\n${lines((n) => `click,u,C:\\new\\table\\${n}`)}`,
    ],
    ["Hive's nulls", lines((n) => `click\x01\\N\x01C:\\new\\${n}`)],
    ["doubled quotes", `event_type,user_id,note\n${lines(() => 'click,\\N,"say ""hi"" \\\\"')}`],
    [
      "escapes inside quotes only",
      `event_type,user_id,note\n${lines(() => 'a,b,"{\\"a\\":\\"x\\ny\\"}"')}`,
    ],
  ])("does not take %s for them", (_, text) => {
    expect(detect(text)).not.toHaveProperty("backslashes");
  });

  test("finds them in Adobe's files by their name", () => {
    const text = lines((n) => `click\tu${n}\tC:\\\\new`);
    expect(detect(text, { name: "feed/01-hit_data.tsv" })).toMatchObject({ backslashes: "lf" });
    expect(detect(text, { name: "a.tsv" })).not.toHaveProperty("backslashes");
  });

  test("can be given and denied", () => {
    const text = tabs + lines((n) => `click\t\\N\t${n}`);
    expect(detect(text, {}, { backslashes: false })).not.toHaveProperty("backslashes");
    expect(detect("a\tb\nc\td\n", {}, { backslashes: true })).toMatchObject({ backslashes: "lf" });
  });
});

describe("the detection of damaged and decorated tables", () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, index) => `click\t2026-01-31\tu${index}\thello, there`);

  test.each([0, 1, 57, 199])("keeps the delimiter if record %i of 200 is ragged", (bad) => {
    const text = rows(200);
    text[bad] = "click\tx, y";
    const columns = ["column_1", "column_2", "column_3", "column_4"];
    for (const name of ["a.txt", "a.csv", "a.tsv"]) {
      const found = detect(`${text.join("\n")}\n`, { name });
      expect(found).toMatchObject({ delimiter: "\t", columns, header: false });
      expect(found).not.toHaveProperty("skipLines");
    }
  });

  test.each([
    [131, "\t", [0, 1]],
    [131, "\t", [0, 30]],
    [131, "\t", [12, 49]],
    [8, ";", [0, 1]],
    [30, "|", [0]],
    [8, ",", [0, 1]],
  ])("keeps %i cells between %j if records %j of 50 are ragged", (cells, delimiter, bad) => {
    const agent = "Mozilla/5.0 (X11; Linux) AppleWebKit (KHTML, like Gecko)";
    const page = "https://a.b/?x=1,2&y=3|4";
    const json = '{"schema":"iglu:a/b","data":[{"a":"x, y; z"},{"b":1}]}';
    const shown = (text: string) =>
      delimiter !== "\t" && text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
    const lines = Array.from({ length: 50 }, (_, index) => {
      const some = [`2026-01-31 10:00:${index + 10}`, `u${index}`, agent, page, json].map(shown);
      const record = Array.from({ length: cells }, (_none, at) => some[at] ?? "");
      if (!bad.includes(index)) return record.join(delimiter);
      return (index % 2 === 0 ? record.slice(0, 4) : [...record, "x"]).join(delimiter);
    });
    for (const name of ["a", "a.txt", delimiter === "\t" ? "a.tsv" : "a.csv"]) {
      const found = detect(`${lines.join("\n")}\n`, { name });
      expect(found).toMatchObject({ delimiter, header: false });
      expect(found?.columns).toHaveLength(cells);
    }
  });

  test.each([
    ["\t", "plain text, with comma\t2026-01-31\n"],
    ["|", "Mozilla/5.0 (KHTML, like Gecko)|u1\n"],
    [";", "1, then 2;u1\n"],
  ])("finds %j though prose has as many commas", (delimiter, line) => {
    expect(detect(line.repeat(20))).toMatchObject({ delimiter, header: false });
    expect(detect(line.repeat(3), { name: "a.csv" })).toMatchObject({ delimiter });
  });

  test("accepts few NUL bytes, and refuses many unless the user says that it is CSV", () => {
    const text = `${header}\n${`${row}\n`.repeat(30)}`;
    expect(detect(text.replace("mina", "mi\0na"))).toMatchObject({ columns: names });
    const binary = text.replaceAll("mina", "mi\0na");
    expect(detect(binary)).toBeNull();
    expect(detect(binary, { given: true })).toMatchObject({ columns: names });
  });

  test("skips prose and blank lines before a header", () => {
    const text = `Report: all events\nMade on 2026-02-01, by Mina\n\n${header}\n${row}\n${row}\n`;
    for (const name of ["a.csv", "a.txt"]) {
      const found = detect(text, { name });
      expect(found).toMatchObject({ columns: names, header: true });
      expect(startOf(found?.skipLines ?? 0, text).trimStart()).toMatch(/^event_type/);
    }
    expect(detect(text, {}, { skipLines: 3 })).toMatchObject({ columns: names, skipLines: 3 });
  });

  test("reads the delimiter in a first line for Excel", () => {
    const text = "sep=;\r\nevent_type;user_id\r\nclick;u,1\r\n";
    const expected = { delimiter: ";", skipLines: 1, columns: ["event_type", "user_id"] };
    expect(detect(text)).toMatchObject(expected);
    expect(detect(`\ufeff${text}`)).toMatchObject(expected);
  });

  test("skips comments if their character is given", () => {
    const text = `# by, x\n${header}\n# "y\n${row}\n`;
    expect(detect(text, {}, { comment: "#" })).toMatchObject({ comment: "#", columns: names });
  });
});

function startOf(lines: number, text: string): string {
  return text.split("\n").slice(lines).join("\n");
}
