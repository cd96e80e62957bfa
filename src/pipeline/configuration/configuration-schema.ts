import {
  defaultSteps,
  describeOption,
  localNameOf,
  type OptionName,
  optionNames,
  stepNames,
} from "./configuration-options.js";
import type { JsonObject, JsonValue, OptionType } from "./configuration-types.js";
import type { Section } from "./option-description.js";

export const SCHEMA_ID = "pipeline.schema.json";

/** Keywords beside those of JSON Schema, which editors know. */
export const editorKeywords = ["allowComments", "allowTrailingCommas"] as const;

/**
 * JSON Schema 2020-12 of `pipeline.config.json`: the options' table as a schema. The package ships it
 * as pipeline.schema.json, which a test compares with this.
 */
export function configurationSchema(mappingSchema: JsonObject): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: SCHEMA_ID,
    title: "Switchyard pipeline",
    // Not of JSON Schema: what tells editors that a .json file of this kind is no strict JSON.
    ...{ allowComments: true, allowTrailingCommas: true },
    type: "object",
    additionalProperties: false,
    properties: {
      $schema: { type: "string", description: "Where this schema is, for editors" },
      steps: {
        type: "array",
        items: { type: "string", enum: stepNames },
        minItems: 1,
        uniqueItems: true,
        description: "What `switchyard migrate` does, in this order",
        default: defaultSteps,
      },
      ...optionProperties(optionNames, undefined),
      mapping: { $ref: "#/$defs/mapping" },
      validate: {
        type: "object",
        additionalProperties: false,
        description: "What `switchyard validate` reads, and where it writes its report",
        properties: optionProperties(optionNames, "validate"),
      },
      export: {
        type: "object",
        additionalProperties: false,
        description: "What `switchyard export` writes, and how",
        properties: optionProperties(optionNames, "export"),
      },
      send: {
        type: "object",
        additionalProperties: false,
        description: "Where `switchyard send` sends events, and how",
        properties: optionProperties(optionNames, "send"),
      },
      qualify: {
        type: "object",
        additionalProperties: false,
        description: "Which qualifying events `switchyard qualify` makes, and where",
        properties: optionProperties(optionNames, "qualify"),
      },
      serve: {
        type: "object",
        additionalProperties: false,
        description: "Where `switchyard serve` listens, and what it keeps where",
        properties: optionProperties(optionNames, "serve"),
      },
    },
    $defs: { mapping: mappingSchema },
  };
}

function optionProperties(names: readonly OptionName[], section: Section | undefined): JsonObject {
  return Object.fromEntries(
    names
      .filter((name) => describeOption(name).section === section)
      .map((name) => {
        const { type, description, default: fallback } = describeOption(name);
        const words = fallback === undefined ? description : `${description}. Default: ${fallback}`;
        const value = defaultOf(type, fallback);
        const known = value === undefined ? {} : { default: value };
        return [localNameOf(name), { ...type.schema, description: words, ...known }];
      }),
  );
}

/** The default as a value, where the words for it are one. */
function defaultOf(
  { schema, fromText }: OptionType<unknown>,
  words: string | undefined,
): JsonValue | undefined {
  if (words === undefined) return undefined;
  const choices = schema["enum"] as readonly string[] | undefined;
  if (choices !== undefined) return choices.includes(words) ? words : undefined;
  const value = fromText(words);
  if (schema["type"] === "boolean") return typeof value === "boolean" ? value : undefined;
  return /^\d/.test(words) ? value : undefined;
}
