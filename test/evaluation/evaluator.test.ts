import { describe, expect, it } from "vitest";
import { Evaluator } from "../../src/evaluation/evaluator.js";
import { EvaluationUser } from "../../src/evaluation/user.js";
import { propertyRuns } from "../support/property-runs.js";
import { Oracle } from "./oracle.js";
import { randomUser, randomWorld } from "./random-world.js";
import { catalogueOf } from "./world-catalogue.js";

const now = 1_700_000_000_000;

describe("evaluation", () => {
  it("answers as the slow oracle does, for random entities and users", () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= propertyRuns(300); seed += 1) {
      const world = randomWorld(seed * 7919);
      const catalogue = catalogueOf(world);
      for (let at = 0; at < 40; at += 1) {
        const fields = randomUser(seed * 1000 + at);
        const evaluator = new Evaluator(catalogue, new EvaluationUser(fields), { now });
        const oracle = new Oracle(world, fields, now);
        for (const id of [...Object.keys(world.gates), "absent"]) {
          const { passes, ruleID, reason } = evaluator.gate(id);
          seen.add(`gate ${passes} ${reason}`);
          expect({ seed, at, id, value: passes, ruleID }).toEqual({
            seed,
            at,
            id,
            ...oracle.gate(id),
          });
        }
        for (const id of [
          ...Object.keys(world.configs),
          ...Object.keys(world.experiments),
          "absent",
        ]) {
          const { value, ruleID, reason } = evaluator.config(id);
          seen.add(`config ${reason}`);
          expect({ seed, at, id, value, ruleID }).toEqual({ seed, at, id, ...oracle.config(id) });
        }
        for (const id of [...Object.keys(world.layers), "absent"]) {
          const { value, ruleID } = evaluator.layer(id);
          expect({ seed, at, id, value, ruleID }).toEqual({ seed, at, id, ...oracle.layer(id) });
        }
      }
    }
    expect([...seen].sort()).toEqual([
      "config DEFAULT",
      "config DISABLED",
      "config SPLIT",
      "config STATIC",
      "config TARGETING_MATCH",
      "config UNKNOWN",
      "gate false DEFAULT",
      "gate false DISABLED",
      "gate false SPLIT",
      "gate false STATIC",
      "gate false TARGETING_MATCH",
      "gate false UNKNOWN",
      "gate true SPLIT",
      "gate true STATIC",
      "gate true TARGETING_MATCH",
    ]);
  });
});
