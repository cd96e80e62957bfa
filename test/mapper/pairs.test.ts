import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WrittenChanges } from "../../src/mapper/mapping.js";
import { mapRow, mapRows } from "../support/mapping.js";
import { propertyRuns } from "../support/property-runs.js";

const good = { event_type: "e", event_time: 1_700_000_000, user_id: "u" };
const overrides = {
  metadata: {
    pairs: "params",
    key: "key",
    value: [
      "value.text",
      { field: "value.int", as: "number" },
      { field: "value.double", as: "number" },
      "value.any",
    ],
  },
} satisfies WrittenChanges;

/** The metadata of a list, or the outcome of its row. */
function objectOf(json: string) {
  const { metadata, outcome } = mapRow({ ...good, params: { json } }, { overrides });
  return metadata ?? outcome;
}

describe("an object of pairs", () => {
  it.each([
    ["[]", "{}"],
    [" [ ] ".trim(), "{}"],
    ['[{"key":"a","value":{"text":"x"}}]', '{"a":"x"}'],
    ['[{"value":{"text":"x"},"key":"a","more":[1]}]', '{"a":"x"}'],
    ['[ { "key" : "a" , "value" : { "text" : "x" } } , {"key":"b"} ]', '{"a":"x","b":null}'],
    ['[{"key":"a","value":null},{"key":"b","value":{"text":null}}]', '{"a":null,"b":null}'],
    ['[{"key":"a","value":{"text":"","int":"1"}}]', '{"a":""}'],
    ['[{"key":"a","value":{"text":null,"int":null,"double":1.50}}]', '{"a":1.50}'],
    ['[{"key":"","value":{"any":{"b": [ 1 ]}}}]', '{"":{"b": [ 1 ]}}'],
    [
      '[{"key":"a\\"\\u00e9","value":{"text":"\\ud83c\\udf75"}}]',
      '{"a\\"\\u00e9":"\\ud83c\\udf75"}',
    ],
    ['[{"key":"\\ud800","value":{"text":"\\udc00"}}]', '{"\\ud800":"\\udc00"}'],
    ['[{"key":"a","value":"{\\"text\\":\\"in\\"}"}]', '{"a":"in"}'],
  ])("%s is %s", (list, object) => {
    expect(objectOf(list)).toBe(object);
  });

  it.each([
    ['"9007199254740993"', "9007199254740993"],
    ['"-0"', "-0"],
    ['"1.50e+07"', "1.50e+07"],
    ['"\\u0031"', "1"],
    ["12345678901234567890", "12345678901234567890"],
    ['"007"', '"007"'],
    ['"+5"', '"+5"'],
    ['" 5"', '" 5"'],
    ['"5 "', '"5 "'],
    ['""', '""'],
    ['"-"', '"-"'],
    ['"NaN"', '"NaN"'],
    ['"true"', '"true"'],
    ['"\\ud800"', '"\\ud800"'],
    ["true", "true"],
  ])("makes %s as a number %s", (value, number) => {
    expect(objectOf(`[{"key":"n","value":{"int":${value}}}]`)).toBe(`{"n":${number}}`);
  });

  it("keeps text that looks like a number as text unless a number is requested", () => {
    expect(objectOf('[{"key":"n","value":{"text":"12"}}]')).toBe('{"n":"12"}');
  });

  it("has the last value of a repeated key, at the position of the first", () => {
    const pair = (key: string, value: string) => `{"key":${key},"value":{"any":${value}}}`;
    const pairs = [pair('"a"', "1"), pair('"b"', "2"), pair('"\\u0061"', "3"), pair('"b"', "null")];
    expect(objectOf(`[${pairs.join(",")}]`)).toBe('{"a":3,"b":null}');
  });

  it("is also made from text, from text that is escaped twice, and from null", () => {
    const list = '[{"key":"a\\n","value":{"text":"é"}}]';
    const texts = [list, ` \n${list} `, JSON.stringify(list), "", " ", "null", '"null"'];
    const rows = texts.map((params) => ({ ...good, params }));
    expect(mapRows(rows, { overrides }).rows.map(({ metadata }) => metadata)).toEqual([
      ...Array.from({ length: 3 }, () => '{"a\\n":"é"}'),
      ...Array.from({ length: 4 }, () => "{}"),
    ]);
    expect(mapRow(good, { overrides }).metadata).toBe("{}");
  });

  it.each([
    ["{}", "the object {}"],
    ["7", "the number 7"],
    ["[7]", "the list [7]"],
    ["[null]", "the list [null]"],
    ['[{"value":{"text":"x"}}]', 'the list [{"value":{"text":"x"}}]'],
    ['[{"key":7}]', 'the list [{"key":7}]'],
  ])("is refused of %s, and the words say what stands there", (json, found) => {
    const { rows, words } = mapRows([{ ...good, params: { json } }], { overrides });
    expect(rows[0]?.outcome).toBe("metadata_not_object");
    expect(words[0]).toBe(
      `event properties must be a list of objects with text in key, but params is ${found}`,
    );
  });

  it.each([
    "[",
    "[}",
    "[{}",
    '[{"key":"a"},]',
    '[{"key":"a"}] x',
    "[] ]",
    '"[]',
    "nulls",
    "[\u0000]",
  ])("is refused of the text %s", (params) => {
    expect(mapRow({ ...good, params }, { overrides }).outcome).toBe("metadata_not_object");
  });

  it("uses the first of several lists, keys and values that is not null", () => {
    const several = {
      metadata: { pairs: ["p.list", "p"], key: ["k", "element.k"], value: ["v", "element.v"] },
    };
    const rows = [
      { ...good, p: { json: '[{"k":"a","v":1}]' } },
      { ...good, p: { json: "{}" }, "p.list": { json: '[{"element":{"k":"a","v":2}}]' } },
    ];
    const mapped = mapRows(rows, { overrides: several }).rows;
    expect(mapped.map(({ metadata }) => metadata)).toEqual(['{"a":1}', '{"a":2}']);
  });

  it("can be the user, after the ids", () => {
    const user = { ...overrides.metadata };
    const json = '[{"key":"plan","value":{"text":"free","at":1}},{"key":"userID","value":{}}]';
    const row = { ...good, params: { json } };
    expect(mapRow(row, { overrides: { user } }).user).toBe('{"userID":"u","plan":"free"}');
    const list = { ...good, params: { json: "[[]]" } };
    expect(mapRow(list, { overrides: { user } }).outcome).toBe("user_not_object");
  });

  it("has room for a field used twice, many rows and long lists", () => {
    const twice = { metadata: { pairs: "params", key: "k", value: "k" } };
    const rows = Array.from({ length: 120 }, (_, row) => {
      const keys = Array.from({ length: row * 3 }, (_, index) => `${"é".repeat(row)}${index}`);
      return { ...good, params: { json: JSON.stringify(keys.map((k) => ({ k }))) }, keys };
    });
    const mapped = mapRows(
      rows.map(({ keys: _, ...row }) => row),
      { overrides: twice },
    ).rows;
    expect(mapped.map(({ metadata }) => metadata)).toEqual(
      rows.map(({ keys }) => JSON.stringify(Object.fromEntries(keys.map((key) => [key, key])))),
    );
  });

  it("compares tens of thousands of keys in linear time", () => {
    const keys = Array.from({ length: 40_000 }, (_, index) => `k${index % 39_999}`);
    const json = `[${keys.map((key, value) => `{"key":"${key}","value":{"any":${value}}}`).join()}]`;
    const expected = Object.fromEntries(keys.map((key, value) => [key, value]));
    expect(objectOf(json)).toBe(JSON.stringify(expected));
  });
});

