import { describe, expect, test } from "vitest";
import type { MappingChanges } from "../../src/mapper/mapping.js";
import { mappingChangesSchema } from "../../src/mapper/mapping.js";
import { resolveMapping } from "../../src/mapper/resolve-mapping.js";
import { rowMembers } from "../../src/page/mapping/text-tokens.js";
import { traceMapping } from "../../src/page/mapping/trace-mapping.js";
import type { ReportSample } from "../../src/profile/report.js";

const plain = { quote: '"', backslashes: false, nulls: [] };
const csv = { ...plain, delimiter: ";", columns: ["n", "a", "p"] };

/** The row as it is laid out, a member on each line. */
function layout(row: string, dialect?: NonNullable<ReportSample["csv"]>): string {
  const lines = rowMembers(row, dialect).map(({ tokens }) => tokens.map(({ text }) => text));
  return lines.map((texts) => texts.join("")).join("\n");
}

interface Rows {
  readonly row: string;
  readonly event: string;
  readonly mapping?: unknown;
  readonly columns?: readonly string[];
}

/** Pairs of a source path and the event path that the mapping makes of it. */
function traced({ row, event, mapping = {}, columns }: Rows): readonly string[] {
  const changes = mappingChangesSchema.parse(mapping) as MappingChanges;
  const dialect = columns && { ...plain, delimiter: ",", nulls: ["NULL"], columns };
  const { traces } = traceMapping(
    rowMembers(row, dialect),
    rowMembers(event),
    resolveMapping("amplitude", changes),
  );
  return traces.map(
    ({ from, to, isConverted }) =>
      `${from.path.join("/")} → ${to.path.join("/")}${isConverted ? " converted" : ""}`,
  );
}

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

describe("values of an event are found in the row by the mapping", () => {
  test("even if another field has the same text, or the same time", () => {
    const row =
      '{"client_event_time":"2026-01-31 17:03:12.123000","city":"u-1","event_type":"Signed Up","event_time":"2026-01-31 17:03:12.123000","user_id":"u-1","event_properties":{"plan":"pro"},"user_properties":{"plan":"pro"}}';
    const event =
      '{"event":"Signed Up","timestamp":1769878992123,"user":{"userID":"u-1","plan":"pro"},"metadata":{"plan":"pro"}}';
    expect(traced({ row, event })).toEqual([
      "event_type → event",
      "event_time → timestamp converted",
      "user_id → user/userID",
      "user_properties/plan → user/plan",
      "event_properties/plan → metadata/plan",
    ]);
  });

  test("in the cells of CSV, by the names of the columns", () => {
    const columns = ["user_id", "device_id", "event_type", "event_properties", "context.app"];
    const row = '7,7,view,"{""path"":""/"",""list"":[1,2]}",web';
    const event =
      '{"event":"view","user":{"userID":"7","stableID":"7","app":"web"},"metadata":{"path":"/","list":[1,2]}}';
    const mapping = { user: { fields: ["context.app"] } };
    expect(traced({ row, event, mapping, columns })).toEqual([
      "event_type → event",
      "user_id → user/userID",
      "device_id → user/stableID",
      "context.app → user/app",
      "event_properties/path → metadata/path",
      "event_properties/list/0 → metadata/list/0",
      "event_properties/list/1 → metadata/list/1",
    ]);
  });

  test("of several fields in the first that is not null and not excepted", () => {
    const mapping = {
      event: ["name", "event_type"],
      userID: [
        { field: "user_id", unless: ["undefined"] },
        { field: "login", unlessPrefix: "$" },
      ],
      stableID: [{ field: "a", unlessSameAs: "user_id" }, "b"],
    };
    const row =
      '{"name":null,"event_type":"view","user_id":"undefined","login":"undefined","a":"undefined","b":"undefined"}';
    const event = '{"event":"view","user":{"userID":"undefined","stableID":"undefined"}}';
    expect(traced({ row, event, mapping })).toEqual([
      "event_type → event",
      "login → user/userID",
      "b → user/stableID",
    ]);
  });

  test("of several cells in the first that is not null in this dialect", () => {
    const mapping = { userID: ["a", "b", "c", "d"] };
    const columns = ["a", "b", "c", "d", "event_type"];
    const event = '{"event":"null","user":{"userID":"u"}}';
    const row = String.raw`,NULL,\N,u,null`;
    expect(traced({ row, event, mapping, columns })).toEqual([
      "event_type → event",
      "d → user/userID",
    ]);
  });

  test("in lists of keys and values, and in the rest of an object", () => {
    const mapping = {
      metadata: { pairs: "params", key: "key", value: ["value.string", "value.int"] },
      user: { rest: "" },
    };
    const row =
      '{"event_type":"view","params":[{"key":"n","value":{"string":null,"int":1}},{"key":"p","value":{"string":"/"}}],"plan":{"seats":1}}';
    const event = '{"event":"view","user":{"plan":{"seats":1}},"metadata":{"p":"/","n":1}}';
    expect(traced({ row, event, mapping })).toEqual([
      "event_type → event",
      "plan/seats → user/plan/seats",
      "params/1/value/string → metadata/p",
      "params/0/value/int → metadata/n",
    ]);
  });

  test("and values that the mapping does not explain stay unmarked", () => {
    const event = '{"event":"view","metadata":{"added":"view"},"value":3}';
    expect(traced({ row: '{"event_type":"view"}', event })).toEqual(["event_type → event"]);
  });

  test("and the insert id is one of them", () => {
    const row = '{"event_type":"view","$insert_id":"i-1"}';
    const event = '{"event":"view","metadata":{},"insertID":"i-1"}';
    expect(traced({ row, event })).toEqual(["event_type → event", "$insert_id → insertID"]);
  });

  test("which also names the field of the filter", () => {
    const mapping = resolveMapping("amplitude", mappingChangesSchema.parse({}) as MappingChanges);
    const row = rowMembers('{"type":"track","event_type":"view"}');
    const filter = { path: ["type"], include: ["track"], exclude: [] };
    const { consulted } = traceMapping(row, rowMembers('{"event":"view"}'), { ...mapping, filter });
    expect(consulted?.value).toBe("track");
  });
});
