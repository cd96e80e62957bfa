/** The targets of the mapping whose texts a column can have as numbers. */
export const typedTargets = ["userID", "stableID", "value", "insertID"] as const;
export type TypedTarget = (typeof typedTargets)[number];

/** The types of columns beside text: a number of JSON, and a whole number of 64 bits. */
export const textTypes = ["double", "bigint"] as const;
export type TextType = (typeof textTypes)[number];

/** The types that the texts of events must have. */
export type TargetTypes = Readonly<Partial<Record<TypedTarget, TextType>>>;

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const DIGITS_MAX = 15;

/** Both a number of up to 15 digits and its power of ten are exact, so that the quotient is rounded once. */
const powersOfTen = Array.from({ length: DIGITS_MAX + 1 }, (_, digits) => 10 ** digits);

/** Returns true if bytes [start, end) are a number of a type: `-1.5e3` for `double`, `-15` for `bigint`. */
export function isOfType(bytes: Uint8Array, start: number, end: number, type: TextType): boolean {
  if (!Number.isNaN(parseShort(bytes, start, end, type))) return true;
  const text = textOf(bytes, start, end);
  if (type === "double") {
    return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) && Number.isFinite(+text);
  }
  return /^-?[1-9]\d{0,18}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

/** Returns the double of bytes that `isOfType` takes; it is the one nearest to the text. */
export function parseDouble(bytes: Uint8Array, start: number, end: number): number {
  const short = parseShort(bytes, start, end, "double");
  return Number.isNaN(short) ? Number(textOf(bytes, start, end)) : short;
}

/** Returns the whole number of bytes that `isOfType` takes. */
export function parseBigint(bytes: Uint8Array, start: number, end: number): bigint {
  const short = parseShort(bytes, start, end, "bigint");
  return BigInt(Number.isNaN(short) ? textOf(bytes, start, end) : short);
}

/** Parses a decimal of at most 15 digits without an exponent; NaN for any other text. */
function parseShort(bytes: Uint8Array, start: number, end: number, type: TextType): number {
  const isNegative = bytes[start] === MINUS;
  const first = isNegative ? start + 1 : start;
  let value = 0;
  let point = end;
  if (end - first > DIGITS_MAX || end === first) return Number.NaN;
  for (let position = first; position < end; position++) {
    const byte = bytes[position]!;
    if (byte === POINT && type === "double" && point === end) {
      point = position;
      continue;
    }
    if (byte < ZERO || byte > ZERO + 9) return Number.NaN;
    value = value * 10 + (byte - ZERO);
  }
  // JSON has neither `.5` nor `5.` nor `05`.
  const isPadded = bytes[first] === ZERO && point > first + 1;
  if (isPadded || point === first || point === end - 1) return Number.NaN;
  const size = point === end ? value : value / powersOfTen[end - point - 1]!;
  return isNegative ? -size : size;
}

function textOf(bytes: Uint8Array, start: number, end: number): string {
  // A third of the time of a Buffer for each text.
  return Buffer.prototype.latin1Slice.call(bytes, start, end);
}
