import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { mappingSchema } from "../../src/mapper/mapping-schema.js";
import {
  describeOption,
  environmentNameOf,
  flagOf,
  keyOf,
  type OptionName,
  optionNames,
} from "../../src/pipeline/configuration-options.js";
import { configurationSchema } from "../../src/pipeline/configuration-schema.js";

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
  const { type, flag, placeholder, description, default: fallback } = describeOption(name);
  const value = type.placeholder === "" ? "" : ` ${placeholder ?? type.placeholder}`;
  const words = flag === false ? "" : `\`${flagOf(name)}${value.replaceAll("|", "\\|")}\``;
  const cells = [`\`${keyOf(name)}\``, words, `\`${environmentNameOf(name)}\``];
  return `| ${[...cells, description, fallback ?? ""].join(" | ")} |`;
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

test("the schema is a valid JSON Schema 2020-12, strict but for types", () => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, validateFormats: false });
  expect(() => ajv.compile(configurationSchema(mappingSchema))).not.toThrow();
});

test("pipeline.schema.json is the schema of the table and the mapping", async () => {
  const schema = `${JSON.stringify(configurationSchema(mappingSchema), null, 2)}\n`;
  await expectFile("pipeline.schema.json", () => schema);
});
