import { isObject } from "../../base/is-object.js";
import { parseJson } from "../../base/parse-json.js";

/** Returns the object that a JSON text is; undefined for another text. */
export function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}
