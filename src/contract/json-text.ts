import JSON5 from "json5";

/**
 * Characters of JSON5 that is not plain JSON, in all fields of one request together. Its parser takes
 * about a millisecond for 3,000 of them, and other requests wait meanwhile; plain JSON is read by the
 * platform, which is a hundred times as fast, and does not count.
 */
export const JSON5_CHARACTERS_MAX = 100_000;

/** Levels of nested objects and arrays in a value, so that it fits into a request as well. */
export const VALUE_DEPTH_MAX = 50;

/** Levels of nested objects and arrays in a document that stays text in requests. */
export const DOCUMENT_DEPTH_MAX = 250;

/** What a text means, or why it means nothing. */
export type Reading = { readonly value: unknown } | { readonly fault: string };

/** Reads a text that has to be JSON to the letter. */
export function readJson(text: string, depthMax: number): Reading {
  try {
    return sound(JSON.parse(text), depthMax);
  } catch (error) {
    return { fault: `Is no JSON: ${(error as SyntaxError).message}` };
  }
}

/** Reads the JSON5 texts of one request, as many of them as it may hold. */
export class Json5Reader {
  #charactersLeft = JSON5_CHARACTERS_MAX;

  read(text: string, depthMax: number): Reading {
    const plain = readJson(text, depthMax);
    if ("value" in plain) return plain;
    if (text.length > this.#charactersLeft) {
      const most = `${JSON5_CHARACTERS_MAX} characters in one request`;
      return { fault: `Is too long for JSON5 that is no plain JSON: at most ${most}` };
    }
    this.#charactersLeft -= text.length;
    try {
      return sound(JSON5.parse(text), depthMax);
    } catch (error) {
      return { fault: `Is no JSON5: ${json5Reason(error)}` };
    }
  }
}

/** Says what a value holds that JSON cannot keep or that would do harm; `depthMax` counts levels. */
export function jsonFault(value: unknown, depthMax: number): string | undefined {
  return faultWithin(value, depthMax, () => `Is nested deeper than ${depthMax} levels`);
}

function faultWithin(
  value: unknown,
  depthLeft: number,
  depthFault: () => string,
): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return `Holds ${value}, which is no number in JSON`;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (depthLeft === 0) return depthFault();
  for (const [key, member] of Object.entries(value)) {
    if (isPoison(key, member)) return `Holds the forbidden key ${key}`;
    const fault = faultWithin(member, depthLeft - 1, depthFault);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Whether two values are the same JSON: the order of keys means nothing, nor does the sign of 0. */
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

/** Keys that reach an object's prototype where a program copies them carelessly. */
function isPoison(key: string, member: unknown): boolean {
  if (key === "__proto__") return true;
  return (
    key === "constructor" &&
    typeof member === "object" &&
    member !== null &&
    Object.hasOwn(member, "prototype")
  );
}

/** The parser's words with the place in front. */
function json5Reason(error: unknown): string {
  const { message, lineNumber, columnNumber } = error as SyntaxError & {
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  const words = message.replace(/^JSON5: /, "").replace(/ at \d+:\d+$/, "");
  return `line ${lineNumber}, column ${columnNumber}: ${words}`;
}
