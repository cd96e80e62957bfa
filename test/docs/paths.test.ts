import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { deadLinks, pagesIn } from "../support/page-links.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "fixtures/README.md",
  ...pagesIn(join(root, "examples")).map((name) => join("examples", name)),
  ...docs.filter((name) => name.endsWith(".md")).map((name) => join("docs", name)),
];

test.each(pages)("files and headings that %s names exist", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const files = [...text.matchAll(/`((?:src|test|bench|scripts)\/[^`\s<*…]+)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(deadLinks(root, page)).toEqual([]);
});

test("docs/README.md leads to every page", () => {
  const index = readFileSync(join(root, "docs/README.md"), "utf8");
  const missing = docs.filter((name) => name.endsWith(".md") && name !== "README.md");
  expect(missing.filter((name) => !index.includes(`(${name})`))).toEqual([]);
});
