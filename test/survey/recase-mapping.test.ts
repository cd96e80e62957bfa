import { expect, test } from "vitest";
import type { Mapping } from "../../src/mapper/mapping.js";
import { loadPreset, presetNames } from "../../src/mapper/presets.js";
import { recaseMapping } from "../../src/survey/recase-mapping.js";

test("the first step of every path is renamed, and nothing else", () => {
  const mapping = {
    description: "a.b",
    event: ["a", "other.a"],
    userID: { field: "a.b", unlessPrefix: "a" },
    stableID: { field: ["a", "a"] },
    timestamp: "time",
    value: null,
    metadata: { fields: ["a.x", { field: "a.y", name: "a" }] },
    user: { rest: "a", except: ["a"] },
  } as Mapping;
  expect(recaseMapping(mapping, { a: "A" })).toEqual({
    event: ["A", "other.a"],
    userID: { field: "A.b", unlessPrefix: "a" },
    stableID: { field: ["A", "a"] },
    metadata: { fields: ["A.x", { field: "A.y", name: "a" }] },
    user: { rest: "A", except: ["a"] },
  });
});

test("lists of key and value are found under the name that they have", () => {
  const { metadata } = recaseMapping(loadPreset("ga4") as Mapping, {
    event_params: "EVENT_PARAMS",
  });
  const own = (loadPreset("ga4") as { readonly metadata: object }).metadata;
  expect(metadata).toEqual({ ...own, pairs: ["EVENT_PARAMS.list", "EVENT_PARAMS"] });
});

test.each(presetNames)("of %s nothing changes where nothing is called differently", (preset) => {
  expect(recaseMapping(loadPreset(preset) as Mapping, {})).toEqual({});
});
