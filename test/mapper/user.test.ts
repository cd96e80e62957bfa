import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Cell } from "../support/cells.js";
import { mapRow, mapRows } from "../support/mapping.js";

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

  it("escapes ids as JSON does", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (id) => {
        expect(userOf(id, null, '{"a":1}')).toBe(`{"userID":${JSON.stringify(id)},"a":1}`);
      }),
      { numRuns: 200 },
    );
  });

  it("counts the rows whose properties gave way to an id", () => {
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
    ]);
    expect(notices).toEqual({ userID_property_replaced: 2, stableID_property_replaced: 1 });
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
    const ids = fc.option(fc.string({ minLength: 1 }));
    fc.assert(
      fc.property(fc.array(member, { maxLength: 6 }), ids, ids, (members, userID, stableID) => {
        fc.pre(userID !== null || stableID !== null);
        const texts = members.map(
          ([before, name, beforeColon, afterColon, content, after]) =>
            `${before}${name}${beforeColon}:${afterColon}${content}${after}`,
        );
        const kept = texts.filter((_, index) => {
          const name: unknown = JSON.parse(members[index]?.[1] as string);
          return (
            !(name === "userID" && userID !== null) && !(name === "stableID" && stableID !== null)
          );
        });
        const given = [
          ...(userID === null ? [] : [`"userID":${JSON.stringify(userID)}`]),
          ...(stableID === null ? [] : [`"stableID":${JSON.stringify(stableID)}`]),
        ];
        const user = userOf(userID, stableID, `{${texts.join(",")}}`);
        expect(user).toBe(`{${[...given, ...kept].join(",")}}`);
      }),
      { numRuns: 500 },
    );
  });
});
