import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WrittenChanges } from "../../src/mapper/mapping.js";
import { mapRow, mapRows } from "../support/mapping.js";
import { propertyRuns } from "../support/property-runs.js";

const good = { event_type: "e", event_time: 1_700_000_000, user_id: "u" };
const overrides = {
  metadata: ["event_properties", { fields: ["platform", { field: "geo.city", name: "city" }] }],
} satisfies WrittenChanges;

/** Metadata of a row whose parts are these JSON texts. */
function mergedOf(...parts: readonly (string | null)[]): string | undefined {
  const names = parts.map((_, index) => `p${index}`);
  const cells = parts.map((json, index) => [`p${index}`, json === null ? null : { json }] as const);
  const metadata = names.map((name): string[] => [name]);
  return mapRow({ ...good, ...Object.fromEntries(cells) }, { overrides: { metadata } }).metadata;
}

describe("an object merged from parts", () => {
  it("has the members of the properties, then those of listed columns", () => {
    const row = { ...good, event_properties: { json: '{"total": 12.50}' }, platform: "iOS" };
    expect(mapRow({ ...row, "geo.city": "Köln" }, { overrides }).metadata).toBe(
      '{"total": 12.50,"platform":"iOS","city":"Köln"}',
    );
  });

  it("is made from text, from text that is escaped twice, and from null", () => {
    const texts = ['{"a":1}', JSON.stringify('{"a":1}'), "", "null", null];
    const rows = texts.map((event_properties) => ({ ...good, event_properties, platform: "iOS" }));
    expect(mapRows(rows, { overrides }).rows.map(({ metadata }) => metadata)).toEqual([
      '{"a":1,"platform":"iOS"}',
      '{"a":1,"platform":"iOS"}',
      '{"platform":"iOS"}',
      '{"platform":"iOS"}',
      '{"platform":"iOS"}',
    ]);
  });

  it("keeps the first value of those with the same name, and counts such rows", () => {
    const properties = [
      '{"platform":"web","platform":2}',
      '{"a":{"platform":1}}',
      '{"pl\\u0061tform":null}',
      '{"pl\\u0061tform":1}',
      "{ }",
    ];
    const rows = properties.map((json) => ({
      ...good,
      event_properties: { json },
      platform: "iOS",
    }));
    const { rows: mapped, notices } = mapRows(rows, { overrides });
    expect(mapped.map(({ metadata }) => metadata)).toEqual([
      '{"platform":"web","platform":2}',
      '{"a":{"platform":1},"platform":"iOS"}',
      '{"platform":"iOS"}',
      '{"pl\\u0061tform":1}',
      '{"platform":"iOS"}',
    ]);
    expect(notices["metadata_name_repeated"]).toBe(2);
    expect(mapRows(rows).notices).not.toHaveProperty("metadata_name_repeated");
  });

  it("can be the user, after the ids", () => {
    const user: WrittenChanges["user"] = ["user_properties", { fields: ["country", "userID"] }];
    const row = { ...good, user_properties: { json: '{"plan":"x"}' }, country: "DE", userID: 5 };
    const { rows, notices } = mapRows([row], { overrides: { user } });
    expect(rows[0]?.user).toBe('{"userID":"u","plan":"x","country":"DE"}');
    expect(notices).toMatchObject({ user_name_repeated: 0, userID_property_replaced: 1 });
  });

  it("is rejected if one part is not an object, and the message names that part", () => {
    const metadata: WrittenChanges["metadata"] = ["event_properties", ["extra", "more"], ["list"]];
    const properties = { json: '{"a":1}' };
    const messageOf = (row: Readonly<Record<string, string>>) =>
      mapRows([{ ...good, event_properties: properties, ...row }], { overrides: { metadata } })
        .words[0];
    expect(messageOf({ more: "no" })).toBe(
      'event properties must be an object, but more is the text "no"',
    );
    expect(messageOf({ extra: "{}", list: "{]" })).toContain('list is the text "{]"');
    expect(messageOf({ extra: "{}", list: "[1]" })).toContain('list is the text "[1]"');
  });

  it("has room for long parts, many members and many rows", () => {
    const names = Array.from({ length: 30_000 }, (_, index) => `k${index}`);
    const one = `{${names.map((name) => `"${name}":0`).join(",")}}`;
    const two = `{${names.map((name) => `"\\u006b${name.slice(1)}":1`).join(",")},"z":2}`;
    expect(mergedOf(one, two)).toBe(`${one.slice(0, -1)},"z":2}`);
    const row = { ...good, event_properties: { json: '{"a":"b"}' }, platform: "x".repeat(200) };
    const { rows } = mapRows(Array(5_000).fill(row), { overrides });
    expect(new Set(rows.map(({ metadata }) => metadata)).size).toBe(1);
  });

  it("agrees with an oracle of JSON.parse for any objects", () => {
    const key = fc.oneof(
      fc.constantFrom('"a"', '"\\u0061"', '"b"', '""', '"__proto__"'),
      fc.string().map((text) => JSON.stringify(text)),
    );
    const space = fc.constantFrom("", " ", "\n\t");
    const member = fc
      .tuple(space, key, space, fc.oneof(fc.constant("null"), fc.json({ maxDepth: 2 })), space)
      .map(([before, name, gap, value, after]) => ({
        name: JSON.parse(name) as string,
        value,
        text: `${before}${name}${gap}:${gap}${value}${after}`,
      }));
    const part = fc.option(fc.array(member, { maxLength: 6 }));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const partWith = (fits: (member: Member) => boolean) =>
          parts.findIndex((members) => members?.some(fits));
        const winnerOf = (wanted: string) => {
          const first = partWith(({ name, value }) => name === wanted && value !== "null");
          return first >= 0 ? first : partWith(({ name }) => name === wanted);
        };
        const kept = parts.flatMap((members, part) =>
          (members ?? []).filter(({ name }) => winnerOf(name) === part).map(({ text }) => text),
        );
        const texts = parts.map(
          (members) => members && `{${members.map(({ text }) => text).join(",")}}`,
        );
        expect(mergedOf(...texts)).toBe(`{${kept.join(",")}}`);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("agrees with the general way if the names of later parts are known", () => {
    const names = ["plan", "os", "os_name", "platform"];
    const key = fc.oneof(fc.constantFrom(...names, "pla", "osx", "o"), fc.string({ maxLength: 4 }));
    const value = fc.oneof(fc.constantFrom("null", '"plan"', '"\\u0070lan"'), fc.json());
    const member = fc
      .tuple(key, value, fc.constantFrom("", " "), fc.boolean())
      .map(([name, content, gap, isEscaped]) => {
        const token = JSON.stringify(name);
        return `${gap}${isEscaped ? token.replace("p", "\\u0070") : token}${gap}:${content}`;
      });
    const cells = fc.dictionary(fc.constantFrom(...names), fc.constantFrom(null, "x", 5));
    fc.assert(
      fc.property(fc.array(member, { maxLength: 9 }), cells, (members, columns) => {
        const event_properties = { json: `{${members.join(",")}}` };
        const row = { ...good, event_properties, ...columns };
        const metadataOf = (...more: readonly { readonly fields: string[] }[]) => {
          const metadata: WrittenChanges["metadata"] = ["event_properties", ...more];
          return mapRow(row, { overrides: { metadata } }).metadata;
        };
        // A name of one character has no known start.
        expect(metadataOf({ fields: names })).toBe(
          metadataOf({ fields: names }, { fields: ["n"] }),
        );
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

interface Member {
  readonly name: string;
  readonly value: string;
}
