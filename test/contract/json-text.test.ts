import { describe, expect, test } from "vitest";
import {
  DOCUMENT_DEPTH_MAX,
  isSameJson,
  JSON5_CHARACTERS_MAX,
  Json5Reader,
  jsonFault,
  readJson,
} from "../../src/contract/json-text.js";

const depthMax = DOCUMENT_DEPTH_MAX;
const read = (text: string) => new Json5Reader().read(text, depthMax);

describe("JSON5", () => {
  test.each([
    ["{a: 1, // one\n}", { a: 1 }],
    ["/* first */ {'a': .5, \"b\": +0x1F}", { a: 0.5, b: 31 }],
    ["{$key: 'it\\'s', list: [1, 2,],}", { $key: "it's", list: [1, 2] }],
    ["[]", []],
    ['"text"', "text"],
    ["null", null],
  ])("%s has the value %j", (text, value) => {
    expect(read(text)).toEqual({ value });
  });

  test.each([
    ["{a: 1", "Is not valid JSON5: line 1, column 6: invalid end of input"],
    ["{\n  a: ?\n}", "Is not valid JSON5: line 2, column 6: invalid character '?'"],
    ["", "Is not valid JSON5: line 1, column 1: invalid end of input"],
    ["{a: Infinity}", "Contains Infinity, which is not a JSON number"],
    ["[NaN]", "Contains NaN, which is not a JSON number"],
    ["[1e999]", "Contains Infinity, which is not a JSON number"],
    ["{__proto__: {admin: true}}", "Contains the forbidden key __proto__"],
    ['{"__proto__": 1}', "Contains the forbidden key __proto__"],
    ["{constructor: {prototype: {}}}", "Contains the forbidden key constructor"],
  ])("%j is refused: %s", (text, fault) => {
    expect(read(text)).toEqual({ fault });
  });

  test("a harmless key called constructor is accepted", () => {
    expect(read("{constructor: 'Smith'}")).toEqual({ value: { constructor: "Smith" } });
  });

  test("may be nested up to the given depth", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}/**/${"]".repeat(depth)}`;
    expect(read(nested(depthMax))).toHaveProperty("value");
    const fault = `Is nested deeper than ${depthMax} levels`;
    expect(read(nested(depthMax + 1))).toEqual({ fault });
    expect(read("[".repeat(50_000) + "]".repeat(50_000))).toEqual({ fault });
  });

  test("has a maximum length for each request; plain JSON does not count", () => {
    const reader = new Json5Reader();
    const half = `{}//${" ".repeat(JSON5_CHARACTERS_MAX / 2 - 4)}`;
    expect(reader.read(half, depthMax)).toEqual({ value: {} });
    expect(reader.read(JSON.stringify("x".repeat(200_000)), depthMax)).toHaveProperty("value");
    expect(reader.read(half, depthMax)).toEqual({ value: {} });
    expect(reader.read("{}//", depthMax)).toEqual({
      fault:
        "Is too long for JSON5 that is not plain JSON: at most 100000 characters in one request",
    });
  });
});

describe("JSON", () => {
  test("does not accept JSON5", () => {
    expect(readJson('{"a": 1}', depthMax)).toEqual({ value: { a: 1 } });
    for (const text of ["{a: 1}", '{"a": 1,}', "{} // none", "'a'", ""]) {
      expect(readJson(text, depthMax)).toEqual({
        fault: expect.stringMatching(/^Is not valid JSON: ./),
      });
    }
  });

  test("refuses values that JSON cannot represent", () => {
    expect(jsonFault({ a: [1, "x", null, true, {}] }, 3)).toBeUndefined();
    expect(jsonFault({ a: [Number.POSITIVE_INFINITY] }, 3)).toMatch(/^Contains Infinity/);
  });
});

test.each([
  [{ a: 1, b: [{}] }, { b: [{}], a: 1 }, true],
  [0, -0, true],
  [{ a: 1 }, { a: 1, b: undefined }, false],
  [{ a: undefined }, { b: undefined }, false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [null, {}, false],
  [{ a: 1 }, { a: "1" }, false],
  [{ toString: 1 }, {}, false],
  [{}, { toString: 1 }, false],
])("%j and %j are the same JSON: %s", (one, other, same) => {
  expect(isSameJson(one, other)).toBe(same);
  expect(isSameJson(other, one)).toBe(same);
});
