import { describe, expect, test } from "vitest";
import type { CheckFault, SchemaQuestion } from "../../src/service/schema-checker.js";
import { constrainedValues, requireFit } from "../../src/service/schema-fit.js";

const rule = { name: "staff", passPercentage: 10, conditions: [], id: "i", baseID: "b" };
const config = {
  schema: "{}",
  defaultValue: { d: 0 },
  rules: [
    rule,
    {
      ...rule,
      name: "all",
      returnValue: { r: 1 },
      variants: [{ name: "big", returnValue: { v: 2 } }, {}, { returnValue: { v: 3 } }],
    },
  ],
};

function checkerThatFinds(...faults: CheckFault[]) {
  const questions: SchemaQuestion[] = [];
  return {
    questions,
    check: async (question: SchemaQuestion) => {
      questions.push(question);
      return faults;
    },
    close: async () => {},
  };
}

describe("the values that a schema constrains", () => {
  test("are the default value, those of rules and those of variants", () => {
    expect(constrainedValues(config)).toEqual([
      { property: "defaultValue", title: "Default value", value: { d: 0 } },
      {
        property: "rules[1].returnValue",
        title: 'Return value of rule "all"',
        value: { r: 1 },
      },
      {
        property: "rules[1].variants[0].returnValue",
        title: 'Return value of variant "big" of rule "all"',
        value: { v: 2 },
      },
      {
        property: "rules[1].variants[2].returnValue",
        title: 'Return value of variant 2 of rule "all"',
        value: { v: 3 },
      },
    ]);
  });

  test("do not include an empty default value, which may not have been given", () => {
    expect(constrainedValues({ ...config, rules: [], defaultValue: {} })).toEqual([]);
  });
});

describe("the check of a dynamic config", () => {
  test("reports each value that does not fit, with its rule", async () => {
    const checker = checkerThatFinds({ value: 0, reason: "no" }, { value: 1, reason: "never" });
    await expect(requireFit(checker, config)).rejects.toMatchObject({
      status: 400,
      faults: [
        { property: "defaultValue", errorMessage: "Default value does not fit the schema: no" },
        {
          property: "rules[1].returnValue",
          errorMessage: 'Return value of rule "all" does not fit the schema: never',
        },
      ],
    });
  });

  test("reports a faulty schema", async () => {
    const checker = checkerThatFinds({ value: undefined, reason: "bad" });
    await expect(requireFit(checker, config)).rejects.toMatchObject({
      faults: [{ property: "schema", errorMessage: "Is not a usable JSON Schema (2020-12): bad" }],
    });
  });

  test("is not asked without a schema", async () => {
    const checker = checkerThatFinds({ value: 0, reason: "no" });
    await requireFit(checker, { ...config, schema: null });
    expect(checker.questions).toEqual([]);
  });

  test("is checked again only if the schema or a value changed", async () => {
    const checker = checkerThatFinds();
    await requireFit(checker, { ...config }, config);
    expect(checker.questions).toEqual([]);
    await requireFit(checker, { ...config, schema: "true" }, config);
    await requireFit(checker, { ...config, defaultValue: { e: 1 } }, config);
    await requireFit(checker, { ...config, rules: [rule] }, config);
    expect(checker.questions).toHaveLength(3);
  });
});
