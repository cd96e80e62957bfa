import { thriftTypes } from "../base/thrift-writer.js";

// The part of Thrift's compact protocol that Parquet's footer and page headers use.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

type ThriftValue = boolean | number | Uint8Array | readonly ThriftValue[] | ThriftStruct;

/** Fields by number. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;

/** The bytes are not valid Thrift, or they end too early. */
export class ThriftError extends Error {
  constructor(
    message: string,
    /** True if more bytes could have helped. */
    readonly cutOff: boolean,
  ) {
    super(message);
  }
}

/** Levels of structs and lists; Parquet itself needs eight. */
const DEPTH_MAX = 32;

/** Reads structs. Integers beyond 2^53 are rounded: no field that is used has such values. */
export class ThriftReader {
  position = 0;

  constructor(private readonly bytes: Uint8Array) {}

  readStruct(depth = 0): ThriftStruct {
    if (depth > DEPTH_MAX) throw new ThriftError("too many levels", false);
    const fields = new Map<number, ThriftValue>();
    let id = 0;
    for (;;) {
      const head = this.#byte();
      if (head === 0) return fields;
      const type = head & 15;
      id = head >> 4 === 0 ? this.#zigzag() : id + (head >> 4);
      fields.set(id, this.#value(type, depth + 1));
    }
  }

  #value(type: number, depth: number): ThriftValue {
    switch (type) {
      case thriftTypes.true:
        return true;
      case thriftTypes.false:
        return false;
      case thriftTypes.byte:
        return (this.#byte() << 24) >> 24;
      case thriftTypes.i16:
      case thriftTypes.i32:
      case thriftTypes.i64:
        return this.#zigzag();
      case thriftTypes.double:
        return new DataView(this.#take(8).slice().buffer).getFloat64(0, true);
      case thriftTypes.binary:
        return this.#take(this.#varint());
      case thriftTypes.list:
      case thriftTypes.set:
        return this.#list(depth);
      case thriftTypes.struct:
        return this.readStruct(depth);
      default:
        throw new ThriftError(`unknown type ${type}`, false);
    }
  }

  #list(depth: number): readonly ThriftValue[] {
    if (depth > DEPTH_MAX) throw new ThriftError("too many levels", false);
    const head = this.#byte();
    const size = head >> 4 === 15 ? this.#varint() : head >> 4;
    if (size > this.bytes.length - this.position) throw new ThriftError("list cut off", true);
    const type = head & 15;
    const values: ThriftValue[] = [];
    for (let index = 0; index < size; index++) {
      const boolean = type === thriftTypes.true || type === thriftTypes.false;
      values.push(boolean ? this.#byte() === thriftTypes.true : this.#value(type, depth + 1));
    }
    return values;
  }

  #byte(): number {
    const byte = this.bytes[this.position];
    if (byte === undefined) throw new ThriftError("cut off", true);
    this.position++;
    return byte;
  }

  #take(length: number): Uint8Array {
    const end = this.position + length;
    if (end > this.bytes.length) throw new ThriftError("cut off", true);
    const taken = this.bytes.subarray(this.position, end);
    this.position = end;
    return taken;
  }

  #varint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 10; count++) {
      const byte = this.#byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
    throw new ThriftError("integer too long", false);
  }

  #zigzag(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

// Typed access to a struct's fields. All throw ThriftError if a field has another type.

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
