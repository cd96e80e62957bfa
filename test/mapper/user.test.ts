import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Cell } from "../support/cells.js";
import { mapRow, mapRows } from "../support/mapping.js";
import { propertyRuns } from "../support/property-runs.js";

const base = { event_type: "e", event_time: 1_700_000_000 };

function userOf(user_id: Cell, device_id: Cell, json: string) {
  return mapRow({ ...base, user_id, device_id, user_properties: { json } }).user;
}

describe("the user of an event", () => {
  it.each([
    ['{"a":1}', '{"userID":"u","stableID":"d","a":1}'],
    ["{}", '{"userID":"u","stableID":"d"}'],
    ["{ \n}", '{"userID":"u","stableID":"d"}'],
    ['{ "a" : 1.50 , "a":[ ] }', '{"userID":"u","stableID":"d", "a" : 1.50 , "a":[ ] }'],
    ['{"userID":"x","a":1}', '{"userID":"u","stableID":"d","a":1}'],
    ['{"a":1,"stableID":{"userID":1}}', '{"userID":"u","stableID":"d","a":1}'],
    ['{"userID":1 , "stableID":[2]}', '{"userID":"u","stableID":"d"}'],
    ['{"user\\u0049D":1,"b":2}', '{"userID":"u","stableID":"d","b":2}'],
    ['{"userID":1,"b":2,"userID":3}', '{"userID":"u","stableID":"d","b":2}'],
    ['{"a":{"userID":1}}', '{"userID":"u","stableID":"d","a":{"userID":1}}'],
    ['{"a":"userID","c":"\\u00e9"}', '{"userID":"u","stableID":"d","a":"userID","c":"\\u00e9"}'],
    ['{"companyID":1,"userid":2}', '{"userID":"u","stableID":"d","companyID":1,"userid":2}'],
    ['{"userID\\u0000":1}', '{"userID":"u","stableID":"d","userID\\u0000":1}'],
    ['{"\\ud800":"ID"}', '{"userID":"u","stableID":"d","\\ud800":"ID"}'],
  ])("has the ids before the properties %s", (properties, expected) => {
    expect(userOf("u", "d", properties)).toBe(expected);
  });

  it("keeps a property named like an id that is not given", () => {
    const properties = '{"userID":"x","stableID":"y"}';
    expect(userOf(null, "d", properties)).toBe('{"stableID":"d","userID":"x"}');
    expect(userOf("u", "", properties)).toBe('{"userID":"u","stableID":"y"}');
    const row = { ...base, user_properties: { json: properties } };
    expect(mapRow(row).outcome).toBe("unit_id_missing");
  });

  it.each([
    ["1.50", '"1.50"'],
    ["12345678901234567890", '"12345678901234567890"'],
    ["-0", '"-0"'],
    ["true", '"true"'],
    ["[ 1,\n2 ]", '"[ 1,\\n2 ]"'],
    ['{"a":"\\u00e9\\\\ \\"q\\""}', JSON.stringify('{"a":"\\u00e9\\\\ \\"q\\""}')],
    ['"\\u0031"', '"\\u0031"'],
    ['""', '""'],
  ])("makes %s text in a property named like an id that is not given", (value, text) => {
    const properties = `{ "plan":1, "userID" : ${value} , "stableID":${value},"a":${value}}`;
    expect(userOf(null, "d", properties)).toBe(
      `{"stableID":"d", "plan":1, "userID" : ${text}${value === text ? " " : ""},"a":${value}}`,
    );
    expect(userOf("u", null, `{"user\\u0049D":1,"st\\u0061bleID":${value}}`)).toBe(
      `{"userID":"u","st\\u0061bleID":${text}}`,
    );
  });

  it("drops a null property named like an id that is not given", () => {
    expect(userOf(null, "d", '{"userID":null}')).toBe('{"stableID":"d"}');
    expect(userOf("u", null, '{"a":null,"stableID": null ,"b":1}')).toBe(
      '{"userID":"u","a":null,"b":1}',
    );
  });

  it("has room for text that takes twice the bytes of its JSON", () => {
    const list = JSON.stringify(Array.from({ length: 30_000 }, () => '"\\'));
    const rows = [1, 2, 3].map(() => ({
      ...base,
      user_id: null,
      device_id: "d",
      user_properties: { json: `{"userID":${list}}` },
    }));
    for (const { user } of mapRows(rows).rows) {
      expect(user).toBe(`{"stableID":"d","userID":${JSON.stringify(list)}}`);
    }
  });

  it("escapes ids as JSON does", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (id) => {
        expect(userOf(id, null, '{"a":1}')).toBe(`{"userID":${JSON.stringify(id)},"a":1}`);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it("counts the rows whose properties were replaced by an id or made text", () => {
    const row = (json: string) => ({
      ...base,
      user_id: "u",
      device_id: "d",
      user_properties: { json },
    });
    const { notices } = mapRows([
      row('{"userID":1,"userID":2}'),
      row('{"stableID":1,"userID":2}'),
      row('{"plan":"ID","deviceID":"x"}'),
      { ...row('{"userID":1,"userID":2,"stableID":3}'), user_id: null },
      { ...row('{"userID":"text","stableID":3}'), user_id: null },
      { ...row('{"userID":null}'), user_id: null },
    ]);
    expect(notices).toEqual({
      userID_property_replaced: 2,
      stableID_property_replaced: 3,
      id_property_made_text: 1,
    });
  });

  it("agrees with an oracle of JSON.parse for any properties", () => {
    const key = fc.oneof(
      fc.constantFrom('"userID"', '"stableID"', '"user\\u0049D"', '"st\\u0061bleID"', '"plan"'),
      fc.string().map((text) => JSON.stringify(text)),
      fc.string({ maxLength: 20 }).map((text) => JSON.stringify(`${text}ID`)),
    );
    const space = fc.constantFrom("", " ", "\n\t");
    const value = fc.oneof(
      fc.json({ maxDepth: 2 }),
      fc.constantFrom("1.50", "-0", "1e400", "12345678901234567890", '{"userID":1}'),
    );
    const member = fc.tuple(space, key, space, space, value, space);
    const textOf = ([before, name, beforeColon, afterColon, content, after]: readonly string[]) =>
      `${before}${name}${beforeColon}:${afterColon}${content}${after}`;
    const ids = fc.option(fc.string({ minLength: 1 }));
    fc.assert(
      fc.property(fc.array(member, { maxLength: 6 }), ids, ids, (members, userID, stableID) => {
        fc.pre(userID !== null || stableID !== null);
        const texts = members.map(([before, name, beforeColon, afterColon, content, after]) => {
          const key: unknown = JSON.parse(name);
          const isId = key === "userID" || key === "stableID";
          const isMade = isId && typeof JSON.parse(content) !== "string";
          const value = isMade ? JSON.stringify(content) : `${content}${after}`;
          return `${before}${name}${beforeColon}:${afterColon}${value}`;
        });
        const kept = texts.filter((_, index) => {
          const [, name = "", , , content = ""] = members[index] ?? [];
          const key: unknown = JSON.parse(name);
          if (key === "userID") return userID === null && content !== "null";
          return key !== "stableID" || (stableID === null && content !== "null");
        });
        const given = [
          ...(userID === null ? [] : [`"userID":${JSON.stringify(userID)}`]),
          ...(stableID === null ? [] : [`"stableID":${JSON.stringify(stableID)}`]),
        ];
        const user = userOf(userID, stableID, `{${members.map(textOf).join(",")}}`);
        expect(user).toBe(`{${[...given, ...kept].join(",")}}`);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
