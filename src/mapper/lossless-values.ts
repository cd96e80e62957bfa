import { LosslessNumber, parse, stringify } from "lossless-json";

/** JSON text to values; of repeated names the last counts. Digits of numbers are not lost. */
export function parseValue(text: string): unknown {
  return parse(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
}

/** Values to JSON text, undefined where JSON has none (functions, symbols). May throw. */
export function valueText(value: unknown): string | undefined {
  return stringify(value);
}

/**
 * A number where its text comes back from it, else a BigInt where that does (integers), else the
 * text itself in a LosslessNumber: `1.50` would come back as `1.5`.
 */
function parseNumber(text: string): number | bigint | LosslessNumber {
  const number = Number(text);
  if (String(number) === text) return number;
  if (/^-?\d+$/.test(text)) {
    const integer = BigInt(text);
    if (String(integer) === text) return integer;
  }
  return new LosslessNumber(text);
}
