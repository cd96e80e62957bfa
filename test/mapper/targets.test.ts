import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CellRow } from "../support/cells.js";
import { mapRow, mapRows } from "../support/mapping.js";
import { propertyRuns } from "../support/property-runs.js";

const good = { event_type: "e", event_time: 1_700_000_000, user_id: "u" } satisfies CellRow;

describe("a target of several fields", () => {
  it("uses the first field that is not null or empty text", () => {
    const overrides = { userID: ["a", "b", "c"] };
    const rows = [
      { ...good, a: "1", b: "2" },
      { ...good, a: "", b: "2", c: "3" },
      { ...good, c: 3 },
    ];
    expect(mapRows(rows, { overrides }).rows.map(({ userID }) => userID)).toEqual(["1", "2", "3"]);
  });

  it("skips a value that another field also has", () => {
    const overrides = {
      userID: [
        { field: "a", unlessSameAs: "device" },
        { field: "b", unlessSameAs: ["props", "x.y"], unlessPrefix: "anon" },
        "c",
      ],
      stableID: "device",
    };
    const rows = [
      { a: "d", device: "d", b: "2", c: "3" },
      { a: "d", device: "dd", b: "2" },
      { a: "d", b: "2" },
      { a: "d", device: "d", b: "x", "props.x.y": "x", c: "3" },
      { a: "d", device: "d", b: "anon1", "props.x.y": "x", c: "3" },
      { a: 7, device: "7", b: "2" },
      { a: "", device: "", b: "2" },
      { a: "d", device: "d" },
    ].map((row) => ({ ...good, user_id: null, ...row }));
    const mapped = mapRows(rows, { overrides }).rows;
    expect(mapped.map(({ userID }) => userID)).toEqual([
      "2",
      "d",
      "d",
      "3",
      "3",
      "2",
      "2",
      undefined,
    ]);
    const row = { ...good, a: "d", device: "d", b: { json: "[]" } };
    expect(mapRows([row], { overrides }).words[0]).toContain("but b is the list []");
  });

  it("joins two fields, and is null if one of them is", () => {
    const joined = (field: string, joinedWith: string) => ({ field, joinedWith });
    const overrides = { userID: [joined("a", "b"), { ...joined("b", "c"), unless: ["2-3"] }, "d"] };
    const rows = [
      { a: "18446744073709551615", b: "7", c: "3" },
      { a: 12, b: 34 },
      { a: "", b: "4", c: "3" },
      { a: "1", b: "", d: "5" },
      { a: null, b: "2", c: 3, d: "6" },
      { b: "1", c: { json: "[]" }, d: "7" },
      { a: "-", b: "-" },
    ].map((row) => ({ ...good, user_id: null, ...row }));
    const mapped = mapRows(rows, { overrides }).rows.map(({ userID }) => userID);
    expect(mapped).toEqual(["18446744073709551615-7", "12-34", "4-3", "5", "6", "7", "---"]);
    const [words] = mapRows([{ ...good, a: "1", b: null, d: { json: "[]" } }], { overrides }).words;
    expect(words).toContain("but d is the list []");
  });

  it("names texts and numbers, and takes others for null", () => {
    const names = { "0": "page_view", "100": "custom_link", constructor: "built" };
    const overrides = { event: [{ field: "code", names }, "label"] };
    const row = (code: string | number, label?: string) => ({
      ...good,
      code,
      label: label ?? null,
    });
    const rows = [row("0"), row(100), row("7", "other"), row("constructor"), row("toString", "x")];
    expect(mapRows(rows, { overrides }).rows.map(({ event }) => event)).toEqual([
      "page_view",
      "custom_link",
      "other",
      "built",
      "x",
    ]);
    expect(mapRow(row("8"), { overrides }).outcome).toBe("event_missing");
  });

  it("is checked by the field that it uses", () => {
    const overrides = { userID: ["a", "b"] };
    const row = { ...good, a: { json: "[]" }, b: "fine" };
    const { rows, words } = mapRows([row], { overrides });
    expect(rows[0]?.outcome).toBe("unit_id_not_text");
    expect(words[0]).toContain("but a is the list []");
  });
});

