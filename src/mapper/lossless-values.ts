import { isLosslessNumber, LosslessNumber, parse, stringify } from "lossless-json";

/** Parses JSON text. The last of duplicate names counts. Numbers keep all their digits. */
export function parseValue(text: string): unknown {
  return parse(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
}

/** Converts a value to JSON text; undefined if JSON has no form for it (functions, symbols). May throw. */
export function valueText(value: unknown): string | undefined {
  return stringify(value);
}

/** Returns true if objects and lists nest in more than `levels` levels; one that contains itself does. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null || isLosslessNumber(value)) return false;
  if (levels === 0) return true;
  const written: unknown =
    "toJSON" in value && typeof value.toJSON === "function" ? value.toJSON() : value;
  return Object.values(written ?? {}).some((member) => isNestedDeeper(member, levels - 1));
}

/**
 * Returns the first of these that is written back as the same text: a number, a BigInt (for integers), a
 * LosslessNumber. A number would turn `1.50` into `1.5`.
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
