import type { DynamicConfig } from "../contract/dynamic-config.js";
import type { Fault } from "../contract/faults.js";
import type { AnyObject } from "../contract/fields.js";
import { invalid } from "../http/service-error.js";
import type { SchemaChecker } from "./schema-checker.js";

/** A value that must fit the schema of its dynamic config. */
interface ConstrainedValue {
  readonly property: string;
  /** Name of the value in messages. */
  readonly title: string;
  readonly value: AnyObject;
}

type Constrained = Pick<DynamicConfig, "schema" | "defaultValue" | "rules">;

/**
 * Returns the default value and the return values of rules and variants. Omits an empty default value:
 * it means that there is none.
 */
export function constrainedValues({ defaultValue, rules }: Constrained): ConstrainedValue[] {
  const ofRules = rules.flatMap(({ name, returnValue, variants = [] }, index) => {
    const property = `rules[${index}]`;
    const title = `rule "${name}"`;
    return [
      ...constrained(`${property}.returnValue`, `Return value of ${title}`, returnValue),
      ...variants.flatMap((variant, index) =>
        constrained(
          `${property}.variants[${index}].returnValue`,
          `Return value of variant ${variant.name === undefined ? index : `"${variant.name}"`} of ${title}`,
          variant.returnValue,
        ),
      ),
    ];
  });
  const isEmpty = Object.keys(defaultValue).length === 0;
  return [
    ...constrained("defaultValue", "Default value", isEmpty ? undefined : defaultValue),
    ...ofRules,
  ];
}

function constrained(
  property: string,
  title: string,
  value: AnyObject | undefined,
): ConstrainedValue[] {
  return value === undefined ? [] : [{ property, title, value }];
}

/**
 * Throws a 400 if the schema is not valid or values do not fit it. Does nothing if schema and values are
 * those of `before`, which are checked already. `schemaField` is the field that the client sent.
 */
export async function requireFit(
  checker: SchemaChecker,
  next: Constrained,
  before?: Constrained,
  schemaField = "schema",
): Promise<void> {
  const { schema } = next;
  if (schema === null || isSame(next, before)) return;
  const values = constrainedValues(next);
  const faults = await checker.check({ schema, values: values.map(({ value }) => value) });
  if (faults.length === 0) return;
  throw invalid(
    faults.map(({ value: index, reason }): Fault => {
      const at = index === undefined ? undefined : values[index];
      if (at === undefined) {
        return {
          property: schemaField,
          errorMessage: `Is not a usable JSON Schema (2020-12): ${reason}`,
        };
      }
      const { property, title } = at;
      return { property, errorMessage: `${title} does not fit the schema: ${reason}` };
    }),
  );
}

function isSame(next: Constrained, before: Constrained | undefined): boolean {
  return (
    before !== undefined &&
    next.schema === before.schema &&
    next.defaultValue === before.defaultValue &&
    next.rules === before.rules
  );
}
