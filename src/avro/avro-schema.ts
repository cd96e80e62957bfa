import { AvroError } from "./avro-input.js";
import {
  fixedWriter,
  type LogicalSchema,
  logicalWriter,
  primitives,
  type WriteValue,
} from "./avro-values.js";

/** Levels of a schema, which is read by recursion. */
const SCHEMA_DEPTH_MAX = 500;

/** Bytes of a value of type fixed. */
const FIXED_BYTES_MAX = 16 * 1024 * 1024;

const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/** The parsed JSON of a schema, or of a field. */
interface Schema {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly namespace?: unknown;
  readonly fields?: unknown;
  readonly symbols?: unknown;
  readonly items?: unknown;
  readonly values?: unknown;
  readonly size?: unknown;
}

/** The position in a schema. */
interface Scope {
  /** Names without dots are names in it; "" is none. */
  readonly namespace: string;
  readonly depth: number;
  /** The field or type around, for messages. */
  readonly within: string;
}

/**
 * Returns the writer of the rows of a schema. Throws `AvroError` for a schema that breaks the rules of
 * https://avro.apache.org/docs/1.12.0/specification/, or whose rows are not objects.
 */
export function compileSchema(json: string): WriteValue {
  let schema: unknown;
  try {
    schema = JSON.parse(json);
  } catch (error) {
    throw new AvroError(`it is not valid JSON (${error instanceof Error ? error.message : error})`);
  }
  if (!hasObjects(schema)) throw new AvroError("its rows are neither records nor maps");
  return new SchemaCompiler().compile(schema, { namespace: "", depth: 0, within: "the row" });
}

/** Returns true for records, maps and unions with one of these. */
function hasObjects(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasObjects);
  if (!isObject(schema)) return false;
  const { type } = schema;
  if (typeof type === "object") return hasObjects(type);
  return type === "record" || type === "error" || type === "map";
}

class SchemaCompiler {
  /** The writers of named types, by full name. */
  readonly #named = new Map<string, { write?: WriteValue }>();

  compile(schema: unknown, scope: Scope): WriteValue {
    if (scope.depth > SCHEMA_DEPTH_MAX) {
      throw new AvroError(`it nests more than ${SCHEMA_DEPTH_MAX} levels deep`);
    }
    const inner = { ...scope, depth: scope.depth + 1 };
    if (typeof schema === "string") return primitives[schema] ?? this.#refer(schema, scope);
    if (Array.isArray(schema)) return this.#union(schema, inner);
    if (!isObject(schema)) throw new AvroError(`${scope.within} has the type ${show(schema)}`);
    const { type } = schema;
    if (typeof type !== "string") return this.compile(type, inner);
    const logical = logicalWriter({ ...schema, type } as LogicalSchema);
    switch (type) {
      case "record":
      case "error":
        return this.#record(schema, inner);
      case "enum":
        return this.#define(schema, scope, () => enumWriter(schema, scope));
      case "fixed":
        return this.#define(schema, scope, () => logical ?? fixedWriter(sizeOf(schema, scope)));
      case "array":
        return arrayWriter(this.compile(schema.items, inner));
      case "map":
        return mapWriter(this.compile(schema.values, inner));
      default:
        return logical ?? this.compile(type, inner);
    }
  }

