/** Bits of a DEFLATE stream: numbers lowest bit first, codes of Huffman trees highest bit first. */
export class BitWriter {
  readonly #bits: number[] = [];

  number(value: number, count: number): this {
    for (let bit = 0; bit < count; bit++) this.#bits.push((value >> bit) & 1);
    return this;
  }

  code(value: number, count: number): this {
    for (let bit = count - 1; bit >= 0; bit--) this.#bits.push((value >> bit) & 1);
    return this;
  }

  bytes(): Buffer {
    const bytes = Buffer.alloc(Math.ceil(this.#bits.length / 8));
    for (const [index, bit] of this.#bits.entries()) {
      bytes.writeUInt8(bytes.readUInt8(index >> 3) | (bit << (index & 7)), index >> 3);
    }
    return bytes;
  }
}

const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/**
 * The header of a last block with codes of its own. `lengths`: of all literals and distances, each
 * written as it is, with 4 bits.
 */
export function dynamicHeader(literals: number, distances: number, lengths: number[]): BitWriter {
  const writer = new BitWriter().number(1, 1).number(2, 2);
  writer
    .number(literals - 257, 5)
    .number(distances - 1, 5)
    .number(19 - 4, 4);
  // All of 0 to 15 have 4 bits, so that a code is the length that it stands for.
  for (const symbol of CODE_LENGTH_ORDER) writer.number(symbol < 16 ? 4 : 0, 3);
  for (const length of lengths) writer.code(length, 4);
  return writer;
}

/** `count` zeros but for the given places. */
export function sparse(count: number, values: Readonly<Record<number, number>>): number[] {
  return Array.from({ length: count }, (_, index) => values[index] ?? 0);
}
