import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { findingCodes } from "../../src/report/findings/finding-codes.js";
import { codesInTables } from "./tables.js";

it("docs/findings.md explains each finding once, and none that does not exist", () => {
  expect(codesInTables("findings.md")).toEqual(Object.keys(findingCodes));
});

it("docs/findings.md says how bad each is", () => {
  const text = readFileSync(new URL("../../docs/findings.md", import.meta.url), "utf8");
  const rows = [...text.matchAll(/^\| `([a-z_]+)` \| (\w+) \|/gm)].map(([, code, word]) => [
    code,
    word,
  ]);
  expect(Object.fromEntries(rows)).toEqual(findingCodes);
});
