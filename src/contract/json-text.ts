import JSON5 from "json5";

/**
 * Characters of JSON5 in all fields of one request. The JSON5 parser takes about a millisecond for 3,000
 * characters, and other requests wait meanwhile. Plain JSON does not count: Node parses it a hundred times
 * faster.
 */
export const JSON5_CHARACTERS_MAX = 100_000;

/** Levels of nested objects and arrays in a value: fewer than a whole request may have. */
export const VALUE_DEPTH_MAX = 50;

/** Levels of nested objects and arrays in a document that requests carry as text. */
export const DOCUMENT_DEPTH_MAX = 250;

/** The value of a text, or the reason why it has none. */
export type Reading = { readonly value: unknown } | { readonly fault: string };

/** Parses strict JSON. */
export function readJson(text: string, depthMax: number): Reading {
  try {
    return sound(JSON.parse(text), depthMax);
  } catch (error) {
    return { fault: `Is not valid JSON: ${(error as SyntaxError).message}` };
  }
}

/** Parses the JSON5 texts of one request, up to their common limit. */
export class Json5Reader {
  #charactersLeft = JSON5_CHARACTERS_MAX;

  read(text: string, depthMax: number): Reading {
    const plain = readJson(text, depthMax);
    if ("value" in plain) return plain;
    if (text.length > this.#charactersLeft) {
      const most = `${JSON5_CHARACTERS_MAX} characters in one request`;
      return { fault: `Is too long for JSON5 that is not plain JSON: at most ${most}` };
    }
    this.#charactersLeft -= text.length;
    try {
      return sound(JSON5.parse(text), depthMax);
    } catch (error) {
      return { fault: `Is not valid JSON5: ${json5Reason(error)}` };
    }
  }
}

/** Returns the reason why a value is not valid or not safe as JSON. `depthMax` counts levels. */
export function jsonFault(value: unknown, depthMax: number): string | undefined {
  return faultWithin(value, depthMax, () => `Is nested deeper than ${depthMax} levels`);
}

function faultWithin(
  value: unknown,
  depthLeft: number,
  depthFault: () => string,
): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return `Contains ${value}, which is not a JSON number`;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (depthLeft === 0) return depthFault();
  for (const [key, member] of Object.entries(value)) {
    if (isPoison(key, member)) return `Contains the forbidden key ${key}`;
    const fault = faultWithin(member, depthLeft - 1, depthFault);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Returns true if two values are the same JSON, whatever the order of keys and the sign of 0. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  if (one === null || other === null || Array.isArray(one) !== Array.isArray(other)) return false;
  const members = Object.entries(one);
  return (
    members.length === Object.keys(other).length &&
    members.every(
      ([key, member]) =>
        Object.hasOwn(other, key) && isSameJson(member, (other as Record<string, unknown>)[key]),
    )
  );
}

function sound(value: unknown, depthMax: number): Reading {
  const fault = jsonFault(value, depthMax);
  return fault === undefined ? { value } : { fault };
}

/**
 * Returns the first key at any depth that `isPoison` refuses. `text` is the JSON text of the value: most
 * texts cannot contain such a key, so their values are not searched.
 */
export function forbiddenKey(value: unknown, text: string): string | undefined {
  return /__proto__|constructor|\\u/.test(text) ? poisonIn(value) : undefined;
}

function poisonIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = isPoison(key, member) ? key : poisonIn(member);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns true for a key that can change an object's prototype when a program copies it carelessly. */
function isPoison(key: string, member: unknown): boolean {
  if (key === "__proto__") return true;
  return (
    key === "constructor" &&
    typeof member === "object" &&
    member !== null &&
    Object.hasOwn(member, "prototype")
  );
}

/** Returns the parser's message with its position in front. */
function json5Reason(error: unknown): string {
  const { message, lineNumber, columnNumber } = error as SyntaxError & {
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  const words = message.replace(/^JSON5: /, "").replace(/ at \d+:\d+$/, "");
  return `line ${lineNumber}, column ${columnNumber}: ${words}`;
}
