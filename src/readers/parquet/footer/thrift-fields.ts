import { ThriftError, type ThriftStruct, type ThriftValue } from "./thrift-reader.js";

// Typed access to a struct's fields. All throw ThriftError where a field has another type.

export function optionalInteger(fields: ThriftStruct, id: number): number | undefined {
  const value = fields.get(id);
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw wrong(id, "an integer");
  return value;
}

export function integer(fields: ThriftStruct, id: number): number {
  const value = optionalInteger(fields, id);
  if (value === undefined) throw missing(id);
  return value;
}

/** An integer that counts or locates something. */
export function count(fields: ThriftStruct, id: number): number {
  const value = integer(fields, id);
  if (value < 0) throw wrong(id, "at least 0");
  return value;
}

export function optionalStruct(fields: ThriftStruct, id: number): ThriftStruct | undefined {
  const value = fields.get(id);
  if (value === undefined) return undefined;
  if (!(value instanceof Map)) throw wrong(id, "a struct");
  return value;
}

export function struct(fields: ThriftStruct, id: number): ThriftStruct {
  const value = optionalStruct(fields, id);
  if (value === undefined) throw missing(id);
  return value;
}

function bytes(fields: ThriftStruct, id: number): Uint8Array {
  const value = fields.get(id);
  if (value === undefined) throw missing(id);
  if (!(value instanceof Uint8Array)) throw wrong(id, "bytes");
  return value;
}

export function text(fields: ThriftStruct, id: number): string {
  return new TextDecoder().decode(bytes(fields, id));
}

export function structs(fields: ThriftStruct, id: number): readonly ThriftStruct[] {
  return list(fields, id).map((value) => {
    if (!(value instanceof Map)) throw wrong(id, "structs");
    return value as ThriftStruct;
  });
}

export function texts(fields: ThriftStruct, id: number): readonly string[] {
  return list(fields, id).map((value) => {
    if (!(value instanceof Uint8Array)) throw wrong(id, "texts");
    return new TextDecoder().decode(value);
  });
}

function list(fields: ThriftStruct, id: number): readonly ThriftValue[] {
  const value = fields.get(id);
  if (value === undefined) throw missing(id);
  if (!Array.isArray(value)) throw wrong(id, "a list");
  return value as readonly ThriftValue[];
}

function missing(id: number): ThriftError {
  return new ThriftError(`field ${id} is missing`, false);
}

function wrong(id: number, expected: string): ThriftError {
  return new ThriftError(`field ${id} is not ${expected}`, false);
}
