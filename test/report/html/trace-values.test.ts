import { describe, expect, test } from "vitest";
import { rowTokens } from "../../../src/report/html/client/mapping/text-tokens.js";
import { traceValues } from "../../../src/report/html/client/mapping/trace-values.js";

/** The row as it is laid out. */
function layout(row: string): string {
  return rowTokens(row)
    .map(({ text }) => text)
    .join("");
}

/** Pairs of texts that are taken for one value, by the field of the event. */
function traced(source: string, event: string): readonly (readonly [string, string, string])[] {
  const [from, to] = [rowTokens(source), rowTokens(event)];
  return traceValues(from, to).map((trace) => [
    trace.field,
    `${from[trace.from]?.key}=${from[trace.from]?.text}`,
    `${to[trace.to]?.text}${trace.isConverted ? " converted" : ""}`,
  ]);
}

describe("a row's text", () => {
  test("has a line for each member, and keeps every digit", () => {
    expect(layout('{"a":12345678901234567890,"b":{},"c":[1.50,"x"]}')).toBe(
      '{\n  "a": 12345678901234567890,\n  "b": {},\n  "c": [\n    1.50,\n    "x"\n  ]\n}',
    );
  });

  test("is laid out inside texts that contain an object", () => {
    expect(layout(String.raw`{"p":"{\"a\":1}"}`)).toBe('{\n  "p": "{\n    "a": 1\n  }"\n}');
  });

  test("has a line for each cell of a record", () => {
    expect(layout('1;"a ""b"";c";"{""x"":1}"')).toBe('1\na "b";c\n{\n  "x": 1\n}');
    expect(layout('a,"x,y",')).toBe("a\nx,y\n");
  });

  test("may be cut or broken anywhere", () => {
    const row = '{"a":"x\\"y","b":[1,{"c":null}],"d":"{\\"e\\":2}"}';
    for (let end = 0; end <= row.length; end++) {
      const shown = layout(row.slice(0, end));
      expect(shown.length).toBeGreaterThanOrEqual(Math.min(end, 1));
    }
    for (const broken of ["}", "]]]", '"', ",,,", '{"', '{"a":"\\', "[[[[", '{"a"::1}']) {
      expect(() => rowTokens(broken)).not.toThrow();
    }
  });
});

describe("values of an event", () => {
  test("are found in the row, under other names too", () => {
    expect(
      traced(
        '{"event_type":"Signed Up","user_id":"u-1","event_properties":{"plan":"pro","n":1},"n":1}',
        '{"event":"Signed Up","userID":"u-1","metadata":{"plan":"pro","n":1}}',
      ),
    ).toEqual([
      ["event", 'event_type="Signed Up"', '"Signed Up"'],
      ["userID", 'user_id="u-1"', '"u-1"'],
      ["metadata", 'plan="pro"', '"pro"'],
      ["metadata", "n=1", "1"],
    ]);
  });

  test("that are ids of the user are separate fields", () => {
    const event = '{"user":{"userID":"user-7","stableID":"device-7","plan":"free"}}';
    const fields = traced("user-7,device-7,free", event).map(([field]) => field);
    expect(fields).toEqual(["userID", "stableID", "user"]);
  });

  test("of one key in two objects are each found beside their neighbours", () => {
    const source = rowTokens('{"up":{"plan":"team","seats":12},"ep":{"plan":"team","path":"/a"}}');
    const event = rowTokens(
      '{"metadata":{"plan":"team","path":"/a"},"user":{"plan":"team","seats":12}}',
    );
    const homes = traceValues(source, event).map(({ from, field }) => [field, source[from]?.field]);
    expect(homes).toEqual([
      ["metadata", "ep"],
      ["metadata", "ep"],
      ["user", "up"],
      ["user", "up"],
    ]);
  });

  test.each([
    ["2026-03-02 18:24:09.120000", 1_772_475_849_120],
    ["2026-03-02T19:24:09.12+01:00", 1_772_475_849_120],
    ["2026-03-02", 1_772_409_600_000],
  ])("that are times are found by the time %s", (text, timestamp) => {
    const [trace] = traced(`{"time":"${text}"}`, `{"timestamp":${timestamp}}`);
    expect(trace).toEqual(["timestamp", `time="${text}"`, `${timestamp} converted`]);
  });

  test.each(["1772475849", "1772475849000", "1772475849000000"])(
    "that are times are found as the number %s",
    (number) => {
      const [trace] = traced(`{"time":${number}}`, '{"timestamp":1772475849000}');
      expect(trace?.slice(0, 2)).toEqual(["timestamp", `time=${number}`]);
    },
  );

  test("that are short, empty or null are not found by chance", () => {
    expect(
      traced('{"a":1,"b":"","c":null,"d":true}', '{"metadata":{"x":1,"y":"","c":null}}'),
    ).toEqual([]);
  });
});
