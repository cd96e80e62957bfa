import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { closestTo } from "../../base/spelling.js";
import { errorsThatMatter } from "./configuration-choice.js";
import { textFormats } from "./configuration-formats.js";
import { editorKeywords } from "./configuration-schema.js";
import type { JsonObject, JsonValue } from "./configuration-types.js";

/** One thing that is wrong: where, as the path of keys, and what. */
export interface ConfigurationProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/** Everything that is wrong with a value at once; empty where nothing is. */
export type Validate = (value: JsonValue) => readonly ConfigurationProblem[];

export function createValidator(schema: JsonObject): Validate {
  const ajv = new Ajv2020({
    ...{ allErrors: true, verbose: true, strictTypes: false },
    // The schema is our own and a test checks it; doing so at every start costs more than the run of
    // a small export.
    ...{ validateSchema: false, meta: false, code: { optimize: false } },
  });
  ajv.addVocabulary([...editorKeywords]);
  for (const [name, format] of Object.entries(textFormats)) ajv.addFormat(name, format.accepts);
  const check = ajv.compile(schema);
  return (value) => (check(value) ? [] : problemsOf(check.errors ?? [], schema));
}

function problemsOf(errors: readonly ErrorObject[], schema: JsonObject): ConfigurationProblem[] {
  const unique = new Map<string, ConfigurationProblem>();
  for (const error of errorsThatMatter(errors)) {
    const problem = { path: pathOf(error), message: describe(error, schema) };
    unique.set(JSON.stringify(problem), problem);
  }
  return [...unique.values()];
}

function pathOf(error: ErrorObject): string[] {
  const path = error.instancePath
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const unknown = error.params["additionalProperty"] ?? error.params["unevaluatedProperty"];
  return unknown === undefined ? path : [...path, String(unknown)];
}

function describe(error: ErrorObject, schema: JsonObject): string {
  const { keyword, params } = error;
  switch (keyword) {
    case "additionalProperties":
    case "unevaluatedProperties": {
      const key = String(pathOf(error).at(-1));
      const elsewhere = pathOf(error).length > 2 ? [] : placesOf(key, schema);
      if (elsewhere.length > 0) return `unknown key; did you mean ${elsewhere.join(" or ")}?`;
      return `unknown key${suggestion(key, Object.keys(propertiesOf(error.parentSchema)))}`;
    }
    case "enum": {
      const allowed = (params["allowedValues"] as readonly unknown[]).map(String);
      const near = typeof error.data === "string" ? suggestion(error.data, allowed) : "";
      return `must be one of ${allowed.join(", ")}${got(error.data)}${near}`;
    }
    case "format": {
      const format = textFormats[String(params["format"])];
      if (format?.refuse !== undefined) return format.refuse(String(error.data));
      return `must be ${format?.expected ?? String(params["format"])}${got(error.data)}`;
    }
    case "type":
      return `must be ${typeNames(params["type"] as string | readonly string[])}${got(error.data)}`;
    case "minLength":
      return "must not be empty";
    case "required":
      return `needs the key ${String(params["missingProperty"])}`;
    case "anyOf":
    case "oneOf":
      return `is none of the forms that are allowed here${got(error.data)}`;
    default:
      return `${error.message ?? `fails ${keyword}`}${got(error.data)}`;
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
