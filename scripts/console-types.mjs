// Writes the types of the console client as plain interfaces. In src/ they are computed from the schemas
// of the contract, which costs a program that imports them seconds of compile time; here the compiler
// computes them once.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import ts from "typescript";

const entry = "src/console/client.ts";
const target = "dist/types/console/client.d.ts";

export function writeConsoleTypes() {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ".");
  const program = ts.createProgram([entry], { ...options, noEmit: true });
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

function exportsOf(checker, file) {
  const symbol = checker.getSymbolAtLocation(file);
  if (symbol === undefined) return [];
  return checker.getExportsOfModule(symbol).map((one) => [one.name, one]);
}

/** Prints types without generics. Object types that have a name become interfaces. */
class TypePrinter {
  #checker;
  /** Text of a type with all names resolved → its name. */
  #names = new Map();
  #expanded = new Map();
  #used = new Map();

  constructor(checker, named) {
    this.#checker = checker;
    for (const [name, type] of named) if (isObject(checker, type)) this.name(type, name);
  }

  name(type, name) {
    const text = this.#expand(type);
    if (!this.#names.has(text)) this.#names.set(text, name);
  }

  print(type) {
    const name = isObject(this.#checker, type) && this.#names.get(this.#expand(type));
    if (!name) return this.#text(type, (inner) => this.print(inner));
    if (!this.#used.has(name)) {
      this.#used.set(name, "");
      this.#used.set(name, this.body(type));
    }
    return name;
  }

  body(type) {
    return this.#members(type, (inner) => this.print(inner));
  }

  interfaces() {
    return [...this.#used].map(([name, members]) => `export interface ${name} ${members}`);
  }

  documentation(symbol) {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker));
    return text === "" ? "" : `/**\n * ${text.replaceAll("\n", "\n * ")}\n */\n`;
  }

  #expand(type) {
    if (!this.#expanded.has(type)) {
      // Stands for the type inside of itself.
      this.#expanded.set(type, "recursive");
      this.#expanded.set(
        type,
        this.#text(type, (inner) => this.#expand(inner)),
      );
    }
    return this.#expanded.get(type);
  }

  #text(type, print) {
    const checker = this.#checker;
    if (type.isUnion()) return this.#union(type, print);
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(type);
      return `${type.symbol.name === "ReadonlyArray" ? "readonly " : ""}(${print(item)})[]`;
    }
    if (isObject(checker, type)) return this.#members(type, print);
    return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
  }

  #union({ types }, print) {
    // An optional property that must not be undefined has another undefined than the real one.
    const missing = (part) =>
      part.flags & ts.TypeFlags.Undefined && part !== this.#checker.getUndefinedType();
    const parts = types.filter((part) => !missing(part)).map(print);
    const isFlag = parts.includes("true") && parts.includes("false");
    const others = parts.filter((part) => !isFlag || (part !== "true" && part !== "false"));
    return [...others, ...(isFlag ? ["boolean"] : [])].sort().join(" | ");
  }

  #members(type, print) {
    const checker = this.#checker;
    const properties = type.getProperties().map((property) => {
      const mark = property.flags & ts.SymbolFlags.Optional ? "?" : "";
      const documentation = this.documentation(property);
      const name = /^\w+$/.test(property.name) ? property.name : JSON.stringify(property.name);
      return `${documentation}${name}${mark}: ${print(checker.getTypeOfSymbol(property))};`;
    });
    const indexes = checker
      .getIndexInfosOfType(type)
      .map(({ keyType, type: value, isReadonly }) => {
        const key = checker.typeToString(keyType);
        return `${isReadonly ? "readonly " : ""}[key: ${key}]: ${print(value)};`;
      });
    return `{\n${[...properties, ...indexes].join("\n")}\n}`;
  }
}

/** True for object types of our own: not arrays, and not types of the language such as AbortSignal. */
function isObject(checker, type) {
  if (type.isIntersection()) return type.types.every((part) => isObject(checker, part));
  if (!(type.flags & ts.TypeFlags.Object) || checker.isArrayType(type)) return false;
  if (checker.isTupleType(type) || type.getCallSignatures().length > 0) return false;
  const [declaration] = type.symbol?.declarations ?? [];
  const file = declaration?.getSourceFile().fileName ?? "";
  return !/node_modules\/(typescript|@types|undici-types)\//.test(file);
}
