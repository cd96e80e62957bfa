import { describe, expect, it } from "vitest";
import { rejectCodes } from "../../src/base/reject-codes.js";
import type { Cell, CellRow } from "../support/cells.js";
import { mapRow, mapRows } from "../support/mapping.js";

const good = {
  event_type: "checkout",
  event_time: "2023-08-17 00:00:00.123000",
  user_id: "mina",
  device_id: "phone",
} satisfies CellRow;

describe("a mapper with the amplitude preset", () => {
  it("makes the event of the specification's table", () => {
    const row = mapRow({
      ...good,
      event_properties: { json: '{ "price": 12.50, "id": 9007199254740993 }' },
      user_properties: { json: '{"plan":"free", "n":1e2}' },
    });
    expect(row).toEqual({
      outcome: "deliver",
      event: "checkout",
      timestamp: Date.UTC(2023, 7, 17, 0, 0, 0, 123),
      userID: "mina",
      stableID: "phone",
      value: undefined,
      user: '{"userID":"mina","stableID":"phone","plan":"free", "n":1e2}',
      metadata: '{ "price": 12.50, "id": 9007199254740993 }',
    });
  });

  it("requests each field once, in the form that its target needs", () => {
    const { rows } = mapRows([good], {
      overrides: { stableID: ["device_id", "user_id"], value: "event_properties.price" },
    });
    expect(rows[0]?.stableID).toBe("phone");
  });

  it.each<[string, CellRow, string]>([
    ["no event", { event_type: null }, "event_missing"],
    ["an empty event", { event_type: "" }, "event_missing"],
    ["a number for an event", { event_type: 7 }, "event_not_text"],
    ["an object for an event", { event_type: { json: "{}" } }, "event_not_text"],
    ["an event with a lone surrogate", { event_type: { malformed: "\\ud800" } }, "event_not_text"],
    ["no time", { event_time: null }, "time_missing"],
    ["an empty time", { event_time: "" }, "time_unparsable"],
    ["a date that does not exist", { event_time: "2023-02-30" }, "time_unparsable"],
    ["a boolean for a time", { event_time: { json: "true" } }, "time_unparsable"],
    ["no id", { user_id: null, device_id: null }, "unit_id_missing"],
    ["empty ids", { user_id: "", device_id: "" }, "unit_id_missing"],
    ["a boolean for an id", { user_id: { json: "true" } }, "unit_id_not_text"],
    ["an id with a lone surrogate", { device_id: { malformed: "\\udc00" } }, "unit_id_not_text"],
    ["a list for properties", { event_properties: { json: "[{}]" } }, "metadata_not_object"],
    ["a number for properties", { event_properties: 5 }, "metadata_not_object"],
    ["text for properties", { event_properties: "a=b" }, "metadata_not_object"],
    ["text of a list", { event_properties: "[1]" }, "metadata_not_object"],
    ["a boolean for a user", { user_properties: { json: "false" } }, "user_not_object"],
    ["text of a text for a user", { user_properties: '"text"' }, "user_not_object"],
  ])("rejects %s", (_title, cells, code) => {
    expect(mapRow({ ...good, ...cells }).outcome).toBe(code);
  });

  it("rejects for the first fault in a fixed order", () => {
    const faults: [string, Cell][] = [
      ["event_type", null],
      ["event_time", "never"],
      ["user_id", { json: "[]" }],
      ["event_properties", 1],
      ["user_properties", 1],
    ];
    const codes = faults.map((_, fixed) => {
      const bad = Object.fromEntries(faults.slice(fixed));
      return mapRow({ ...good, ...bad }).outcome;
    });
    expect(codes).toEqual([
      "event_missing",
      "time_unparsable",
      "unit_id_not_text",
      "metadata_not_object",
      "user_not_object",
    ]);
  });

  it("keeps the reader's faults and messages", () => {
    const { rows, words } = mapRows([{}, good], { faults: [rejectCodes.malformed_row, 0] });
    expect(rows.map(({ outcome }) => outcome)).toEqual(["malformed_row", "deliver"]);
    expect(words[0]).toBe("the reader's words");
  });

  it("accepts numbers as ids, with their digits", () => {
    const row = mapRow({ ...good, user_id: { json: "12345678901234567890" } });
    expect(row.userID).toBe("12345678901234567890");
    expect(row.user).toBe('{"userID":"12345678901234567890","stableID":"phone"}');
  });

  it("treats properties that are null, empty or missing as an empty object", () => {
    for (const none of [null, "", "  ", "null", " null ", '"null"', { json: "{}" }] as Cell[]) {
      const row = mapRow({ ...good, event_properties: none, user_properties: none });
      expect(row.metadata).toBe("{}");
      expect(row.user).toBe('{"userID":"mina","stableID":"phone"}');
    }
  });

  it("treats an empty list of properties, which PHP writes for no properties, as an empty object", () => {
    for (const none of ["[]", " [ ] ", '"[]"', { json: "[]" }, { json: "[ ]" }] as Cell[]) {
      const row = mapRow({ ...good, event_properties: none, user_properties: none });
      expect(row.metadata).toBe("{}");
      expect(row.user).toBe('{"userID":"mina","stableID":"phone"}');
    }
    for (const list of ["[", "[]]", "[],", "[null]", { json: "[[]]" }] as Cell[]) {
      expect(mapRow({ ...good, event_properties: list }).outcome).toBe("metadata_not_object");
      expect(mapRow({ ...good, user_properties: list }).outcome).toBe("user_not_object");
    }
  });

  it("reads properties from text, also escaped twice, and trims them", () => {
    const object = '{"a":1.50,"b":"\\"é\\u00e9"}';
    for (const text of [object, ` \n${object}\t`, JSON.stringify(object)]) {
      const row = mapRow({ ...good, event_properties: text, user_properties: text });
      expect(row.metadata).toBe(object);
      expect(row.user).toBe(`{"userID":"mina","stableID":"phone",${object.slice(1)}`);
    }
  });

  it.each(["{", '{"a":1}x', '{"a":01}', "{'a':1}", '{"a":1,}', '{"a":"\u0001"}', "nullx"])(
    "rejects the text %j for properties",
    (text) => {
      expect(mapRow({ ...good, event_properties: text }).outcome).toBe("metadata_not_object");
    },
  );

  it("rejects text of an object that has a lone surrogate after unescaping", () => {
    const twice = '"{\\"a\\":\\"\\ud800\\"}"';
    expect(mapRow({ ...good, event_properties: twice }).outcome).toBe("metadata_not_object");
    const once = '{"a":"\\ud800"}';
    expect(mapRow({ ...good, event_properties: once }).metadata).toBe(once);
  });

  it("reports the value found and what was expected", () => {
    const { words } = mapRows([
      { ...good, event_type: 7 },
      { ...good, event_time: "2023-02-30" },
      { ...good, user_id: null, device_id: null },
      { ...good, user_id: "ok", device_id: { json: '{"a":1}' } },
      { ...good, event_properties: "x".repeat(200) },
    ]);
    expect(words).toEqual([
      "the event name must be text, but event_type is the number 7",
      'event_time is the text "2023-02-30", which is not a time',
      "no unit id in user_id or device_id",
      'a unit id must be text or a number, but device_id is the object {"a":1}',
      `event properties must be an object, but event_properties is the text "${"x".repeat(80)}…"`,
    ]);
  });

  it("names the field that was used, not the empty one before it", () => {
    const { words } = mapRows([{ ...good, user_id: "", other_id: { json: "true" } }], {
      overrides: { userID: ["user_id", "other_id"] },
    });
    expect(words).toEqual(["a unit id must be text or a number, but other_id is the boolean true"]);
  });

  it("names the field whose rest was requested", () => {
    const { words } = mapRows([{ ...good, properties: "[1]" }], {
      overrides: { metadata: { rest: "properties" } },
    });
    expect(words).toEqual(['event properties must be an object, but properties is the text "[1]"']);
  });

  it("maps batches one after another in the same memory", () => {
    const many = Array.from({ length: 500 }, (_, index) => ({ ...good, user_id: `u${index}` }));
    const rows = mapRows(many).rows;
    expect(rows.map(({ userID }) => userID)).toEqual(many.map(({ user_id }) => user_id));
  });
});