describe("a field with placeholder texts", () => {
  const overrides = { userID: [{ field: "a", unless: ["0", "null", "ü"] }, "b"] };
  const idsOf = (rows: readonly CellRow[]) =>
    mapRows(
      rows.map((row) => ({ ...good, ...row })),
      { overrides },
    );

  it("is null if its text or number is exactly one of them", () => {
    const rows = [
      { a: "null" },
      { a: "0" },
      { a: 0 },
      { a: "ü" },
      { a: "nullable" },
      { a: "Null" },
    ];
    const ids = idsOf(rows.map((row) => ({ ...row, b: "b" }))).rows.map(({ userID }) => userID);
    expect(ids).toEqual(["b", "b", "b", "b", "nullable", "Null"]);
  });

  it("reports a missing id if no other field has one", () => {
    const { rows, words } = idsOf([{ a: "null" }]);
    expect(rows[0]?.outcome).toBe("unit_id_missing");
    expect(words[0]).toBe("no unit id in a or b or device_id");
  });

  it("reports the fault of the field that is used", () => {
    expect(idsOf([{ a: "0", b: { json: "[]" } }]).words[0]).toContain("but b is the list []");
  });
});

describe("the mixpanel preset", () => {
  const row = (properties: CellRow) => ({
    event: "Signed up",
    "properties.time": 1_700_000_000,
    properties: { json: '{"plan":"free"}' },
    ...properties,
  });
  const map = (properties: CellRow) => mapRow(row(properties), { preset: "mixpanel" });

  it("uses the distinct id as user id unless it is a device's", () => {
    const device = { "properties.$device_id": "d1" };
    expect(map({ "properties.distinct_id": "mina" }).userID).toBe("mina");
    expect(map({ ...device, "properties.distinct_id": "$device:d1" })).toMatchObject({
      userID: undefined,
      stableID: "d1",
      user: '{"stableID":"d1"}',
    });
    expect(map({ ...device, "properties.distinct_id": "d1" })).toMatchObject({
      userID: undefined,
      stableID: "d1",
    });
    expect(map({ "properties.$user_id": "u", "properties.distinct_id": "x" }).userID).toBe("u");
    expect(map({ "properties.distinct_id": "$device:d1" }).outcome).toBe("unit_id_missing");
    expect(map({ "properties.distinct_id": "$devic" }).userID).toBe("$devic");
  });

  it("reads seconds and milliseconds, and the rest of the properties", () => {
    const id = { "properties.$user_id": "u" };
    expect(map(id)).toMatchObject({ timestamp: 1_700_000_000_000, metadata: '{"plan":"free"}' });
    expect(map({ ...id, "properties.time": 1_700_000_000_123 }).timestamp).toBe(1_700_000_000_123);
  });
});

describe("the posthog preset", () => {
  const row = { event: "$pageview", timestamp: "2026-01-31T17:03:12Z" };
  const map = (ids: CellRow) => mapRow({ ...row, ...ids }, { preset: "posthog" });

  it("has no user id for an anonymous visitor, whose distinct id is the device's", () => {
    const device = { "properties.$device_id": "d1" };
    expect(map({ ...device, distinct_id: "d1" }).user).toBe('{"stableID":"d1"}');
    expect(map({ ...device, distinct_id: "mina" }).user).toBe('{"userID":"mina","stableID":"d1"}');
    expect(map({ distinct_id: "mina" }).user).toBe('{"userID":"mina"}');
  });
});

