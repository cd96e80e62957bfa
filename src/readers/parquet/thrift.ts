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

const types = {
  true: 1,
  false: 2,
  byte: 3,
  int16: 4,
  int32: 5,
  int64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
} as const;

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
      case types.true:
        return true;
      case types.false:
        return false;
      case types.byte:
        return (this.#byte() << 24) >> 24;
      case types.int16:
      case types.int32:
      case types.int64:
        return this.#zigzag();
      case types.double:
        return new DataView(this.#take(8).slice().buffer).getFloat64(0, true);
      case types.binary:
        return this.#take(this.#varint());
      case types.list:
      case types.set:
        return this.#list(depth);
      case types.struct:
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
      const boolean = type === types.true || type === types.false;
      values.push(boolean ? this.#byte() === types.true : this.#value(type, depth + 1));
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

/** Writes structs field by field; field numbers have to rise within a struct. */
export class ThriftWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;
  #lastId = 0;
  readonly #outerIds: number[] = [];

  int32(id: number, value: number): void {
    this.#field(id, types.int32);
    this.#zigzag(value);
  }

  int64(id: number, value: number): void {
    this.#field(id, types.int64);
    this.#zigzag(value);
  }

  binary(id: number, value: Uint8Array): void {
    this.#field(id, types.binary);
    this.#binaryElement(value);
  }

  struct(id: number, write: () => void): void {
    this.#field(id, types.struct);
    this.structElement(write);
  }

  /** A list of structs; `write` is called with each item, the struct's end is written here. */
  structs<T>(id: number, items: readonly T[], write: (item: T) => void): void {
    this.#list(id, types.struct, items.length);
    for (const item of items) this.structElement(() => write(item));
  }

  binaries(id: number, values: readonly Uint8Array[]): void {
    this.#list(id, types.binary, values.length);
    for (const value of values) this.#binaryElement(value);
  }

  int32s(id: number, values: readonly number[]): void {
    this.#list(id, types.int32, values.length);
    for (const value of values) this.#zigzag(value);
  }

  /** A struct without a field number: a list's element or the outermost struct. */
  structElement(write: () => void): void {
    this.#outerIds.push(this.#lastId);
    this.#lastId = 0;
    write();
    this.#byte(0);
    this.#lastId = this.#outerIds.pop() ?? 0;
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #field(id: number, type: number): void {
    const step = id - this.#lastId;
    if (step > 0 && step <= 15) {
      this.#byte((step << 4) | type);
    } else {
      this.#byte(type);
      this.#zigzag(id);
    }
    this.#lastId = id;
  }

  #list(id: number, type: number, size: number): void {
    this.#field(id, types.list);
    if (size < 15) {
      this.#byte((size << 4) | type);
    } else {
      this.#byte(0xf0 | type);
      this.#varint(size);
    }
  }

  #binaryElement(value: Uint8Array): void {
    this.#varint(value.length);
    this.#room(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  #zigzag(value: number): void {
    this.#varint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.#byte((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    this.#byte(rest);
  }

  #byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }

  #room(size: number): void {
    if (this.#length + size <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#length + size, this.#bytes.length * 2));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
