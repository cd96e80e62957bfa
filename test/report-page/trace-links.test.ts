import { describe, expect, test } from "vitest";
import type { ReportSample } from "../../src/profile/report.js";
import { rowMembers } from "../../src/report-page/mapping/text-tokens.js";
import { filterToken, traceLinks } from "../../src/report-page/mapping/trace-links.js";

const plain = { quote: '"', backslashes: false, nulls: [] };
const csv = { ...plain, delimiter: ";", columns: ["n", "a", "p"] };

/** The row as it is laid out, a member on each line. */
function layout(row: string, dialect?: NonNullable<ReportSample["csv"]>): string {
  const lines = rowMembers(row, dialect).map(({ tokens }) => tokens.map(({ text }) => text));
  return lines.map((texts) => texts.join("")).join("\n");
}

type Step = ReportSample["trace"][number];

describe("a row's text", () => {
  test("has a line for each member, and keeps every digit", () => {
    expect(layout('{"a":12345678901234567890,"b":{},"c":[1.50,"x"]}')).toBe(
      '"a": 12345678901234567890\n"b": {}\n"c": [\n  1.50,\n  "x"\n]',
    );
  });

  test("is laid out inside texts that contain an object", () => {
    expect(layout(String.raw`{"p":"{\"a\":1}"}`)).toBe('"p": "{\n  "a": 1\n}"');
  });

  test("has a line for each cell of a record, with the name of its column", () => {
    expect(layout('1;"a ""b"";c";"{""x"":1}"', csv)).toBe('n: 1\na: a "b";c\np: {\n  "x": 1\n}');
    expect(layout("1;2;3;4", csv)).toBe("n: 1\na: 2\np: 3\n4");
    const escaping = { ...csv, quote: "", backslashes: true };
    expect(layout(String.raw`a\;b;x\ty;"`, escaping)).toBe('n: a;b\na: x\ty\np: "');
  });

  test("may be cut or broken anywhere", () => {
    const row = '{"a":"x\\"y","b":[1,{"c":null}],"d":"{\\"e\\":2}"}';
    for (let end = 0; end <= row.length; end++) {
      expect(layout(row.slice(0, end)).length).toBeGreaterThanOrEqual(Math.min(end, 1));
    }
    for (const broken of ["}", "]]]", '"', ",,,", '{"', '{"a":"\\', "[[[[", '{"a"::1}']) {
      expect(() => rowMembers(broken)).not.toThrow();
    }
  });
});

describe("a trace links pieces", () => {
  const step = (target: Step["target"], from: string, to: string): Step => ({
    target,
    from: from.split("/"),
    to: to.split("/"),
  });
  const linked = (row: string, event: string, ...trace: readonly Step[]) =>
    traceLinks(rowMembers(row), rowMembers(event), trace).map(
      ({ from, to, target, isConverted }) =>
        `${target}: ${from.path.join("/")} → ${to.path.join("/")}${isConverted ? " converted" : ""}`,
    );

  test("below a step, but for those with a step of their own", () => {
    const row = '{"p":{"x":{"y":[1,2]},"z":3},"q":"3"}';
    const event = '{"metadata":{"x":{"y":[1,2]},"z":3}}';
    const steps = [step("metadata", "p", "metadata"), step("metadata", "q", "metadata/z")];
    expect(linked(row, event, ...steps)).toEqual([
      "metadata: p/x/y/0 → metadata/x/y/0",
      "metadata: p/x/y/1 → metadata/x/y/1",
      "metadata: q → metadata/z",
    ]);
  });

  test("and says whether a value has changed its form", () => {
    const row = '{"time":"2026-01-31","name":"view"}';
    const event = '{"event":"view","timestamp":1769817600000}';
    const steps = [step("event", "name", "event"), step("timestamp", "time", "timestamp")];
    expect(linked(row, event, ...steps)).toEqual([
      "event: name → event",
      "timestamp: time → timestamp converted",
    ]);
  });

  test("and of columns of the same name the first", () => {
    const columns = rowMembers("first;second", { ...csv, columns: ["n", "n"] });
    const trace = [step("event", "n", "event")];
    const [link] = traceLinks(columns, rowMembers('{"event":"first"}'), trace);
    expect(link?.from.value).toBe("first");
  });

  test("and none where a text was cut, or a value has no step", () => {
    const row = '{"name":"view","p":{"x":1,…';
    const event = '{"event":"view","metadata":{"x":1,"y":2},"value":3}';
    const steps = [step("event", "name", "event"), step("metadata", "p", "metadata")];
    expect(linked(row, event, ...steps)).toEqual([
      "event: name → event",
      "metadata: p/x → metadata/x",
    ]);
  });

  test("and the field of the filter is one piece", () => {
    const row = rowMembers('{"type":"track","name":"view"}');
    const filter = { target: "filter", from: ["type"], to: [] } as const;
    expect(filterToken(row, [filter])?.value).toBe("track");
    expect(traceLinks(row, rowMembers('{"event":"view"}'), [filter])).toEqual([]);
    expect(filterToken(row, [])).toBeUndefined();
  });
});