describe("an object of listed fields", () => {
  const overrides = {
    metadata: { fields: ["a", "deep.b", { field: "c", name: 'na"me' }] },
    user: { fields: ["plan"] },
  };

  it("has the fields that are not null, with their digits and escapes", () => {
    const { rows } = mapRows(
      [
        { ...good, a: { json: "1.50" }, "deep.b": 'te"xt', c: { json: '{"x": [1]}' }, plan: "p" },
        { ...good, "deep.b": { json: '"\\ud800"' } },
        { ...good, event_type: null, a: "not delivered" },
        { ...good, a: "", c: { json: "true" } },
        good,
      ],
      { overrides },
    );
    expect(rows.map(({ metadata }) => metadata)).toEqual([
      '{"a":1.50,"b":"te\\"xt","na\\"me":{"x": [1]}}',
      '{"b":"\\ud800"}',
      undefined,
      '{"a":"","na\\"me":true}',
      "{}",
    ]);
    expect(rows[0]?.user).toBe('{"userID":"u","plan":"p"}');
    expect(rows[4]?.user).toBe('{"userID":"u"}');
  });

  it("can have long values in many rows", () => {
    const long = "x".repeat(3_000);
    const rows = Array.from({ length: 100 }, (_, index) => ({ ...good, a: `${long}${index}` }));
    const mapped = mapRows(rows, { overrides }).rows;
    expect(mapped.map(({ metadata }) => metadata)).toEqual(
      rows.map(({ a }) => JSON.stringify({ a })),
    );
  });
});

describe("texts that are escaped twice", () => {
  it("do not overwrite each other in a batch", () => {
    const objects = Array.from({ length: 200 }, (_, index) => `{"n":"\\"${"é".repeat(index)}"}`);
    const rows = objects.map((text, index) => ({
      ...good,
      event_properties: index % 3 === 0 ? text : JSON.stringify(text),
      user_properties: JSON.stringify(` ${text} `),
    }));
    const mapped = mapRows(rows).rows;
    expect(mapped.map(({ metadata }) => metadata)).toEqual(objects);
    expect(mapped.map(({ user }) => user)).toEqual(
      objects.map((text) => `{"userID":"u",${text.slice(1)}`),
    );
  });

  it("are rejected if they are escaped three times", () => {
    const text = JSON.stringify(JSON.stringify('{"a":1}'));
    expect(mapRow({ ...good, event_properties: text }).outcome).toBe("metadata_not_object");
  });

  it("are checked against the depth limit", () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    expect(mapRow({ ...good, event_properties: nested(512) }).metadata).toBe(nested(512));
    expect(mapRow({ ...good, event_properties: nested(513) }).outcome).toBe("metadata_not_object");
  });
});

describe("text that may hold an object", () => {
  it("is accepted exactly when JSON.parse finds an object, an empty list, a text of one, or null", () => {
    const pieces = fc.constantFrom(
      '{"a":1}',
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      "null",
      "1.5",
      "-",
      "e3",
      " ",
      "\n",
      "\u0000",
      "é",
      '"a"',
      "\\u0041",
      "\\ud800",
      "{}",
      "true",
      "\ufeff",
    );
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 7 }).map((parts) => parts.join("")),
      fc.json().map((json) => `${json} `),
      fc.json().map((json) => JSON.stringify(json)),
      fc.tuple(fc.json(), pieces, fc.nat()).map(([json, piece, at]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + piece + json.slice(place);
      }),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 50 }), (texts) => {
        const rows = texts.map((event_properties) => ({ ...good, event_properties }));
        const expected = texts.map((each) => objectIn(each) ?? "metadata_not_object");
        const mapped = mapRows(rows).rows;
        expect(mapped.map(({ metadata, outcome }) => metadata ?? outcome)).toEqual(expected);
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

/** The JSON object that a text holds, `{}` for none, undefined where it holds something else. */
function objectIn(text: string): string | undefined {
  const plain = text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  if (plain === "") return "{}";
  try {
    const value: unknown = JSON.parse(plain);
    if (value === null) return "{}";
    if (typeof value === "string" && /\p{Surrogate}/u.test(value)) return undefined;
    if (typeof value === "string")
      return value.trimStart().startsWith('"') ? undefined : objectIn(value);
    if (Array.isArray(value)) return value.length === 0 ? "{}" : undefined;
    return typeof value === "object" ? plain : undefined;
  } catch {
    return undefined;
  }
}
