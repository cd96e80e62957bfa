import { ThriftWriter, thriftTypes } from "../../base/thrift-writer.js";

// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift

/** Members of a struct that hold positions in the file, by field number, also in structs below. */
interface Positions {
  readonly [field: number]: true | Positions;
}

/** RowGroup: columns (file_offset, meta_data: data_page_offset, dictionary_page_offset), file_offset. */
const rowGroupPositions: Positions = { 1: { 2: true, 3: { 9: true, 11: true } }, 5: true };

/** The members of a footer that a copy of its row groups needs. */
interface CopiedRowGroups {
  readonly rows: number;
  readonly count: number;
  /** The row groups one after the other, with their positions in the new file. */
  readonly bytes: Uint8Array;
  /** The encoded list of columns: equal for parts that can be joined. */
  readonly schema: Uint8Array;
}

/** Reads the footer of a part whose row groups move by `shift` bytes. Throws if it ends too early. */
export function copyRowGroups(footer: Uint8Array, shift: number): CopiedRowGroups {
  const walk = new FooterWalk(footer, shift);
  let [rows, count] = [0, 0];
  let [schema, bytes] = [footer.subarray(0, 0), footer.subarray(0, 0)];
  walk.fields((field, type) => {
    const start = walk.position;
    if (field === 3) rows = walk.number();
    else if (field === 4) {
      count = walk.listSize();
      bytes = walk.moved(() => {
        for (let index = 0; index < count; index++) walk.struct(rowGroupPositions);
      });
    } else walk.skip(type);
    if (field === 2) schema = footer.subarray(start, walk.position);
  });
  return { rows, count, bytes, schema };
}

/** Walks over structs in Thrift's compact protocol, and copies a part of them with new positions. */
class FooterWalk {
  position = 0;
  readonly #copy = new ThriftWriter();
  /** Bytes up to here are in the copy. */
  #copied = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly shift: number,
  ) {}

  /** Calls `take` for each field; it must go past the value. */
  fields(take: (field: number, type: number) => void): void {
    let field = 0;
    for (let head = this.#byte(); head !== 0; head = this.#byte()) {
      field = head >> 4 === 0 ? this.number() : field + (head >> 4);
      take(field, head & 15);
    }
  }

  struct(positions: Positions): void {
    this.fields((field, type) => {
      const below = positions[field];
      if (below === true) this.#move();
      else this.skip(type, below);
    });
  }

  /** Returns the bytes that `walk` goes over, with their new positions. */
  moved(walk: () => void): Uint8Array {
    this.#copied = this.position;
    walk();
    this.#copy.raw(this.bytes.subarray(this.#copied, this.position));
    return this.#copy.bytes;
  }

  listSize(): number {
    const head = this.#byte();
    return head >> 4 === 15 ? this.#varint() : head >> 4;
  }

  number(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  skip(type: number, positions: Positions = {}): void {
    if (type === thriftTypes.struct) this.struct(positions);
    else if (type === thriftTypes.list) {
      const element = this.#peek() & 15;
      for (let left = this.listSize(); left > 0; left--) this.skip(element, positions);
    } else if (type === thriftTypes.binary) {
      const size = this.#varint();
      this.position += size;
    } else if (type >= thriftTypes.i16 && type <= thriftTypes.i64) this.#varint();
    else if (type !== thriftTypes.true && type !== thriftTypes.false)
      throw new RangeError(`type ${type} is not in our footers`);
  }

  #move(): void {
    this.#copy.raw(this.bytes.subarray(this.#copied, this.position));
    this.#copy.numberElement(this.number() + this.shift);
    this.#copied = this.position;
  }

  #varint(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.#byte();
      value += (byte % 128) * unit;
      if (byte < 128) return value;
    }
  }

  #byte(): number {
    const byte = this.#peek();
    this.position++;
    return byte;
  }

  #peek(): number {
    const byte = this.bytes[this.position];
    if (byte === undefined) throw new RangeError("the footer ends too early");
    return byte;
  }
}
