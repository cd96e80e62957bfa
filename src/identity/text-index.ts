const SLOTS_MIN = 2 ** 10;
const BYTES_MIN = 2 ** 14;

/**
 * Numbers distinct texts from 0 in the order in which they are added. Memory is outside of the JavaScript
 * heap: the text, and about 24 bytes.
 */
export class TextIndex {
  size = 0;
  /** Numbers plus one. */
  #slots = new Uint32Array(SLOTS_MIN);
  #hashes = new Uint32Array(SLOTS_MIN / 2);
  /** Positions of the texts, and that of the end. */
  #starts = new Float64Array(SLOTS_MIN / 2 + 1);
  #bytes = new Uint8Array(BYTES_MIN);

  /** Bytes that it has allocated. */
  get memoryBytes(): number {
    return (
      this.#slots.byteLength +
      this.#hashes.byteLength +
      this.#starts.byteLength +
      this.#bytes.byteLength
    );
  }

  /** Returns the number of a text, which it adds if it is new. */
  add(text: Uint8Array): number {
    const hash = hashText(text);
    const slot = this.#slotOf(text, hash);
    const known = this.#slots[slot]!;
    if (known > 0) return known - 1;
    const number = this.size++;
    const start = this.#starts[number]!;
    this.#makeRoom(start + text.length);
    this.#bytes.set(text, start);
    this.#hashes[number] = hash;
    this.#starts[number + 1] = start + text.length;
    this.#slots[slot] = number + 1;
    if (this.size * 2 === this.#slots.length) this.#grow();
    return number;
  }

  /** Returns the number of a text; -1 if it was not added. */
  find(text: Uint8Array): number {
    return this.#slots[this.#slotOf(text, hashText(text))]! - 1;
  }

  /** Returns the bytes of a text, valid until the next one is added. */
  text(number: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[number]!, this.#starts[number + 1]!);
  }

  #slotOf(text: Uint8Array, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot]! - 1;
      if (number < 0 || (this.#hashes[number] === hash && this.#isText(number, text))) return slot;
    }
  }

  #isText(number: number, text: Uint8Array): boolean {
    const start = this.#starts[number]!;
    if (this.#starts[number + 1]! - start !== text.length) return false;
    for (let index = 0; index < text.length; index++)
      if (this.#bytes[start + index] !== text[index]) return false;
    return true;
  }

  #makeRoom(size: number): void {
    if (size <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(size, 2 * this.#bytes.length));
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }

  #grow(): void {
    const length = 2 * this.#slots.length;
    const [hashes, starts] = [new Uint32Array(length / 2), new Float64Array(length / 2 + 1)];
    hashes.set(this.#hashes);
    starts.set(this.#starts);
    this.#hashes = hashes;
    this.#starts = starts;
    this.#slots = new Uint32Array(length);
    for (let number = 0; number < this.size; number++) {
      let slot = hashes[number]! & (length - 1);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (length - 1);
      this.#slots[slot] = number + 1;
    }
  }
}

/** Returns a hash of 32 bits of bytes [start, end) (FNV-1a, with the finalizer of MurmurHash3). */
export function hashText(text: Uint8Array, start = 0, end = text.length): number {
  let hash = 0x811c_9dc5;
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ text[index]!, 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
