// Prints types that are computed in src/ as plain ones, so that programs that import them compile fast and
// editors show them as they are.
import ts from "typescript";

export function createProgram(entries) {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ".");
  return ts.createProgram(entries, { ...options, noEmit: true });
}

export function exportsOf(checker, file) {
  const symbol = checker.getSymbolAtLocation(file);
  if (symbol === undefined) return [];
  return checker.getExportsOfModule(symbol).map((one) => [one.name, one]);
}

/** Prints types without generics. Object types that have a name become interfaces. */
export class TypePrinter {
  #checker;
  /** Text of a type with all names resolved → its name. */
  #names = new Map();
  #expanded = new Map();
  #used = new Map();
  #describe;

  /** `describe` returns the documentation of members that have none in the source. */
  constructor(checker, named, describe = () => "") {
    this.#checker = checker;
    this.#describe = describe;
    for (const [name, type] of named) if (isObject(checker, type)) this.name(type, name);
  }

  name(type, name) {
    const text = this.#expand(type);
    if (!this.#names.has(text)) this.#names.set(text, name);
  }

  print(type) {
    const name = isObject(this.#checker, type) && this.#names.get(this.#expand(type));
    if (!name) return this.text(type);
    if (!this.#used.has(name)) {
      this.#used.set(name, "");
      this.#used.set(name, this.body(type));
    }
    return name;
  }

  body(type) {
    return this.#members(type, (inner) => this.print(inner));
  }

  text(type) {
    return this.#text(type, (inner) => this.print(inner));
  }

  interfaces() {
    return [...this.#used].map(([name, members]) => `export interface ${name} ${members}`);
  }

  documentation(symbol) {
    const own = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker));
    const text = own || this.#describe(symbol.name);
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
export function isObject(checker, type) {
  if (type.isIntersection()) return type.types.every((part) => isObject(checker, part));
  if (!(type.flags & ts.TypeFlags.Object) || checker.isArrayType(type)) return false;
  if (checker.isTupleType(type) || type.getCallSignatures().length > 0) return false;
  const [declaration] = type.symbol?.declarations ?? [];
  const file = declaration?.getSourceFile().fileName ?? "";
  return !/node_modules\/(typescript|@types|undici-types)\//.test(file);
}
