import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { findingCodes } from "../../../src/report/findings/finding-codes.js";

const isUpdate = process.env["SWITCHYARD_UPDATE_GOLDEN"] === "1";
const root = fileURLToPath(new URL("../../../", import.meta.url));

it("every code is used by a finder", () => {
  const directory = join(root, "src/report/findings");
  const text = readdirSync(directory)
    .filter((file) => !["finding-codes.ts", "findings.ts"].includes(file))
    .map((file) => readFileSync(join(directory, file), "utf8"))
    .join("\n");
  const unused = Object.keys(findingCodes).filter((code) => !text.includes(`"${code}"`));
  expect(unused).toEqual([]);
});

it("docs/findings.md has the table of codes", () => {
  const rows = Object.entries(findingCodes).map(
    ([code, { severity, when, fix }]) => `| \`${code}\` | ${severity} | ${when} | ${fix} |`,
  );
  const head = "| code | severity | reported when | fix |\n|---|---|---|---|";
  const table = `<!-- codes -->\n${[head, ...rows].join("\n")}\n<!-- /codes -->`;
  const file = join(root, "docs/findings.md");
  const before = readFileSync(file, "utf8");
  const after = before.replace(/<!-- codes -->.*<!-- \/codes -->/s, () => table);
  if (isUpdate) writeFileSync(file, after);
  else expect(before).toBe(after);
  expect(after).toContain(table);
});
