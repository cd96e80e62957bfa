import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { checkValue } from "../../src/base/schema.js";
import { configurationSchema, schemaText } from "../../src/options/configuration-schema.js";
import type { JsonObject, JsonValue } from "../../src/options/json-value.js";
import {
  defaultText,
  describeOption,
  descriptionOf,
  environmentNameOf,
  flagOf,
  keyOf,
  type OptionName,
  optionNames,
  placeholderOf,
} from "../../src/options/option-names.js";

const isUpdate = process.env["SWITCHYARD_UPDATE_GOLDEN"] === "1";

function fileAt(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

async function expectFile(path: string, change: (before: string) => string): Promise<void> {
  const before = await readFile(fileAt(path), "utf8").catch(() => "");
  const after = change(before);
  if (isUpdate && after !== before) await writeFile(fileAt(path), after);
  else expect(before).toBe(after);
}

function rowOf(name: OptionName): string {
  const { flag } = describeOption(name);
  const words = flag === false ? "" : `\`${`${flagOf(name)} ${placeholderOf(name)}`.trim()}\``;
  const cells = [`\`${keyOf(name)}\``, words, `\`${environmentNameOf(name)}\``];
  return `| ${[...cells, descriptionOf(name), defaultText(name) ?? ""].join(" | ")} |`;
}

test("docs/configuration.md has every option of the table", async () => {
  const head =
    "| in the file | flag | environment | what it does | default |\n|---|---|---|---|---|";
  const table = [head, ...optionNames.map(rowOf)].join("\n");
  await expectFile("docs/configuration.md", (before) =>
    before.replace(
      /<!-- options -->.*<!-- \/options -->/s,
      () => `<!-- options -->\n${table}\n<!-- /options -->`,
    ),
  );
  expect(await readFile(fileAt("docs/configuration.md"), "utf8")).toContain(table);
});

const schema = JSON.parse(schemaText()) as JsonObject;

test("the schema is a valid JSON Schema 2020-12, strict but for types", () => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false });
  ajv.addVocabulary(["allowComments", "allowTrailingCommas"]);
  expect(() => ajv.compile(schema)).not.toThrow();
});

/** Members of an object schema that have a default, with what is in them. */
function defaultsIn({ properties = {} }: { readonly properties?: JsonObject }): JsonObject {
  const found: Record<string, JsonValue> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const inner = schema as JsonObject & { readonly properties?: JsonObject };
    const value = inner.properties === undefined ? inner["default"] : defaultsIn(inner);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

test("the defaults of the schema are values that it accepts", () => {
  const defaults = defaultsIn(schema);
  expect(checkValue(configurationSchema(), defaults).faults).toBeUndefined();
  expect(defaults).toMatchObject({
    steps: ["export", "verify"],
    preset: "amplitude",
    maxRowSize: "16MiB",
    maxRatio: 1000,
    json: false,
    serve: { listen: 8080 },
    maxRejects: 0,
    export: { format: "parquet", fresh: false },
  });
  // Words are not values.
  expect(Object.keys(defaults)).not.toContain("includeEvent");
  expect(Object.keys(defaults["export"] as JsonObject)).not.toContain("threads");
});

test("every key of the schema is described, for editors that complete it", () => {
  const undescribed = (schema: JsonObject, path: string): string[] =>
    Object.entries((schema["properties"] ?? {}) as JsonObject).flatMap(([name, inner]) => {
      const { description, $ref } = inner as JsonObject;
      const own = description === undefined && $ref === undefined ? [`${path}${name}`] : [];
      return [...own, ...undescribed(inner as JsonObject, `${path}${name}.`)];
    });
  expect(undescribed(schema, "")).toEqual([]);
});

test("pipeline.schema.json is the schema of the table and the mapping", async () => {
  await expectFile("pipeline.schema.json", schemaText);
});
