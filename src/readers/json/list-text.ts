import { parseJson } from "../../base/parse-json.js";
/** Returns a list as JSON that a text contains; undefined for any other text. */
export function listIn(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? "";
  if (!trimmed.startsWith("[")) return undefined;
  return parseJson(trimmed) === undefined ? undefined : trimmed;
}
