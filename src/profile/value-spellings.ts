import type { FoldedText } from "./sketches.js";

/** Decimal exponents that a double holds exactly, with room for the digits of a text. */
const EXPONENT_MAX = 1e15;

const jsonNumber = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Adds up texts that are spellings of one JSON string or number, such as `1` and `1.0`, under the first one.
 * All digits count, beyond those of a double. Texts that were cut, lists and objects stay as they are.
 */
export function joinSpellings(texts: readonly FoldedText[]): readonly FoldedText[] {
  const joined = new Map<string, FoldedText>();
  for (const text of texts) {
    const key = identityOf(text);
    const known = joined.get(key);
    if (known === undefined) joined.set(key, { ...text });
    else known.rows += text.rows;
  }
  return [...joined.values()].sort((a, b) => b.rows - a.rows);
}

/** Returns the range of the numbers among all texts of a property; undefined if one of them was cut. */
export function numberRange(
  texts: readonly FoldedText[],
): { min: number; max: number } | undefined {
  const range = { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
  for (const { text, length } of texts) {
    if (!/^[-\d]/.test(text)) continue;
    if (text.length !== length) return undefined;
    const limit = Number.MAX_VALUE;
    const value = Math.min(Math.max(Number(text), -limit), limit);
    range.min = Math.min(range.min, value);
    range.max = Math.max(range.max, value);
  }
  return range;
}

/** Returns the same text for all spellings of a value. */
function identityOf({ text, length }: FoldedText): string {
  if (text.startsWith('"')) {
    return text.includes("\\") && Buffer.byteLength(text) === length ? spelledOnce(text) : text;
  }
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = jsonNumber.exec(text) ?? [];
  if (whole === "" || text.length !== length) return text;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  if (digits === "") return "0";
  const kept = digits.replace(/0+$/, "");
  const power = Number(exponent) - fraction.length + digits.length - kept.length;
  return Math.abs(power) > EXPONENT_MAX ? text : `${sign}${kept}e${power}`;
}

function spelledOnce(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
