import { expect, test } from "vitest";
import type { WrittenMapping } from "../../src/mapper/mapping.js";
import { presetNames, presets } from "../../src/mapper/presets.js";
import { recaseMapping } from "../../src/survey/choose-preset.js";

test("the first step of every path is renamed, and nothing else", () => {
  const mapping = {
    event: ["a", "other.a"],
    userID: { field: "a.b", unlessPrefix: "a" },
    stableID: { field: ["a", "a"] },
    timestamp: "time",
    value: null,
    metadata: { fields: ["a.x", { field: "a.y", name: "a" }] },
    user: { rest: "a", except: ["a"] },
  } satisfies WrittenMapping;
  expect(recaseMapping(mapping, { a: "A" })).toEqual({
    event: ["A", "other.a"],
    userID: { field: "A.b", unlessPrefix: "a" },
    stableID: { field: ["A", "a"] },
    metadata: { fields: ["A.x", { field: "A.y", name: "a" }] },
    user: { rest: "A", except: ["a"] },
  });
});

test("lists of keys and values are found under their names in the rows", () => {
  const { mapping } = presets.ga4;
  const { metadata } = recaseMapping(mapping, { event_params: "EVENT_PARAMS" });
  expect(metadata).toEqual({ ...mapping.metadata, pairs: ["EVENT_PARAMS.list", "EVENT_PARAMS"] });
});

test("a field that another one is compared with is renamed too", () => {
  const changes = recaseMapping(presets.posthog.mapping, { properties: "PROPERTIES" });
  expect(changes.userID).toEqual({
    field: "distinct_id",
    unlessSameAs: "PROPERTIES.$device_id",
  });
});

test.each(presetNames)("%s does not change if the columns have its names", (preset) => {
  expect(recaseMapping(presets[preset].mapping, {})).toEqual({});
});
