import type { SchemaQuestion } from "../../src/service/schema-checker.js";

/** Names of schemas whose check takes longer than anybody would wait. */
export const bombNames = ["pattern", "branching", "uniqueItems", "compilation"] as const;

export function bomb(name: (typeof bombNames)[number]): SchemaQuestion {
  const [schema, value] = parts[name]();
  return { schema: JSON.stringify(schema), values: [value] };
}

const parts = {
  pattern: () => [{ properties: { a: { pattern: "^(a+)+$" } } }, { a: `${"a".repeat(60)}!` }],
  branching: () => [branching({ type: "string" }), {}],
  uniqueItems: () => [
    { properties: { a: { uniqueItems: true } } },
    { a: Array.from({ length: 200_000 }, (_, index) => ({ index })) },
  ],
  compilation: () => [
    {
      properties: Object.fromEntries(
        Array.from({ length: 100_000 }, (_, index) => [`p${index}`, { type: "string" }]),
      ),
    },
    {},
  ],
} as const satisfies Record<string, () => readonly [object, Readonly<Record<string, unknown>>]>;

/** Each of 60 levels asks the next one twice, and `leaf` in the end 2^60 times. */
function branching(leaf: object): object {
  const levels = Array.from({ length: 60 }, (_, level) => {
    const next = { $ref: `#/$defs/level${level}` };
    return [`level${level + 1}`, { anyOf: [next, next] }];
  });
  return { $defs: { level0: leaf, ...Object.fromEntries(levels) }, $ref: "#/$defs/level60" };
}
