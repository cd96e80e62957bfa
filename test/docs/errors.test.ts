import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { codesInTables } from "./tables.js";

const sourceDirectory = fileURLToPath(new URL("../../src", import.meta.url));

/** First arguments of what is thrown, the code of what nobody foresaw, and codes of a source's failure. */
const madePattern =
  /(?:\bnew \w*Error|\bsuper|#error)\(\s*((?:[^,"`()]|"[^"]*"|\([^()]*\))*),|(?:\bDEFECT =|\bsource, code:) ("\w+")|\bcode: ("(?:store|database|disk)_\w+")/g;

function codesInSource(): string[] {
  const files = readdirSync(sourceDirectory, { recursive: true, encoding: "utf8" });
  const codes = files
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(sourceDirectory, file), "utf8"))
    .flatMap((text) =>
      [...text.matchAll(madePattern)].map(([, first, last, store]) => first ?? last ?? store),
    )
    .flatMap((argument) => [...(argument as string).matchAll(/"([a-z][a-z0-9_]*)"/g)])
    .map(([, code]) => code as string);
  return [...new Set(codes)].sort();
}

it("docs/errors.md explains each error code once, and none that does not exist", () => {
  expect(codesInTables("errors.md").sort()).toEqual(codesInSource());
});
