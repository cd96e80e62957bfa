// Writes the types of the console client as plain interfaces. In src/ they are computed from the schemas
// of the contract, which costs a program that imports them seconds of compile time; here the compiler
// computes them once.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import ts from "typescript";
import { exportsOf, TypePrinter } from "./type-printer.mjs";

export const entry = "src/console/client.ts";
const target = "dist/types/console/client.d.ts";

export function writeConsoleTypes(program) {
  const checker = program.getTypeChecker();
  const exported = new Map(exportsOf(checker, program.getSourceFile(entry)));
  const printer = new TypePrinter(checker, contractTypes(program, checker));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, clientText(checker, exported, printer));
}

function clientText(checker, exported, printer) {
  const typeOf = (name) => checker.getDeclaredTypeOfSymbol(exported.get(name));
  const docOf = (name) => printer.documentation(exported.get(name));
  const methods = [];
  const lists = [];
  for (const method of typeOf("ConsoleClient").getProperties()) {
    if (method.name === "all") continue;
    const [call] = checker.getSignaturesOfType(
      checker.getTypeOfSymbol(method),
      ts.SignatureKind.Call,
    );
    const [parameter] = call.parameters;
    const input = checker.getNonNullableType(checker.getTypeOfSymbol(parameter));
    const inputName = `${method.name[0].toUpperCase()}${method.name.slice(1)}Input`;
    printer.name(input, inputName);
    const mark = parameter.valueDeclaration?.questionToken === undefined ? "" : "?";
    const [answer] = checker.getTypeArguments(call.getReturnType());
    methods.push(
      `${method.name}(input${mark}: ${printer.print(input)}): Promise<${printer.print(answer)}>;`,
    );
    if (answer.getProperty("pagination") === undefined) continue;
    const [item] = checker.getTypeArguments(checker.getTypeOfSymbol(answer.getProperty("data")));
    lists.push(
      `all(operation: "${method.name}", input${mark}: ${printer.print(input)}): AsyncIterable<${printer.print(item)}>;`,
    );
  }
  return [
    "// Written by scripts/console-types.mjs.",
    'export { ConsoleError, ConsoleUnreachableError } from "./console-error.js";',
    `${docOf("ConsoleClientOptions")}export interface ConsoleClientOptions ${printer.body(typeOf("ConsoleClientOptions"))}`,
    `${docOf("ConsoleClient")}export interface ConsoleClient {\n${methods.join("\n")}`,
    `/** Returns every item of a list; pages are requested as the items are read. */\n${lists.join("\n")}\n}`,
    `${docOf("createConsoleClient")}export declare function createConsoleClient(options: ConsoleClientOptions): ConsoleClient;`,
    ...printer.interfaces(),
    "",
  ].join("\n");
}

/** Returns the object types that the contract exports, with their names. */
function contractTypes(program, checker) {
  return program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(resolve("src/contract")))
    .filter(({ fileName }) => !/openapi|routes?\.ts$/.test(fileName))
    .flatMap((file) => exportsOf(checker, file))
    .filter(([, { declarations: [first] = [] }]) => {
      return first !== undefined && ts.isTypeAliasDeclaration(first) && !first.typeParameters;
    })
    .map(([name, symbol]) => [name, checker.getDeclaredTypeOfSymbol(symbol)]);
}
