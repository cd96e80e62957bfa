import { findSchemaFaults, type SchemaFault } from "../../base/schema-faults.js";
import { closestTo } from "../../base/spelling.js";
import { faultsThatMatter } from "./configuration-choice.js";
import { textFormats } from "./configuration-formats.js";
import type { JsonObject, JsonValue } from "./configuration-types.js";

/** One thing that is wrong: where, as the path of keys, and what. */
export interface ConfigurationProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/** Everything that is wrong with a value at once; empty where nothing is. */
export type Validate = (value: JsonValue) => readonly ConfigurationProblem[];

export function createValidator(schema: JsonObject): Validate {
  return (value) => problemsOf(findSchemaFaults(schema, value, textFormats), schema);
}

function problemsOf(faults: readonly SchemaFault[], schema: JsonObject): ConfigurationProblem[] {
  const unique = new Map<string, ConfigurationProblem>();
  for (const fault of faultsThatMatter(faults)) {
    const problem = { path: pathOf(fault), message: describe(fault, schema) };
    unique.set(JSON.stringify(problem), problem);
  }
  return [...unique.values()];
}

function pathOf(fault: SchemaFault): string[] {
  const path = fault.instancePath
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const unknown = fault.params["additionalProperty"] ?? fault.params["unevaluatedProperty"];
  return unknown === undefined ? path : [...path, String(unknown)];
}

function describe(fault: SchemaFault, schema: JsonObject): string {
  const { keyword, params } = fault;
  switch (keyword) {
    case "additionalProperties":
    case "unevaluatedProperties": {
      const key = String(pathOf(fault).at(-1));
      const elsewhere = pathOf(fault).length > 2 ? [] : placesOf(key, schema);
      if (elsewhere.length > 0) return `unknown key; did you mean ${elsewhere.join(" or ")}?`;
      return `unknown key${suggestion(key, Object.keys(propertiesOf(fault.parentSchema)))}`;
    }
    case "enum": {
      const allowed = (params["allowedValues"] as readonly unknown[]).map(String);
      const near = typeof fault.data === "string" ? suggestion(fault.data, allowed) : "";
      return `must be one of ${allowed.join(", ")}${got(fault.data)}${near}`;
    }
    case "format": {
      const format = textFormats[String(params["format"])];
      if (format?.refuse !== undefined) return format.refuse(String(fault.data));
      return `must be ${format?.expected ?? String(params["format"])}${got(fault.data)}`;
    }
    case "type":
      return `must be ${typeNames(params["type"] as string | readonly string[])}${got(fault.data)}`;
    case "minLength":
      return "must not be empty";
    case "required":
      return `needs the key ${String(params["missingProperty"])}`;
    case "anyOf":
    case "oneOf":
      return `is none of the forms that are allowed here${got(fault.data)}`;
    default:
      return `${fault.message ?? `fails ${keyword}`}${got(fault.data)}`;
  }
}

/** Where in the file, at its root or in a section, there is a key of that name. */
function placesOf(key: string, schema: JsonObject): readonly string[] {
  const root = propertiesOf(schema);
  return [
    ...(Object.hasOwn(root, key) ? [key] : []),
    ...Object.entries(root)
      .filter(([, section]) => Object.hasOwn(propertiesOf(section), key))
      .map(([name]) => `${name}.${key}`),
  ];
}

function propertiesOf(schema: unknown): object {
  return (schema as { readonly properties?: object } | undefined)?.properties ?? {};
}

const typeWords: Readonly<Record<string, string>> = {
  string: "a text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

function typeNames(types: string | readonly string[]): string {
  return [types]
    .flat()
    .map((type) => typeWords[type] ?? type)
    .join(" or ");
}

function suggestion(word: string, known: readonly string[]): string {
  const near = closestTo(word, known);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

function got(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return ` (got ${text.length > 60 ? `${text.slice(0, 57)}…` : text})`;
}
