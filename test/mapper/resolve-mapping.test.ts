import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkValue, faultLines } from "../../src/base/schema.js";
import { planFields } from "../../src/mapper/field-plan.js";
import { mappingChangesSchema } from "../../src/mapper/mapping.js";
import { presetNames, presets } from "../../src/mapper/presets.js";
import { resolveMapping, resolveWritten } from "../../src/mapper/resolve-mapping.js";
import { propertyRuns } from "../support/property-runs.js";

describe("presets", () => {
  it.each(presetNames)("%s is complete", (name) => {
    const { event, timestamp } = resolveMapping(name);
    expect([event.length, timestamp.length]).not.toContain(0);
  });

  it("amplitude requests the fields of the specification's table", () => {
    expect(planFields(resolveMapping("amplitude")).fields).toEqual([
      { path: ["event_type"], form: "text" },
      { path: ["event_time"], form: "text" },
      { path: ["user_id"], form: "text" },
      { path: ["device_id"], form: "text" },
      { path: ["event_properties"], form: "text" },
      { path: ["user_properties"], form: "text" },
    ]);
  });

  it("requests an insert id after the first one only where that is missing", () => {
    const { fields, insertID } = planFields(resolveMapping("amplitude"), true);
    expect(insertID.map((index) => fields[index])).toEqual([
      { path: ["$insert_id"], form: "text" },
      { path: ["uuid"], form: "text", fallbackOf: ["$insert_id"] },
    ]);
  });

  it.each([
    [
      "the first one has exceptions",
      { insertID: [{ field: "first", unless: ["none"] }, "second"] },
    ],
    ["another target has the field", { insertID: ["first", "second"], userID: "second" }],
  ])("requests all insert ids in all rows if %s", (_, changes) => {
    const plan = planFields(resolveWritten({ event: "e", timestamp: "t", ...changes }), true);
    expect(plan.insertID.map((index) => plan.fields[index])).toEqual([
      { path: ["first"], form: "text" },
      { path: ["second"], form: "text" },
    ]);
  });

  it("mixpanel requests the rest of the properties", () => {
    expect(planFields(resolveMapping("mixpanel")).fields).toEqual([
      { path: ["event"], form: "text" },
      { path: ["properties", "time"], form: "text" },
      { path: ["properties", "$user_id"], form: "text" },
      { path: ["properties", "distinct_id"], form: "text" },
      { path: ["properties", "$device_id"], form: "text" },
      {
        path: ["properties"],
        form: "rest",
        except: ["$device_id", "$insert_id", "$user_id", "distinct_id", "time"],
      },
    ]);
  });
});

describe("a resolved mapping", () => {
  it("replaces targets one by one", () => {
    const resolved = resolveMapping("amplitude", changes({ userID: "account", stableID: null }));
    expect(resolved).toEqual({
      ...resolveMapping("amplitude"),
      userID: [{ path: ["account"] }],
      stableID: [],
    });
  });

  it("has every default made explicit", () => {
    const resolved = resolveWritten({
      event: { field: ["a.b", "c"] },
      timestamp: ["x.y", { field: "z", format: "ms", zone: "Asia/Tokyo", shifted: true }],
      metadata: { fields: ["p.q", { field: "r", name: "s" }] },
      user: { rest: "", except: ["noise"] },
    });
    expect(resolved).toEqual({
      event: [{ path: ["a.b", "c"] }],
      timestamp: [
        { path: ["x", "y"], format: "auto", zone: "UTC", shifted: false },
        { path: ["z"], format: "ms", zone: "Asia/Tokyo", shifted: true },
      ],
      userID: [],
      stableID: [],
      value: [],
      insertID: [],
      distinctID: [],
      filter: [],
      metadata: {
        kind: "fields",
        fields: [
          { path: ["p", "q"], name: "q" },
          { path: ["r"], name: "s" },
        ],
      },
      user: { kind: "rest", path: [], except: ["noise", "r", "z"] },
    });
  });

  it("excludes used members directly under a rest, and no deeper ones", () => {
    const { metadata } = resolveWritten({
      event: "p.name",
      timestamp: "p.when.at",
      userID: "q.id",
      stableID: { field: "p.high", joinedWith: "p.low" },
      user: "p.traits",
      metadata: { rest: "p" },
    });
    const except = ["high", "low", "name", "traits"];
    expect(metadata).toEqual({ kind: "rest", path: ["p"], except });
  });

  it("refuses to change or to compare a field that is joined", () => {
    const userID = { field: "a", joinedWith: "b", trim: true, unlessSameAs: "c" };
    expect(() => resolveWritten({ event: "e", timestamp: "t", userID })).toThrow(
      /userID.*trim.*joinedWith.*userID.*unlessSameAs.*joinedWith/s,
    );
  });

  it("resolves the paths of a list's pairs, and excludes the list from a rest", () => {
    const resolved = resolveWritten({
      event: "e",
      timestamp: "t",
      metadata: {
        pairs: ["p.list", { field: ["q.r"] }],
        key: "k",
        value: ["v.a", { field: "v.b", as: "number" }],
      },
      user: { rest: "" },
      filter: { field: "call.type", exclude: ["identify"] },
    });
    expect(resolved).toMatchObject({
      metadata: {
        kind: "pairs",
        lists: [{ path: ["p", "list"] }, { path: ["q.r"] }],
        keys: [{ path: ["k"] }],
        values: [
          { path: ["v", "a"], isNumber: false },
          { path: ["v", "b"], isNumber: true },
        ],
      },
      user: { kind: "rest", path: [], except: ["e", "q.r", "t"] },
      filter: [{ path: ["call", "type"], include: [], exclude: ["identify"] }],
    });
    expect(planFields(resolved).fields.slice(2)).toEqual([
      { path: ["p", "list"], form: "text" },
      { path: ["q.r"], form: "text" },
      { path: [], form: "rest", except: ["e", "q.r", "t"] },
      { path: ["call", "type"], form: "text" },
    ]);
  });

  it("survives a structured clone, as plans and workers need", () => {
    const resolved = resolveMapping("mixpanel");
    expect(structuredClone(resolved)).toEqual(resolved);
  });
});

