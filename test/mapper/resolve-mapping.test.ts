import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/base/errors.js";
import { planFields } from "../../src/mapper/field-plan.js";
import { mappingSchema } from "../../src/mapper/mapping-schema.js";
import { loadPreset, presetNames } from "../../src/mapper/presets.js";
import { resolveMapping } from "../../src/mapper/resolve-mapping.js";

describe("presets", () => {
  it.each(presetNames)("%s fits the schema and is complete", (name) => {
    const validate = new Ajv2020({
      strict: true,
      strictTypes: false,
      validateFormats: false,
    }).compile(mappingSchema);
    expect(validate(loadPreset(name)), JSON.stringify(validate.errors)).toBe(true);
    expect(resolveMapping(name).event).not.toEqual([]);
  });

  it("that do not exist are refused with those that do", () => {
    expect(() => resolveMapping("heap")).toThrow(UsageError);
    expect(() => resolveMapping("toString")).toThrow(
      'Unknown preset "toString". There are: amplitude, mixpanel, posthog, ga4, segment, rudderstack.',
    );
  });

  it("amplitude asks the readers for the specification's table", () => {
    expect(planFields(resolveMapping("amplitude")).fields).toEqual([
      { path: ["event_type"], form: "text" },
      { path: ["event_time"], form: "text" },
      { path: ["user_id"], form: "text" },
      { path: ["device_id"], form: "text" },
      { path: ["event_properties"], form: "text" },
      { path: ["user_properties"], form: "text" },
    ]);
  });

  it("mixpanel asks for what is left of the properties", () => {
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

describe("resolveMapping", () => {
  it("replaces targets one by one", () => {
    const resolved = resolveMapping("amplitude", { userID: "account", stableID: null });
    expect(resolved).toEqual({
      ...resolveMapping("amplitude"),
      userID: [{ path: ["account"] }],
      stableID: [],
    });
  });

  it("says all that is left unsaid", () => {
    const resolved = resolveMapping(undefined, {
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
      filter: null,
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

  it("leaves out of a rest what stands directly under it, and no deeper", () => {
    const { metadata } = resolveMapping(undefined, {
      event: "p.name",
      timestamp: "p.when.at",
      userID: "q.id",
      user: "p.traits",
      metadata: { rest: "p" },
    });
    expect(metadata).toEqual({ kind: "rest", path: ["p"], except: ["name", "traits"] });
  });

  it("knows where the pairs of a list stand, and leaves the list out of a rest", () => {
    const resolved = resolveMapping(undefined, {
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
      filter: { path: ["call", "type"], include: [], exclude: ["identify"] },
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

  it.each<[unknown, RegExp]>([
    [{ evnt: "x" }, /The mapping is not valid: it must NOT have additional properties \(evnt\)/],
    [{ event: 5 }, /\/event must be/],
    [{ event: [] }, /\/event must NOT have fewer than 1 items/],
    [{ event: "" }, /\/event must NOT have fewer than 1 characters/],
    [{ timestamp: { field: "t", shifted: "yes" } }, /\/timestamp\/shifted must be boolean/],
    [{ timestamp: { field: "t", format: "s", timezone: "UTC" } }, /timezone/],
    [{ timestamp: { field: "t", zone: "Mars" } }, /Unknown time zone: "Mars"/],
    [{ timestamp: { field: "t", format: "HH:mm" } }, /"HH:mm" cannot be used: it names no year/],
    [{ metadata: { fields: ["a.x", "b.x"] } }, /two fields named "x"/],
    [{ value: { field: "v", unlessPrefix: "x" } }, /unlessPrefix/],
    [{ metadata: { pairs: "p", key: "k" } }, /must have required property 'value'/],
    [
      { metadata: { pairs: "p", key: "k", value: { field: "v", as: "text" } } },
      /value\/as must be/,
    ],
    [{ filter: { field: "type" } }, /\/filter must NOT have fewer than 2 properties/],
    [{ filter: { field: "type", exclude: [] } }, /\/filter\/exclude must NOT have fewer than 1/],
    ["amplitude", /it must be object/],
  ])("refuses %j and says why", (overrides, message) => {
    expect(() => resolveMapping("amplitude", overrides)).toThrow(UsageError);
    expect(() => resolveMapping("amplitude", overrides)).toThrow(message);
  });

  it("refuses a mapping without an event or a time", () => {
    expect(() => resolveMapping(undefined, { event: "e" })).toThrow(/The mapping has no timestamp/);
    expect(() => resolveMapping("amplitude", { event: null })).toThrow(/The mapping has no event/);
  });
});
