import { z } from "zod";
import { omitUndefined } from "../base/omit-undefined.js";
import { once } from "../base/once.js";
import { mappingChangesSchema } from "../mapper/mapping.js";
import { expectSchema } from "./expectations.js";
import type { JsonValue } from "./json-value.js";
import {
  defaultText,
  describeOption,
  descriptionOf,
  localNameOf,
  type OptionName,
  optionNames,
} from "./option-names.js";
import { sections } from "./option-types.js";

export const SCHEMA_ID = "pipeline.schema.json";

const stepNames = ["fetch", "validate", "export", "send", "qualify", "verify", "ready"] as const;
export type StepName = (typeof stepNames)[number];

/** Steps of a migration if the file lists none. */
export const defaultSteps: readonly StepName[] = ["export", "verify"];

/** Returns true if no step after this one changes or checks an export. */
function isLast(step: StepName, steps: readonly StepName[]): boolean {
  const place = steps.indexOf(step);
  return place === -1 || (["export", "verify"] as const).every((one) => steps.indexOf(one) < place);
}

/** The schema of the configuration file, made from the option table. */
export const configurationSchema = once(() =>
  z.strictObject({
    $schema: z.string().optional().describe("Path of this schema, for editors"),
    steps: z
      .array(z.enum(stepNames))
      .min(1)
      .refine((steps) => new Set(steps).size === steps.length, {
        error: "must not have a step twice",
      })
      .refine((steps) => steps.indexOf("fetch") < 1, {
        error: "must begin with fetch",
      })
      .refine((steps) => isLast("ready", steps), {
        error: "must have ready after export and verify",
      })
      .default([...defaultSteps])
      .meta({ description: "Steps of `switchyard migrate`, in this order", uniqueItems: true }),
    ...optionsOf(undefined, optionNames),
    mapping: mappingChangesSchema.optional(),
    expect: expectSchema().optional(),
    ...sectionsOf(optionNames),
  }),
);

/** The part of it for options that have been given by their names: of few options, it is made sooner. */
export function schemaOfOptions(names: readonly OptionName[]) {
  return z.strictObject({ ...optionsOf(undefined, names), ...sectionsOf(names) });
}

/** Keywords outside of JSON Schema that tell editors that the file is not strict JSON. */
const editorKeywords = { allowComments: true, allowTrailingCommas: true };

/** Returns the text of pipeline.schema.json: JSON Schema 2020-12 of the configuration file. */
export function schemaText(): string {
  const { $schema, ...schema } = z.toJSONSchema(configurationSchema(), {
    io: "input",
    // Zod leaves out the defaults of values that it transforms. Ours are in the form of the file.
    override({ zodSchema, jsonSchema }) {
      const { default: value } = z.globalRegistry.get(zodSchema as z.core.$ZodType) ?? {};
      if (value !== undefined) jsonSchema.default = value as JsonValue;
    },
  });
  const head = { $schema, $id: SCHEMA_ID, title: "Switchyard pipeline", ...editorKeywords };
  return `${JSON.stringify({ ...head, ...schema }, null, 2)}\n`;
}

/** Returns the paths of all keys of that name, at the root and in sections. */
export function pathsOfKey(key: string): readonly string[] {
  const root = Object.keys(configurationSchema().shape).filter((name) => name === key);
  const inSections = optionNames
    .filter((name) => localNameOf(name) === key)
    .flatMap((name) => {
      const { section } = describeOption(name);
      return section === undefined ? [] : [`${section}.${key}`];
    });
  return [...root, ...inSections];
}

function sectionsOf(names: readonly OptionName[]) {
  return Object.fromEntries(
    Object.entries(sections).flatMap(([section, description]) => {
      const members = optionsOf(section, names);
      if (Object.keys(members).length === 0) return [];
      return [[section, z.strictObject(members).optional().describe(description)]];
    }),
  );
}

function optionsOf(
  section: string | undefined,
  names: readonly OptionName[],
): Readonly<Record<string, z.ZodType>> {
  const own = names.filter((name) => {
    const { section: home, alsoIn = [] } = describeOption(name);
    return home === section || alsoIn.some((one) => one === section);
  });
  return Object.fromEntries(own.map((name) => [localNameOf(name), memberOf(name, section)]));
}

function memberOf(name: OptionName, section: string | undefined): z.ZodType {
  const { type, default: value, section: own } = describeOption(name);
  const description = descriptionOf(name);
  if (own !== section) {
    return type
      .schema()
      .optional()
      .meta({ description: `${description}, of this step alone` });
  }
  const words = defaultText(name);
  return type
    .schema()
    .optional()
    .meta({
      description: words === undefined ? description : `${description}. Default: ${words}`,
      ...omitUndefined({ default: value }),
    });
}
