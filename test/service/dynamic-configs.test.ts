import { describe, expect, test } from "vitest";
import type { DynamicConfig, DynamicConfigReplace } from "../../src/contract/dynamic-config.js";
import { ServiceError } from "../../src/http/service-error.js";
import {
  createDynamicConfig,
  patchDynamicConfig,
  replaceDynamicConfig,
} from "../../src/service/dynamic-configs.js";
import { countedIdentifiers as identifiers, stamp } from "../support/stamp.js";

const create = (body: object = {}): DynamicConfig =>
  createDynamicConfig({ name: "A Config", ...body }, stamp, identifiers());
const replace = (current: DynamicConfig, body: object = {}): DynamicConfig =>
  replaceDynamicConfig(current, { ...full, ...body }, identifiers());
const patch = (current: DynamicConfig, body: object): DynamicConfig =>
  patchDynamicConfig(current, body, identifiers());
const full: DynamicConfigReplace = { isEnabled: true, description: "", rules: [] };
const rule = (others: object = {}) => ({
  name: "staff",
  passPercentage: 10,
  conditions: [],
  ...others,
});

describe("a new dynamic config", () => {
  test("has defaults for absent fields", () => {
    expect(create()).toEqual({
      id: "a_config",
      name: "A Config",
      description: "",
      idType: "userID",
      isEnabled: true,
      rules: [],
      defaultValue: {},
      defaultValueJson5: "{}",
      schema: null,
      schemaJson5: null,
      tags: [],
      targetApps: [],
      holdoutIDs: [],
      team: null,
      teamID: null,
      releasePipelineID: null,
      isTemplate: false,
      isArchived: false,
      creatorID: "key-1",
      creatorName: "CONSOLE API",
      creatorEmail: null,
      createdTime: 1_700_000_000_000,
      lastModifierID: "key-1",
      lastModifierName: "CONSOLE API",
      lastModifierEmail: null,
      lastModifiedTime: 1_700_000_000_000,
      owner: {
        ownerID: "key-1",
        ownerType: "SDK_KEY",
        ownerName: "CONSOLE API",
        ownerEmail: "",
      },
      version: 1,
    });
  });

  test("keeps what is given", () => {
    const given = {
      id: "mine",
      isEnabled: false,
      targetApps: "web",
      creatorID: "someone",
      isTemplate: true,
      holdoutIDs: ["h"],
    };
    expect(create(given)).toMatchObject(given);
  });

  test("gets the other field of a JSON5 pair, everywhere", () => {
    const variants = [{ name: "big", returnValueJson5: "{size: 2}" }, { returnValue: { size: 1 } }];
    const config = create({
      defaultValueJson5: "{a: 1} // one",
      schemaJson5: "{type: 'object'}",
      rules: [rule({ returnValue: { b: [2] }, variants })],
    });
    expect(config).toMatchObject({
      defaultValue: { a: 1 },
      defaultValueJson5: "{a: 1} // one",
      schema: '{"type":"object"}',
      schemaJson5: "{type: 'object'}",
      rules: [
        {
          returnValue: { b: [2] },
          returnValueJson5: '{"b":[2]}',
          variants: [
            { name: "big", returnValue: { size: 2 }, returnValueJson5: "{size: 2}" },
            { returnValue: { size: 1 }, returnValueJson5: '{"size":1}' },
          ],
        },
      ],
    });
  });

  test("has no return value if a rule has none", () => {
    expect(create({ rules: [rule()] }).rules[0]).not.toHaveProperty("returnValue");
  });
});

describe("the id of a rule", () => {
  const idsOf = (...rules: object[]) =>
    create({
      rules: rules.map((others, place) => rule({ name: `${place}`, ...others })),
    }).rules.map(({ id }) => id);

  test("is <baseID>:<pass percentage>:<position> with two decimals and positions from 1", () => {
    const ids = idsOf({}, { passPercentage: 12.345, baseID: "own" }, { passPercentage: 0 });
    expect(ids).toEqual(["identifier-1:10.00:1", "own:12.35:2", "identifier-2:0.00:3"]);
  });

  test("takes a percentage that is text", () => {
    expect(idsOf({ passPercentage: "7.5" })).toEqual(["identifier-1:7.50:1"]);
  });

  test("has its present percentage and position whatever is given, and gives a base", () => {
    expect(
      idsOf(
        { id: "mine", baseID: "b" },
        { id: "mine:55.00:9" },
        { id: "a:b" },
        { id: "" },
        { id: null, passPercentage: 75 },
      ),
    ).toEqual([
      "b:10.00:1",
      "mine:10.00:2",
      "a:b:10.00:3",
      "identifier-1:10.00:4",
      "identifier-2:75.00:5",
    ]);
  });

  test("needs no name that two rules share", () => {
    const make = () => create({ rules: [rule(), rule({ passPercentage: 20 })] });
    expect(make).toThrow(ServiceError);
    expect(make).toThrow("Duplicate rule name(s) given");
  });
});

describe("a full update", () => {
  const before = create({
    idType: "stableID",
    isTemplate: true,
    creatorID: "someone",
    description: "old",
    tags: ["a"],
    holdoutIDs: ["h"],
    schema: "true",
    defaultValue: { a: 1 },
    rules: [rule()],
  });

  test("resets absent fields to defaults, except those that it cannot have", () => {
    const after = replace(before);
    expect(after).toEqual({
      ...create(),
      idType: "stableID",
      isTemplate: true,
      creatorID: "someone",
    });
  });

  test("derives the absent field of a pair from the given one", () => {
    const pair = { defaultValue: { b: 2 }, defaultValueJson5: '{"b":2}' };
    expect(replace(before, { defaultValue: { b: 2 } })).toMatchObject(pair);
    expect(replace(before, { defaultValueJson5: '{"b":2}' })).toMatchObject(pair);
  });
});

describe("a partial update", () => {
  const before = create({
    defaultValueJson5: "{a: 1} // one",
    schemaJson5: "true // anything",
    team: "core",
    rules: [rule()],
  });

  test("changes only what is given", () => {
    expect(patch(before, { description: "new" })).toEqual({ ...before, description: "new" });
    expect(patch(before, {})).toEqual(before);
    expect(patch(before, { team: null }).team).toBeNull();
  });

  test("of one field of a pair replaces both", () => {
    expect(patch(before, { defaultValue: { b: 2 } })).toMatchObject({
      defaultValue: { b: 2 },
      defaultValueJson5: '{"b":2}',
    });
    expect(patch(before, { schema: '{"type": "object"}' })).toMatchObject({
      schema: '{"type": "object"}',
      schemaJson5: '{"type": "object"}',
    });
    expect(patch(before, { schemaJson5: null })).toMatchObject({ schema: null, schemaJson5: null });
  });
});