/** Changes as the configuration has them after it was checked. */
function changes(written: unknown) {
  const { value, faults } = checkValue(mappingChangesSchema, written);
  if (faults !== undefined) throw new Error(faultLines(faults).join("\n"));
  return value;
}

describe("the schema of a mapping", () => {
  it.each<[unknown, string]>([
    [{ evnt: "x" }, "evnt: unknown key; did you mean event?"],
    [{ event: 5 }, "event: must be a string, an object or a list (got 5)"],
    [{ event: [] }, "event: must have at least 1 item (got [])"],
    [{ event: "" }, "event: must not be empty"],
    [
      { event: null },
      "event: every event needs it; name its field, or leave out the key to use the preset's",
    ],
    [
      { timestamp: { field: "t", shifted: "yes" } },
      'timestamp.shifted: must be true or false (got "yes")',
    ],
    [
      { timestamp: { field: "t", format: "s", timezone: "UTC" } },
      "timestamp.timezone: unknown key",
    ],
    [
      { timestamp: { field: "t", zone: "tokyo" } },
      'timestamp.zone: "tokyo" is not an IANA zone; did you mean "Asia/Tokyo"?',
    ],
    [
      { metadata: { fields: ["a.x", "b.x"] } },
      'metadata.fields[1]: is the second field named "x"; give one of them another name',
    ],
    [{ value: { field: "v", unlessPrefix: "x" } }, "value.unlessPrefix: unknown key"],
    [{ metadata: { pairs: "p", key: "k" } }, "metadata: needs the key value"],
    [
      { metadata: { pairs: "p", key: "k", value: { field: "v", as: "text" } } },
      'metadata.value.as: must be number (got "text")',
    ],
    [{ filter: { field: "type" } }, "filter: needs the key include or exclude"],
    [
      { filter: { field: "type", exclude: [] } },
      "filter.exclude: must have at least 1 item (got [])",
    ],
    ["amplitude", 'must be an object (got "amplitude")'],
  ])("refuses %j and says why", (written, line) => {
    const { faults = [] } = checkValue(mappingChangesSchema, written);
    expect(faultLines(faults)).toEqual([line]);
  });

  it.each([
    ["HH:mm", /"HH:mm" cannot be used: it has no year/],
    ["s since 2001-02-30", /"s since .* cannot be used: 2001-02-30 is not a day YYYY-MM-DD/],
    ["days since 30.12.1899", /cannot be used: 30\.12\.1899 is not a day YYYY-MM-DD/],
    ["hours since 2001-01-01", /hours is not a unit that counts from a day; these are s, ms/],
  ])("says why %s is not a time format", (format, message) => {
    const { faults = [] } = checkValue(mappingChangesSchema, { timestamp: { field: "t", format } });
    expect(faultLines(faults)[0]).toMatch(message);
  });

  it("accepts the same as its JSON Schema, except for zones, formats and repeated names", () => {
    const schema = z.toJSONSchema(mappingChangesSchema, { io: "input" });
    const validate = new Ajv2020({ strict: false }).compile(schema);
    for (const name of presetNames) expect(validate(presets[name].mapping)).toBe(true);
    const words = fc.constantFrom("field", "fields", "rest", "pairs", "key", "value", "as", "zone");
    const { target } = fc.letrec((tie) => ({
      target: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom("", "a.b", "number", null, 5),
        fc.array(tie("target"), { maxLength: 3 }),
        fc.dictionary(words, tie("target"), { maxKeys: 3 }),
      ),
    }));
    const mapping = fc.dictionary(fc.constantFrom("event", "value", "user", "filter"), target);
    fc.assert(
      fc.property(mapping, (written) => {
        const lines = faultLines(checkValue(mappingChangesSchema, written).faults ?? []);
        fc.pre(!lines.some((line) => /second field|IANA/.test(line)));
        expect(validate(written), lines.join("\n")).toBe(lines.length === 0);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
