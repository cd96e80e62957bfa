import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import { flagOf, localNameOf, optionNames } from "../../src/options/option-names.js";

const source = fileURLToPath(new URL("../../src", import.meta.url));

/** Texts for the command line alone: its help and its summaries. */
const others =
  /^((cli|commands|migration|report|kernels|page)\b|options\/(option-table|\w+-rows)\.ts$)/;

const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !others.test(name))
  .map((name) => ({ name, code: readFileSync(join(source, name), "utf8") }));

/** Returns the texts in code, without commands in backquotes. */
function textsIn(code: string): readonly string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node) => {
    if (
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node)
    )
      texts.push(node.text.replaceAll(/`[^`]*(`|$)/g, ""));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("x.ts", code, ts.ScriptTarget.ES2022));
  return texts;
}

test("no message writes the flag of an option: who prints it names the option", () => {
  const flags = new Set(
    optionNames.flatMap((name) => [flagOf(name), `--no-${flagOf(name).slice(2)}`]),
  );
  const found = files.flatMap(({ name, code }) =>
    textsIn(code).flatMap((text) =>
      (text.match(/(?<![\w./-])--[a-z][a-z\d-]*/g) ?? [])
        .filter((word) => flags.has(word))
        .map((word) => `${name}: ${word}`),
    ),
  );
  expect(found).toEqual([]);
});

test("messages name options of the table", () => {
  const names = new Set<string>(optionNames.map(localNameOf));
  const named = files.flatMap(({ code }) =>
    [...code.matchAll(/\b(?:option|optionOff|flagText)\("(\w+)"\)/g)].map(([, name = ""]) => name),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !names.has(name))).toEqual([]);
});