describe("value", () => {
  const overrides = { value: "amount" };
  it("is text or a number as JSON, digit for digit", () => {
    const value = (amount: Cell) => mapRow({ ...good, amount }, { overrides }).value;
    expect(value({ json: "1.50" })).toBe("1.50");
    expect(value('a"b')).toBe('"a\\"b"');
    expect(value("")).toBe('""');
    expect(value(null)).toBeUndefined();
  });

  it("rejects everything else", () => {
    const { rows, words } = mapRows([{ ...good, amount: { json: "true" } }], { overrides });
    expect(rows[0]?.outcome).toBe("value_not_scalar");
    expect(words[0]).toBe("the value must be text or a number, but amount is the boolean true");
  });

  it("must have UTF-8: a lone surrogate is rejected, a pair is not", () => {
    const outcome = (text: string) =>
      mapRow({ ...good, amount: { json: `"${text}"` } }, { overrides }).outcome;
    for (const text of [
      "\\ud800",
      "a\\ud800b",
      "\\udc00\\ud800",
      "\\ud800\\n",
      "\\ud83d\\ude00\\udead",
    ]) {
      expect(outcome(text), text).toBe("value_not_scalar");
    }
    for (const text of ["\\ud83d\\ude00", "\\\\ud800", "\\u0041", ""]) {
      expect(outcome(text), text).toBe("deliver");
    }
  });
});

describe("limits and filters of time", () => {
  it("rejects times outside the limits and filters times outside the range, ends excluded", () => {
    const times = [99, 100, 199, 200, 299, 300, 399, 400];
    const { rows, words } = mapRows(
      times.map((time) => ({ ...good, event_time: time })),
      {
        overrides: { timestamp: { field: "event_time", format: "ms" } },
        minTimeMs: 100,
        maxTimeMs: 400,
        fromTimeMs: 200,
        toTimeMs: 300,
      },
    );
    expect(rows.map(({ outcome }) => outcome)).toEqual([
      "time_out_of_range",
      "filtered",
      "filtered",
      "deliver",
      "deliver",
      "filtered",
      "filtered",
      "time_out_of_range",
    ]);
    expect(words[0]).toBe(
      "event_time is the number 99: 1970-01-01T00:00:00.099Z is before 1970-01-01T00:00:00.100Z",
    );
  });
});