  #refer(name: string, { namespace, within }: Scope): WriteValue {
    const found = this.#named.get(fullName(name, namespace)) ?? this.#named.get(name);
    if (found === undefined) throw new AvroError(`${within} has the unknown type ${show(name)}`);
    // A record may contain itself, before its writer is complete.
    return found.write ?? ((input, text) => found.write?.(input, text));
  }

  #union(schemas: readonly unknown[], scope: Scope): WriteValue {
    const branches = schemas.map((schema) => this.compile(schema, scope));
    return (input, text) => {
      const index = input.readSize("the branch of a union");
      const branch = branches[index];
      if (branch === undefined) throw new AvroError(`a union has no branch ${index}`);
      branch(input, text);
    };
  }

  #record(schema: Schema, scope: Scope): WriteValue {
    return this.#define(schema, scope, (name) => {
      const { fields } = schema;
      if (!Array.isArray(fields)) throw new AvroError(`the record ${show(name)} has no fields`);
      const namespace = name.slice(0, Math.max(0, name.lastIndexOf(".")));
      return recordWriter(
        fields.map((field: unknown) => {
          const own = isObject(field) ? field : {};
          if (typeof own.name !== "string")
            throw new AvroError(`a field of ${show(name)} has no name`);
          const within = `the field ${show(own.name)}`;
          return [own.name, this.compile(own.type, { ...scope, namespace, within })] as const;
        }),
      );
    });
  }

  /** Defines a named type, which `create` may refer to already. avsc writes types without a name, too. */
  #define(schema: Schema, scope: Scope, create: (name: string) => WriteValue): WriteValue {
    const name = schema.name ?? "";
    const namespace = schema.namespace ?? scope.namespace;
    if (typeof name !== "string" || typeof namespace !== "string") {
      throw new AvroError(`${scope.within} has a type with the name ${show(name)}`);
    }
    const full = fullName(name, namespace);
    if (name === "") return create(full);
    if (this.#named.has(full)) throw new AvroError(`it defines the type ${show(full)} twice`);
    const defined: { write?: WriteValue } = {};
    this.#named.set(full, defined);
    defined.write = create(full);
    return defined.write;
  }
}

function fullName(name: string, namespace: string): string {
  return name.includes(".") || namespace === "" ? name : `${namespace}.${name}`;
}

function enumWriter({ symbols }: Schema, { within }: Scope): WriteValue {
  if (!Array.isArray(symbols)) throw new AvroError(`${within} has an enum without symbols`);
  const texts = symbols.map((symbol) => Buffer.from(JSON.stringify(String(symbol))));
  return (input, text) => {
    const index = input.readSize("the symbol of an enum");
    const symbol = texts[index];
    if (symbol === undefined) throw new AvroError(`an enum has no symbol ${index}`);
    text.writeJson(symbol);
  };
}

function sizeOf({ size }: Schema, { within }: Scope): number {
  if (typeof size === "number" && Number.isInteger(size) && size >= 0 && size <= FIXED_BYTES_MAX) {
    return size;
  }
  throw new AvroError(`${within} has ${show(size)} fixed bytes`);
}

function recordWriter(fields: readonly (readonly [string, WriteValue])[]): WriteValue {
  const names = fields.map(([name], index) => {
    return Buffer.from(`${index === 0 ? "" : ","}${JSON.stringify(name)}:`);
  });
  const writers = fields.map(([, write]) => write);
  return (input, text) => {
    input.enter();
    text.writeByte(OPENING_BRACE);
    for (let index = 0; index < writers.length; index++) {
      text.writeJson(names[index]!);
      writers[index]!(input, text);
    }
    text.writeByte(CLOSING_BRACE);
    input.leave();
  };
}

function arrayWriter(writeItem: WriteValue): WriteValue {
  return itemsWriter(OPENING_BRACKET, writeItem, CLOSING_BRACKET);
}

function mapWriter(writeItem: WriteValue): WriteValue {
  const writeMember: WriteValue = (input, text) => {
    const start = input.passSized();
    text.writeString(input.bytes, start, input.position);
    text.writeByte(COLON);
    writeItem(input, text);
  };
  return itemsWriter(OPENING_BRACE, writeMember, CLOSING_BRACE);
}

function itemsWriter(opening: number, writeItem: WriteValue, closing: number): WriteValue {
  return (input, text) => {
    input.enter();
    text.writeByte(opening);
    let isFirst = true;
    for (let count = input.readItems(); count > 0; count = input.readItems()) {
      for (let index = 0; index < count; index++) {
        const before = input.position;
        if (!isFirst) text.writeByte(COMMA);
        isFirst = false;
        writeItem(input, text);
        // Any number of items without bytes would take time only.
        if (text.isCut && input.position === before) break;
      }
    }
    text.writeByte(closing);
    input.leave();
  };
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value of the schema in a message. */
function show(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 100);
}
