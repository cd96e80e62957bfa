// Writes the types of the library's options as plain interfaces. In src/ they are computed from the option
// table; here each member gets its sentence and its default, as pipeline.schema.json has them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import ts from "typescript";
import { exportsOf, isObject, TypePrinter } from "./type-printer.mjs";

export const entry = "src/library/library-options.ts";
const target = "dist/types/library/library-options.d.ts";

/** Interface → option whose value it can be. */
const objects = { CsvDialectOptions: "csvDialect", DedupeMembers: "dedupe" };

/** Interface → sections of the file with its options; the first one that has a name counts. */
const sections = {
  ExportEventsOptions: ["export"],
  ValidateExportOptions: ["validate", "export", "send"],
  SendEventsOptions: ["send", "export"],
  ReadEventsOptions: ["export"],
  IdentitiesOptions: ["export"],
  VerifyExportOptions: ["verify"],
};

export function writeLibraryTypes(program) {
  const checker = program.getTypeChecker();
  const { properties: root } = JSON.parse(readFileSync("pipeline.schema.json", "utf8"));
  let members = root;
  const describe = (name) => (members[name] === undefined ? "" : `${members[name].description}.`);
  const named = exportsOf(checker, program.getSourceFile(entry)).map(([name, symbol]) => {
    const isAlias = symbol.flags & ts.SymbolFlags.Alias;
    const declared = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
    return { name, symbol: declared, type: checker.getDeclaredTypeOfSymbol(declared) };
  });
  const printer = new TypePrinter(
    checker,
    named.map(({ name, type }) => [name, type]),
    describe,
  );
  const texts = named.map(({ name, symbol, type }) => {
    const own = (sections[name] ?? []).map((section) => root[section].properties);
    const option = root[objects[name]];
    members = option === undefined ? merge([root, ...own]) : membersOf(option);
    const documentation = printer.documentation(symbol);
    if (!isObject(checker, type))
      return `${documentation}export type ${name} = ${printer.text(type)};`;
    return `${documentation}export interface ${name} ${printer.body(type)}`;
  });
  const head = [
    "// Written by scripts/library-types.mjs.",
    'import type { FailedSource, RejectedRow } from "./results.js";',
    'import type { Progress } from "./run-control.js";',
  ];
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, [...head, ...texts, ""].join("\n"));
}

/** Objects of members by name; the first that has a name counts. */
function merge(objects) {
  return Object.assign({}, ...objects.toReversed());
}

function membersOf({ anyOf }) {
  return anyOf.find(({ properties }) => properties).properties;
}
