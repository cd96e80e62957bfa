/** A value that is not as the schema says. The reader adds the row and the block to the message. */
export class AvroError extends Error {}

/** Levels of records, arrays and maps in a value, which are read by recursion. */
const VALUE_DEPTH_MAX = 1_000;

/** The values of 2^0, 2^7, 2^14, … by which the bytes of a number count. */
const SCALES = Array.from({ length: 8 }, (_, index) => 2 ** (7 * index));

/** The bytes of a block, read from the front. */
export class AvroInput {
  bytes: Buffer = Buffer.alloc(0);
  position = 0;
  #depth = 0;

  /** Continues with other bytes. */
  reset(bytes: Buffer): void {
    this.bytes = bytes;
    this.position = 0;
    this.#depth = 0;
  }

  get left(): number {
    return this.bytes.length - this.position;
  }

  readByte(): number {
    const byte = this.bytes[this.position];
    if (byte === undefined) throw new AvroError("it ends too early");
    this.position++;
    return byte;
  }

  /** Reads an int or a long in zigzag coding; a bigint if a double cannot hold it. */
  readLong(): number | bigint {
    const start = this.position;
    let coded = 0;
    for (let index = 0; index < 8; index++) {
      const byte = this.readByte();
      // A double has 53 bits.
      if (index === 7 && byte > 0x0f) break;
      coded += (byte & 0x7f) * SCALES[index]!;
      if (byte < 0x80) return coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
    }
    this.position = start;
    return narrow(this.#readCodedBigInt());
  }

  /** Reads the number of items or bytes, or of a branch. */
  readSize(what: string): number {
    const size = this.readLong();
    if (typeof size === "bigint" || size < 0) throw new AvroError(`${what} is ${size}`);
    return size;
  }

  /** Reads the number of items in the next block of an array or a map; 0 at its end. */
  readItems(): number {
    const count = this.readLong();
    if (typeof count === "bigint") throw new AvroError(`an array or a map has ${count} items`);
    if (count >= 0) return count;
    this.readSize("the length of an array or a map");
    return -count;
  }

  /** Passes `count` bytes and returns the position of the first. */
  pass(count: number): number {
    const start = this.position;
    if (count > this.left) throw new AvroError(`a value of ${count} bytes reaches beyond the end`);
    this.position += count;
    return start;
  }

  /** Passes bytes that begin with their length, and returns the position of the first. */
  passSized(): number {
    return this.pass(this.readSize("the length of a text"));
  }

  enter(): void {
    if (++this.#depth > VALUE_DEPTH_MAX) {
      throw new AvroError(`its values nest more than ${VALUE_DEPTH_MAX} levels deep`);
    }
  }

  leave(): void {
    this.#depth--;
  }

  #readCodedBigInt(): bigint {
    let coded = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.readByte();
      coded |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, coded & 1n ? -((coded + 1n) >> 1n) : coded >> 1n);
    }
    throw new AvroError("a number has more than ten bytes");
  }
}

/** Returns an integer as a double if that has all its digits. */
function narrow(value: bigint): number | bigint {
  const double = Number(value);
  return Number.isSafeInteger(double) ? double : value;
}
