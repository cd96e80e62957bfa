import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { reportSchema } from "../../src/profile/report-schema.js";
import { cleanReport } from "../report/example-report.js";

const isUpdate = process.env["SWITCHYARD_UPDATE_GOLDEN"] === "1";

function fileAt(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

test("report.schema.json is the schema of reports", () => {
  const schema = `${JSON.stringify(reportSchema, null, 2)}\n`;
  const path = fileAt("report.schema.json");
  if (isUpdate) writeFileSync(path, schema);
  expect(readFileSync(path, "utf8")).toBe(schema);
});

test("the schema is a valid JSON Schema 2020-12 that knows each member of a report", () => {
  const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(reportSchema);
  expect(validate(cleanReport), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ ...cleanReport, further: 1 })).toBe(false);
});

test("docs/report.md explains every member of a report", () => {
  const text = readFileSync(fileAt("docs/report.md"), "utf8");
  const missing = Object.keys(reportSchema.properties).filter((key) => !text.includes(`\`${key}`));
  expect(missing).toEqual([]);
});
