import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/base/errors.js";
import type { CellRow } from "../support/cells.js";
import { mapRow, mapRows } from "../support/mapping.js";
import { propertyRuns } from "../support/property-runs.js";

const good = {
  event_type: "checkout",
  event_time: 1_700_000_000_000,
  user_id: "mina",
  device_id: "phone",
} satisfies CellRow;
const salt = "sea salt";
const sha = (text: string) =>
  createHash("sha256")
    .update(salt + text)
    .digest("hex");

function redactMetadata(json: string, drop: string[], hash: string[] = []) {
  const row = mapRow({ ...good, event_properties: { json } }, { privacy: { drop, hash, salt } });
  return row.metadata;
}

describe("dropping", () => {
  it.each([
    ['{"a":1,"b":2,"c":3}', "a", '{"b":2,"c":3}'],
    ['{"a":1,"b":2,"c":3}', "b", '{"a":1,"c":3}'],
    ['{"a":1,"b":2,"c":3}', "c", '{"a":1,"b":2}'],
    ['{ "a" : 1 }', "a", "{}"],
    ['{ "b" : 1.50 ,\n"a":2 }', "a", '{ "b" : 1.50 }'],
    ['{"a":1,"b":2,"a":[{"x":"}"}]}', "a", '{"b":2}'],
    ['{"\\u0061":1,"b":2}', "a", '{"b":2}'],
    ['{"card":{"number":"4","kind":"x"},"n":1}', "card.number", '{"card":{"kind":"x"},"n":1}'],
    ['{"card.number":1,"card":2}', "card.number", '{"card":2}'],
    ['{"x.y":{"z":1,"w":2}}', "x.y.z", '{"x.y":{"z":1,"w":2}}'],
    ['{"items":[{"id":1,"m":2}, [{"id":3}], 4]}', "items.id", '{"items":[{"m":2}, [{}], 4]}'],
    ['{"a":{"b":1}}', "a.b.c", '{"a":{"b":1}}'],
    ["{}", "a", "{}"],
    ['{"b":"a"}', "a", '{"b":"a"}'],
  ])("of %s the path %s leaves %s", (json, path, expected) => {
    expect(redactMetadata(json, [`metadata.${path}`])).toBe(expected);
  });

  it("removes an id from the column and from the user", () => {
    const cells = { ...good, user_properties: { json: '{"plan":"free"}' } };
    for (const path of ["userID", "user.userID"]) {
      const row = mapRow(cells, { privacy: { drop: [path], hash: [] } });
      expect(row.userID).toBeUndefined();
      expect(row.user).toBe('{"stableID":"phone","plan":"free"}');
    }
  });

  it("rejects rows that are left without an id", () => {
    const { rows, words } = mapRows([{ ...good, device_id: null }, good], {
      privacy: { drop: ["userID"], hash: [] },
    });
    expect(rows.map(({ outcome }) => outcome)).toEqual(["unit_id_missing", "deliver"]);
    expect(words[0]).toBe("no unit id in user_id or device_id; userID is dropped");
  });

  it("agrees with deleting from parsed objects", () => {
    const key = fc.constantFrom("a", "b", "c", 'q"\n', "é");
    const { tree } = fc.letrec<{ tree: Record<string, unknown>; value: unknown }>((tie) => ({
      tree: fc.dictionary(key, tie("value"), { maxKeys: 4 }),
      value: fc.oneof(
        { depthSize: "small" },
        fc.string(),
        fc.integer(),
        fc.constant(null),
        tie("tree"),
        fc.array(tie("tree"), { maxLength: 2 }),
      ),
    }));
    fc.assert(
      fc.property(tree, key, key, (object, first, second) => {
        const json = JSON.stringify(object, null, 1);
        const result = redactMetadata(json, [`metadata.${first}.${second}`]) as string;
        const remove = (value: unknown): unknown => {
          if (Array.isArray(value)) return value.map(remove);
          if (value === null || typeof value !== "object") return value;
          return Object.fromEntries(Object.entries(value).filter(([name]) => name !== second));
        };
        const expected = Object.fromEntries(
          Object.entries(object).map(([name, value]) => [
            name,
            name === first ? remove(value) : value,
          ]),
        );
        expect(JSON.parse(result)).toEqual(JSON.parse(JSON.stringify(expected)));
      }),
      { numRuns: propertyRuns(150) },
    );
  });
});

