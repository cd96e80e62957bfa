import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { z } from "zod";
import { reportSchema } from "../../src/profile/report.js";
import { cleanReport } from "../report/example-report.js";

interface JsonSchema {
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly $id?: string;
  readonly $ref?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly title?: string;
  readonly type?: string;
}

const isUpdate = process.env["SWITCHYARD_UPDATE_GOLDEN"] === "1";

const jsonSchema: JsonSchema = {
  $id: "report.schema.json",
  title: "Switchyard report",
  description: "The result of `switchyard validate`: see docs/report.md.",
  ...(z.toJSONSchema(reportSchema, {
    override: ({ jsonSchema: made }) => {
      delete made.id;
      // Integers are exact up to here anyway.
      if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
      if (made.prefixItems !== undefined) made.minItems = made.maxItems = made.prefixItems.length;
    },
  }) as JsonSchema),
};

function expectFile(path: string, change: (before: string) => string): void {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const before = readFileSync(file, "utf8");
  const after = change(before);
  if (isUpdate) writeFileSync(file, after);
  else expect(before).toBe(after);
}

test("report.schema.json is generated from the schema of reports", () => {
  expectFile("report.schema.json", () => `${JSON.stringify(jsonSchema, null, 2)}\n`);
});

test("the schema is valid JSON Schema 2020-12 and accepts only the members of a report", () => {
  const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(jsonSchema);
  expect(validate(cleanReport), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ ...cleanReport, further: 1 })).toBe(false);
  const { sizes: _, ...rest } = cleanReport;
  expect(validate(rest)).toBe(false);
});

test("the tables of docs/report.md come from the schema", () => {
  const { $defs = {}, properties = {} } = jsonSchema;
  const members = Object.entries(properties).map(([name, schema]) => rowOf(name, schema, true));
  const nested = Object.entries(properties).flatMap(([name, schema]) => rowsBelow(name, schema));
  const shared = Object.entries($defs).flatMap(([name, schema]) => rowsBelow(name, schema));
  const tables = { members, details: [...nested, ...shared] };
  const head = "| member | type | meaning |\n|---|---|---|";
  for (const [name, rows] of Object.entries(tables)) {
    const table = `<!-- ${name} -->\n${[head, ...rows].join("\n")}\n<!-- /${name} -->`;
    const place = new RegExp(`<!-- ${name} -->.*<!-- /${name} -->`, "s");
    expectFile("docs/report.md", (before) => {
      expect(before).toMatch(place);
      return before.replace(place, () => table);
    });
  }
});

/** Rows of the members of an object, or of the objects of a list. */
function rowsBelow(path: string, schema: JsonSchema): readonly string[] {
  const { anyOf, items, properties, required = [] } = schema;
  if (anyOf?.[0] !== undefined) return rowsBelow(path, anyOf[0]);
  if (items !== undefined) return rowsBelow(`${path}[]`, items);
  return Object.entries(properties ?? {}).flatMap(([name, member]) => [
    rowOf(`${path}.${name}`, member, required.includes(name)),
    ...rowsBelow(`${path}.${name}`, member),
  ]);
}

function rowOf(path: string, schema: JsonSchema, isRequired: boolean): string {
  const type = `${typeOf(schema)}${isRequired ? "" : ", optional"}`;
  return `| \`${path}\` | ${type} | ${schema.description ?? ""} |`;
}

function typeOf({ $ref, anyOf, const: literal, enum: values, items, type }: JsonSchema): string {
  if ($ref !== undefined) return `\`${$ref.replace("#/$defs/", "")}\``;
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ");
  if (literal !== undefined) return JSON.stringify(literal);
  if (values !== undefined && values.length <= 4)
    return values.map((one) => `"${one}"`).join(" or ");
  if (type !== "array") return type ?? "any";
  return items === undefined ? "array" : `array of ${typeOf(items)}`;
}
