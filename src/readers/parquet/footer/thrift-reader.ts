import { thriftTypes } from "../../../base/thrift-writer.js";

/**
 * Thrift's compact protocol, as far as Parquet's footer and page headers use it.
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */

export type ThriftValue = boolean | number | Uint8Array | readonly ThriftValue[] | ThriftStruct;

/** Fields by number. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;

/** The bytes are no Thrift, or they end too early. */
export class ThriftError extends Error {
  constructor(
    message: string,
    /** Whether more bytes could have helped. */
    readonly cutOff: boolean,
  ) {
    super(message);
  }
}

/** Levels of structs and lists; Parquet itself needs eight. */
const DEPTH_MAX = 32;

/** Integers beyond 2^53 are rounded: nothing that is read here has a meaning as large as that. */
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
        throw new ThriftError(`no such type: ${type}`, false);
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