describe("pairs against a slow oracle", () => {
  const spellings = [
    ['"a"', "a"],
    ['"\\u0061"', "a"],
    ['"b c"', "b c"],
    ['"é"', "é"],
    ['"\\u00e9"', "é"],
  ];
  const key = fc.oneof(
    fc.constantFrom(...spellings.map(([token = "", text = ""]) => ({ token, text }))),
    fc.string({ unit: "grapheme" }).map((text) => ({ token: JSON.stringify(text), text })),
  );
  const space = fc.constantFrom("", "", " ", "\n\t ");
  const scalar = fc.constantFrom(
    '"x"',
    '""',
    "1.50",
    '"12345678901234567890"',
    '"1e5"',
    "false",
    "[ 1]",
  );
  const value = fc.record(
    {
      text: fc.option(scalar),
      int: fc.option(scalar),
      double: fc.option(scalar),
      any: fc.option(scalar),
    },
    { requiredKeys: [] },
  );
  const pair = fc.record({ key, value, space, isReversed: fc.boolean() });
  const isNumber = (token: string) => /^"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?"$/.test(token);

  it("keep every byte of their tokens", () => {
    fc.assert(
      fc.property(fc.array(fc.array(pair, { maxLength: 12 }), { maxLength: 20 }), (lists) => {
        const rows = lists.map((pairs, row) => {
          const json = `[${pairs.map(pairText).join(",")}]`;
          return { ...good, params: row % 3 === 1 ? json : { json } };
        });
        const mapped = mapRows(rows, { overrides }).rows.map(({ metadata }) => metadata);
        expect(mapped).toEqual(lists.map(expectedText));
      }),
      { numRuns: propertyRuns(150) },
    );
  });

  type Pair = typeof pair extends fc.Arbitrary<infer T> ? T : never;

  function pairText(each: Pair): string {
    const members = Object.entries(each.value).map(([name, token]) => `"${name}":${token}`);
    const whole = [`"key":${each.key.token}`, `"value":{${members.join(`,${each.space}`)}}`];
    if (each.isReversed) whole.reverse();
    return `${each.space}{${whole.join(`${each.space},`)}${each.space}}`;
  }

  function expectedText(pairs: readonly Pair[]): string {
    const members = new Map<string, { token: string; value: string }>();
    for (const {
      key: { token, text },
      value: from,
    } of pairs) {
      const [name, found] = (["text", "int", "double", "any"] as const)
        .map((one) => [one, from[one] ?? null] as const)
        .find(([, each]) => each !== null) ?? ["any", "null"];
      const isBare = (name === "int" || name === "double") && isNumber(found ?? "");
      const known = members.get(text);
      members.set(text, {
        token: known?.token ?? token,
        value: isBare ? (found ?? "").slice(1, -1) : (found ?? "null"),
      });
    }
    return `{${[...members.values()].map((each) => `${each.token}:${each.value}`).join(",")}}`;
  }

  it("are accepted exactly when JSON.parse finds a list of pairs", () => {
    const pieces = fc.constantFrom(
      '{"key":"a"}',
      '{"key":"b","value":{"any":1}}',
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      "null",
      '"key"',
      "7",
      " ",
      "\n",
      "\u0000",
      "é",
      "\ufeff",
    );
    const text = fc.array(pieces, { maxLength: 8 }).chain((parts) => {
      const inside = parts.join("");
      return fc.constantFrom(
        inside,
        `[${inside}]`,
        `[${parts.join(",")}]`,
        JSON.stringify(`[${inside}]`),
      );
    });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 40 }), (texts) => {
        const rows = texts.map((params) => ({ ...good, params }));
        const mapped = mapRows(rows, { overrides }).rows;
        expect(
          mapped.map(({ metadata, outcome }) =>
            metadata === undefined ? outcome : (JSON.parse(metadata) as unknown),
          ),
        ).toEqual(texts.map((each) => parsedPairs(each) ?? "metadata_not_object"));
      }),
      { numRuns: propertyRuns(150) },
    );
  });
});

/** The object of the pairs that a text holds, undefined where it holds something else. */
function parsedPairs(text: string, mayBeQuoted = true): object | undefined {
  const plain = text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  if (plain === "") return {};
  let list: unknown;
  try {
    list = JSON.parse(plain);
  } catch {
    return undefined;
  }
  if (list === null) return {};
  if (typeof list === "string" && mayBeQuoted) return parsedPairs(list, false);
  if (!Array.isArray(list)) return undefined;
  const entries: [string, unknown][] = [];
  for (const pair of list as unknown[]) {
    if (typeof pair !== "object" || pair === null || !("key" in pair)) return undefined;
    if (typeof pair.key !== "string") return undefined;
    const value = "value" in pair ? (pair.value as { any?: unknown }).any : null;
    entries.push([pair.key, value ?? null]);
  }
  return Object.fromEntries(entries);
}
