// The part of Thrift's compact protocol that the metadata of Parquet needs.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

/** The protocol's numbers of its types. */
export const thriftTypes = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
} as const;

type ListType = "i32" | "binary" | "struct";

const encoder = new TextEncoder();

/** Writes structs field by field, in ascending order of field numbers. `reset` makes it reusable. */
export class ThriftWriter {
  #bytes = new Uint8Array(1024);
  #size = 0;
  #lastField = 0;
  readonly #outerFields: number[] = [];

  get size(): number {
    return this.#size;
  }

  /** A view, valid until the next write. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  reset(): void {
    this.#size = 0;
    this.#lastField = 0;
    this.#outerFields.length = 0;
  }

  true(field: number): void {
    this.#header(field, thriftTypes.true);
  }

  i32(field: number, value: number): void {
    this.#header(field, thriftTypes.i32);
    this.#zigzag(value);
  }

  /** Up to 2^52. */
  i64(field: number, value: number): void {
    this.#header(field, thriftTypes.i64);
    this.#zigzag(value);
  }

  binary(field: number, value: string | Uint8Array): void {
    this.#header(field, thriftTypes.binary);
    this.binaryElement(value);
  }

  /** Begins a struct as a field; its fields follow, then `endStruct`. */
  beginStruct(field: number): void {
    this.#header(field, thriftTypes.struct);
    this.beginStructElement();
  }

  /** Begins a struct as an element of a list, or the outermost one. */
  beginStructElement(): void {
    this.#outerFields.push(this.#lastField);
    this.#lastField = 0;
  }

  endStruct(): void {
    this.#byte(0);
    this.#lastField = this.#outerFields.pop() ?? 0;
  }

  /** Begins a list as a field; `count` elements follow. */
  beginList(field: number, type: ListType, count: number): void {
    this.#header(field, thriftTypes.list);
    if (count < 15) {
      this.#byte((count << 4) | thriftTypes[type]);
    } else {
      this.#byte(0xf0 | thriftTypes[type]);
      this.#varint(count);
    }
  }

  /** An i32, or an i64 up to 2^52. */
  numberElement(value: number): void {
    this.#zigzag(value);
  }

  binaryElement(value: string | Uint8Array): void {
    const bytes = typeof value === "string" ? encoder.encode(value) : value;
    this.#varint(bytes.length);
    this.raw(bytes);
  }

  /** Writes elements that another writer has encoded. */
  raw(bytes: Uint8Array): void {
    this.#ensure(bytes.length);
    this.#bytes.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  #header(field: number, type: number): void {
    // Field numbers of Parquet never differ by more than 15, so the long form is not needed.
    this.#byte(((field - this.#lastField) << 4) | type);
    this.#lastField = field;
  }

  #zigzag(value: number): void {
    this.#varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.#byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.#byte(rest);
  }

  #byte(value: number): void {
    this.#ensure(1);
    this.#bytes[this.#size++] = value;
  }

  #ensure(more: number): void {
    if (this.#size + more <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(this.#bytes.length * 2, this.#size + more));
    bytes.set(this.bytes);
    this.#bytes = bytes;
  }
}
