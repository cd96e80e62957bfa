import fc from "fast-check";
import { expect, test } from "vitest";
import { checkEvent } from "../../src/target/check-event.js";
import { type TargetRule, targetRules } from "../../src/target/target-rules.js";
import { loadTarget } from "../../src/target/targets.js";
import { mapRows } from "../support/mapping.js";
import { propertyRuns } from "../support/property-runs.js";

const rules = loadTarget("statsig");

const inner = fc.constantFrom(null, 1, "x", "y".repeat(200), { a: 1 }, [1], {}, "z".repeat(17_000));
const members = (...names: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...names), inner, { maxKeys: 4 });
const event = fc.record({
  event: fc.constantFrom("ok", "$pageview", "a;b", "x".repeat(128), "é".repeat(127), "auto:ok"),
  value: fc.constantFrom(null, 12.5, "short", "v".repeat(127), "v".repeat(128), "\n".repeat(127)),
  metadata: members("plain", "a.b", "a__b", "nested"),
  user: members("email", "$email", "country", "os", "plan"),
});

test("finds in one event what the kernels count in columns", () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 12 }), (events) => {
      const cells = events.map((one) => ({
        event_type: one.event,
        event_time: 1_700_000_000_000,
        user_id: "mina",
        event_properties: { json: JSON.stringify(one.metadata) },
        user_properties: { json: JSON.stringify(one.user) },
        price: one.value === null ? null : { json: JSON.stringify(one.value) },
      }));
      const { notices } = mapRows(cells, {
        overrides: { value: "price" },
        target: { rules, repair: [] },
      });
      const found = events.map((one) => checkEvent(one, rules));
      const breaking = (rule: TargetRule) =>
        found.filter((all) => all.some((one) => one.rule === rule)).length;
      for (const rule of targetRules)
        expect([rule, notices[`target_${rule}`]]).toEqual([rule, breaking(rule)]);
      const lost = found.filter((all) => all.some(({ isLost }) => isLost)).length;
      expect(notices["target_lost"]).toBe(lost);
      expect(notices["target_changed"]).toBe(
        found.filter(({ length }) => length > 0).length - lost,
      );
    }),
    { numRuns: propertyRuns(300) },
  );
});
