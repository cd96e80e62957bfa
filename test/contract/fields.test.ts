import { describe, expect, it } from "vitest";
import { z } from "zod";
import { faultsOf } from "../../src/contract/faults.js";
import { nameLike, numeric, withRule } from "../../src/contract/fields.js";
import { conditionTypes, ruleRequest } from "../../src/contract/rule.js";

function faults(schema: z.ZodType, value: unknown) {
  const parsed = schema.safeParse(value, { reportInput: true });
  return parsed.success ? [] : faultsOf(parsed.error);
}

const messages = (schema: z.ZodType, value: unknown) =>
  faults(schema, value).map(({ errorMessage }) => errorMessage);

describe("a number", () => {
  it.each([0, -1.5, 1e21, "0", "12", "-1.5", "1e3", "99999999999999999999"])(
    "may be %j and is echoed unchanged",
    (value) => {
      expect(numeric("").parse(value)).toBe(value);
    },
  );

  it.each([
    [true, "Expected number, received boolean"],
    [null, "Expected number, received null"],
    [[], "Expected number, received array"],
    [{}, "Expected number, received object"],
    ["", "Expected number, received string"],
    ["1,5", "Expected number, received string"],
    [" 1", "Expected number, received string"],
    ["0x10", "Expected number, received string"],
    ["NaN", "Expected number, received string"],
    ["1e999", "Expected a finite number"],
    [Number.POSITIVE_INFINITY, "Expected a finite number"],
  ])("is not %j", (value, message) => {
    expect(messages(numeric(""), value)).toEqual([message]);
  });

  it.each([
    [{ min: 0, max: 100 }, [0, 100, "0", "100.0"], [-0.001, 100.001, "101"]],
    [{ min: 0, below: 1_000 }, [0, 999.999], [-1, 1_000, "1000"]],
    [{ above: 1, integer: true }, [2, "2"], [1, 0, 1.5, "1.5"]],
    [{ oneOf: [-1, 1, 7] }, [-1, 1, 7, "7"], [0, 2, 30]],
    [
      { integer: true },
      [3, "3", 3.0, "-9223372036854775808"],
      [0.5, "0.5", 2 ** 53, "-9223372036854775809"],
    ],
  ])("respects the bounds %j", (bounds, taken, refused) => {
    const schema = numeric("", bounds);
    expect(taken.filter((value) => !schema.safeParse(value).success)).toEqual([]);
    expect(refused.filter((value) => schema.safeParse(value).success)).toEqual([]);
  });
});

describe("faults", () => {
  const body = z.object({
    name: nameLike(/^[a-z]*$/, ""),
    kind: z.enum(["a", "b"]),
    rules: z.array(ruleRequest),
  });

  it("have a path with indexes and a reason, all at once", () => {
    const value = {
      name: "A",
      rules: [
        {
          name: "r",
          passPercentage: 101,
          conditions: [{ type: "public" }, { type: "public", operator: 1 }],
        },
      ],
    };
    expect(faults(body, value)).toEqual([
      { property: "name", errorMessage: "Must be at least 3 characters" },
      { property: "name", errorMessage: "Must match /^[a-z]*$/" },
      { property: "kind", errorMessage: "Required" },
      {
        property: "rules[0].passPercentage",
        errorMessage: "Must be less than or equal to 100",
      },
      {
        property: "rules[0].conditions[1].operator",
        errorMessage: "Expected string, received number",
      },
    ]);
  });

  it("name the whole body with an empty property", () => {
    expect(faults(body, [])).toEqual([
      { property: "", errorMessage: "Expected object, received array" },
    ]);
  });

  it("list the known values", () => {
    const value = { type: "moon_phase" };
    const [fault] = faults(ruleRequest.shape.conditions, [value]);
    expect(fault?.property).toBe("[0].type");
    for (const type of conditionTypes) expect(fault?.errorMessage).toContain(type);
  });

  it("of a rule across fields are reported with those of single fields", () => {
    const schema = withRule(z.object({ low: z.number(), high: z.number() }), (value) => {
      const { low, high } = value as { low: number; high: number };
      return low > high ? [{ path: ["high"], message: "Must be at least low" }] : [];
    });
    expect(faults(schema, { low: 2, high: 1 })).toEqual([
      { property: "high", errorMessage: "Must be at least low" },
    ]);
    const both = withRule(z.object({ low: z.number() }), () => [{ path: ["x", 0], message: "no" }]);
    expect(faults(both, {})).toEqual([
      { property: "low", errorMessage: "Required" },
      { property: "x[0]", errorMessage: "no" },
    ]);
  });
});

describe("a rule's target value", () => {
  const condition = (targetValue: unknown) => ({ type: "user_id", targetValue });

  it.each(["a", 1, ["a", "b"], [1, 2], null, []])("may be %j", (value) => {
    expect(ruleRequest.shape.conditions.parse([condition(value)])).toEqual([condition(value)]);
  });

  it.each([true, {}, [true], ["a", 1]])("may not be %j", (value) => {
    expect(faults(ruleRequest.shape.conditions, [condition(value)])).toEqual([
      {
        property: "[0].targetValue",
        errorMessage: "Expected string, number, array of strings, array of numbers or null",
      },
    ]);
  });
});
