import { z } from "zod";

/** Faults of one request that are told one by one. */
export const FAULTS_MAX = 100;

/**
 * A list whose items are looked at until more faults than FAULTS_MAX are found: nobody is told the
 * others, and finding them would hold up every other request for seconds.
 */
export function list<Item extends z.ZodType>(item: Item): z.ZodArray<Item> {
  return new BoundedArray({ type: "array", element: item }) as unknown as z.ZodArray<Item>;
}

const BoundedArray = z.core.$constructor<z.ZodArray, z.core.$ZodArrayDef>(
  "BoundedArray",
  (inst, def) => {
    z.ZodArray.init(inst as never, def);
    const parseWhole = inst._zod.parse;
    inst._zod.parse = (payload, context) => {
      const items: unknown = payload.value;
      if (!Array.isArray(items)) return parseWhole(payload, context);
      const values: unknown[] = [];
      payload.value = values;
      for (const [index, value] of items.entries()) {
        // No schema of the contract is asynchronous.
        const result = def.element._zod.run({ value, issues: [] }, context) as typeof payload;
        values.push(result.value);
        payload.issues.push(...z.core.util.prefixIssues(index, result.issues));
        if (payload.issues.length > FAULTS_MAX) break;
      }
      return payload;
    };
  },
);
