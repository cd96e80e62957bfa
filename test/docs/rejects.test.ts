import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { rejectCodes } from "../../src/base/reject-codes.js";
import { rejectAdvice } from "../../src/report/reject-advice.js";
import { codesInTables } from "./tables.js";

it("docs/rejects.md explains each reject code once, and none that does not exist", () => {
  expect(codesInTables("rejects.md")).toEqual(Object.keys(rejectCodes));
});

it("docs/rejects.md gives the advice of the summary", () => {
  const text = readFileSync(new URL("../../docs/rejects.md", import.meta.url), "utf8");
  const rows = text.matchAll(/^\| `(\w+)` \|.*\| (.*) \|$/gm);
  const advice = [...rows].map(([, code, words = ""]) => [code, words.replaceAll("`", "")]);
  expect(Object.fromEntries(advice)).toEqual(rejectAdvice);
});
