import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editConfiguration, type WantedValue } from "../../src/options/configuration-edit.js";

const time = {
  path: ["mapping", "timestamp"],
  value: { field: "t", zone: "Europe/Berlin" },
  line: '"mapping": {"timestamp": …}',
};
const edit = (text: string, wanted: readonly WantedValue[] = [time]) =>
  editConfiguration(text, wanted, "a.json");

describe("a value that is put into a configuration", () => {
  it("leaves comments, layout and everything else as they are", () => {
    const { text, changes } = edit(`// Ours.
{
    "inputs": ["a",   "b"], // both
    /* The mapping */
    "mapping": {
        "timestamp": "t", // UTC?
        "userID": "u",
    },
    "threads": 2
}
`);
    expect(text).toBe(`// Ours.
{
    "inputs": ["a",   "b"], // both
    /* The mapping */
    "mapping": {
        "timestamp": { "field": "t", "zone": "Europe/Berlin" }, // UTC?
        "userID": "u",
    },
    "threads": 2
}
`);
    expect(changes).toEqual([{ path: time.path, before: "t", after: time.value }]);
  });

  it("makes the objects around it", () => {
    expect(JSON.parse(edit('{ "threads": 2 }').text)).toEqual({
      threads: 2,
      mapping: { timestamp: time.value },
    });
    expect(JSON.parse(edit("{}").text)).toEqual({ mapping: { timestamp: time.value } });
  });

  it("keeps tabs, line ends and the byte order mark", () => {
    const { text } = edit('\uFEFF{\r\n\t"threads": 2\r\n}\r\n');
    expect(text.startsWith("\uFEFF{\r\n\t")).toBe(true);
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
    expect(text).toContain(',\r\n\t"mapping": {');
  });

  it.each([
    ["behind a comment", '{\n  "a": 1, // one\n}\n', '{\n  "a": 1, // one\n  "drop": ["x"],\n}\n'],
    [
      "without a comma at the end",
      '{\n  "a": 1 // one\n}',
      '{\n  "a": 1, // one\n  "drop": ["x"]\n}',
    ],
    ["on the line of the others", '{ "a": 1 }', '{ "a": 1, "drop": ["x"] }'],
    [
      "behind the brace of a list",
      '{\n  "a": [\n    1\n  ] }',
      '{\n  "a": [\n    1\n  ],\n  "drop": ["x"] }',
    ],
    ["into a list", '{ "drop": ["w" /* w */] }', '{ "drop": ["w", "x" /* w */] }'],
    [
      "into a list with one item a line",
      '{\n  "drop": [\n    "w", // w\n  ],\n  "export": { "to": "o" },\n}',
      '{\n  "drop": [\n    "w", // w\n    "x",\n  ],\n  "export": { "to": "o" },\n}',
    ],
    [
      "into an object that has only a comment",
      "{\n  // none\n}",
      '{\n  "drop": ["x"]\n  // none\n}',
    ],
  ])("changes only its own line: %s", (_, before, after) => {
    const value = before.includes("drop") ? ["w", "x"] : ["x"];
    expect(edit(before, [{ path: ["drop"], value, line: "" }]).text).toBe(after);
  });

  it("keeps the members beside it in an object", () => {
    const before = '{ "mapping": { "timestamp": { "field": "t" /* t */ } } }';
    expect(edit(before).text).toBe(
      '{ "mapping": { "timestamp": { "field": "t", "zone": "Europe/Berlin" /* t */ } } }',
    );
  });

  it("changes nothing where the file has it already", () => {
    const { text } = edit("{}");
    expect(edit(text)).toEqual({ text, changes: [] });
  });

  it("is the first of several for one path", () => {
    const other = { ...time, value: "other" };
    expect(edit("{}", [time, other]).changes).toHaveLength(1);
    expect(JSON.parse(edit("{}", [time, other]).text).mapping.timestamp).toEqual(time.value);
  });

  it("is merged with others for one path: lists of texts, and exceptions of one field", () => {
    const at = (path: string, value: unknown) => ({ path: path.split("."), value, line: "" });
    const { text, changes } = edit('{ "drop": ["a"] }', [
      at("drop", ["a", "user.email"]),
      at("mapping.userID", { field: "id", unless: ["0"] }),
      at("drop", ["a", "metadata.phone"]),
      at("mapping.userID", { field: "id", unless: ["null"], unlessPrefix: "x" }),
      at("mapping.stableID", [{ field: "d", unless: ["0"] }, "e"]),
      at("mapping.stableID", [{ field: "d" }, "e"]),
      at("mapping.event", { field: "a" }),
      at("mapping.event", { field: "b" }),
    ]);
    expect(JSON.parse(text)).toEqual({
      drop: ["a", "user.email", "metadata.phone"],
      mapping: {
        userID: { field: "id", unless: ["0", "null"], unlessPrefix: "x" },
        stableID: [{ field: "d", unless: ["0"] }, "e"],
        event: { field: "a" },
      },
    });
    expect(changes).toHaveLength(4);
  });

  it("goes into the mapping that init suggests in a comment, so that there is one mapping", () => {
    const { text } = edit(`{
  "preset": "amplitude",
  // To keep the usual ones among the event's properties:
  // "mapping": { "metadata": ["event_properties", { "fields": ["platform"] }] },

  "export": { "to": "out" },
}
`);
    expect(text).toBe(`{
  "preset": "amplitude",
  // To keep the usual ones among the event's properties:
  "mapping": {
    "timestamp": { "field": "t", "zone": "Europe/Berlin" },
    // "metadata": ["event_properties", { "fields": ["platform"] }]
  },

  "export": { "to": "out" },
}
`);
  });

  it.each([
    ["single quotes", "{ 'threads': 2 }"],
    ["names without quotes", "{ threads: 2 }"],
    ["two members of one name", '{ "mapping": {}, "mapping": { "userID": "u" } }'],
  ])("is refused with the line to type in a file with %s", (_, text) => {
    expect(() => edit(text)).toThrow(
      /a\.json is not JSON with comments.+yourself:\n {2}"mapping": \{"timestamp/s,
    );
  });

  it("is all that changes, whatever the file holds", () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(json, fc.constantFrom(0, 2, 4, "\t"), (content, indent) => {
        const safe = { ...content, mapping: { userID: "u" } };
        const { text } = edit(JSON.stringify(safe, null, indent));
        expect(JSON.parse(text)).toEqual(
          JSON.parse(JSON.stringify({ ...safe, mapping: { userID: "u", timestamp: time.value } })),
        );
      }),
    );
  });
});
