// The texts of a JSON head, which may be cut anywhere.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Returns the offset of the quote that ends a string. */
export function stringEnd(text: Uint8Array, start: number): number {
  let p = start + 1;
  while (p < text.length && text[p] !== QUOTE) p += text[p] === BACKSLASH ? 2 : 1;
  return p;
}

export function skipBlank(text: Uint8Array, start: number): number {
  let p = start;
  while (text[p] === 0x20 || (text[p]! >= 0x09 && text[p]! <= 0x0d)) p++;
  return p;
}

export function countOf(names: readonly string[], wanted: ReadonlySet<string>): number {
  return names.filter((name) => wanted.has(name)).length;
}

export function decode(text: Uint8Array, start: number, end: number): string {
  return Buffer.from(text.buffer, text.byteOffset + start, end - start).toString();
}