describe("cutting queries", () => {
  it.each([
    ['{"u":"https://a.example/p?t=1&x#y","v":1.50}', "u", '{"u":"https://a.example/p","v":1.50}'],
    ['{"u":"https://a.example/p#t=1"}', "u", '{"u":"https://a.example/p"}'],
    ['{"u":"https://a.example/#/p?t=1"}', "u", '{"u":"https://a.example/#/p"}'],
    ['{"u":"https:\\/\\/a.example\\/?t"}', "u", '{"u":"https:\\/\\/a.example\\/"}'],
    ['{"u":"?t=1"}', "u", '{"u":""}'],
    ['{"u":"Is it ok? No"}', "u", '{"u":"Is it ok? No"}'],
    ['{"u":"a.example/p"}', "u", '{"u":"a.example/p"}'],
    ['{"u":null,"v":"/?t"}', "u", '{"u":null,"v":"/?t"}'],
    ['{"u":12}', "u", '{"u":12}'],
    ['{"u":["/a?t", "/b", {"k?":"/c?t"}]}', "u", '{"u":["/a", "/b", {"k?":"/c"}]}'],
    ['{"p":{"u":"/a?t","v":"/b?t"}}', "p.u", '{"p":{"u":"/a","v":"/b?t"}}'],
  ])("of %s at the path %s leaves %s", (json, path, expected) => {
    const privacy = { drop: [], hash: [], cutQuery: [`metadata.${path}`] };
    const row = mapRow({ ...good, event_properties: { json } }, { privacy });
    expect(row.metadata).toBe(expected);
  });

  it("comes before hashing, and needs a path of a property", () => {
    const privacy = { drop: [], hash: ["metadata.u"], salt, cutQuery: ["metadata.u"] };
    const row = mapRow({ ...good, event_properties: { json: '{"u":"/a?t"}' } }, { privacy });
    expect(row.metadata).toBe(`{"u":"${sha("/a")}"}`);
    for (const path of ["userID", "user.stableID", "value", "url"]) {
      const map = () => mapRow(good, { privacy: { drop: [], hash: [], cutQuery: [path] } });
      expect(map).toThrow(/cannot have its query cut. Use a path such as metadata.page_url/);
    }
  });
});

describe("hashing", () => {
  it("replaces the value by the salted SHA-256 of its text", () => {
    const json = '{"email":"mina\\u0040tea.example","n":1.50,"o":{"a": 1},"none":null,"keep":"x"}';
    const paths = ["email", "n", "o", "none"].map((name) => `metadata.${name}`);
    expect(redactMetadata(json, [], paths)).toBe(
      `{"email":"${sha("mina@tea.example")}","n":"${sha("1.50")}","o":"${sha('{"a": 1}')}",` +
        '"none":null,"keep":"x"}',
    );
  });

  it("gives an id the same hash in its column and in the user", () => {
    const id = 'mi"na\n\u{1f375}';
    const row = mapRow({ ...good, user_id: id }, { privacy: { drop: [], hash: ["userID"], salt } });
    expect(row.userID).toBe(sha(id));
    expect(row.user).toBe(`{"userID":"${sha(id)}","stableID":"phone"}`);
  });

  it("hashes an id once if it is named twice, and a property that has an id's name", () => {
    const privacy = { drop: [], hash: ["userID", "user.userID"], salt };
    expect(mapRow(good, { privacy }).userID).toBe(sha("mina"));
    const anonymous = { ...good, user_id: null, user_properties: { json: '{"userID":"other"}' } };
    expect(mapRow(anonymous, { privacy }).user).toBe(
      `{"stableID":"phone","userID":"${sha("other")}"}`,
    );
  });

  it("hashes the value, text and numbers alike", () => {
    const given = { overrides: { value: "amount" }, privacy: { drop: [], hash: ["value"], salt } };
    expect(mapRow({ ...good, amount: "12" }, given).value).toBe(`"${sha("12")}"`);
    expect(mapRow({ ...good, amount: { json: "12" } }, given).value).toBe(`"${sha("12")}"`);
  });

  it("agrees with the platform's SHA-256 for every length and escape", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
        const escaped = [...text]
          .flatMap((character) => character.split(""))
          .map((unit) => {
            return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
          });
        for (const inside of [JSON.stringify(text).slice(1, -1), escaped.join("")]) {
          expect(redactMetadata(`{"a":"${inside}"}`, [], ["metadata.a"])).toBe(
            `{"a":"${sha(text)}"}`,
          );
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it("applies several paths to one object, drops before hashes", () => {
    const json = '{"a":"1","b":"2","c":"3","d":"4"}';
    const paths = ["metadata.a", "metadata.b", "metadata.c"];
    expect(redactMetadata(json, ["metadata.b"], paths)).toBe(
      `{"a":"${sha("1")}","c":"${sha("3")}","d":"4"}`,
    );
  });
});

describe("privacy paths", () => {
  it.each([
    "event",
    "timestamp",
    "user",
    "metadata",
    "",
    "user.",
    "metadata..a",
    "userid",
    "value.a",
  ])("refuse %j", (path) => {
    const map = () => mapRow(good, { privacy: { drop: [path], hash: [] } });
    expect(map).toThrow(UsageError);
    expect(map).toThrow(/cannot be dropped or hashed/);
  });

  it("need a salt if something is hashed", () => {
    const map = () => mapRow(good, { privacy: { drop: [], hash: ["userID"] } });
    expect(map).toThrow(/Hashing needs a salt/);
  });
});
