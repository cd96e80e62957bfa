import { formatShare } from "../quantities.js";
import { cutEnd } from "../terminal-text.js";

const QUOTED_COLUMNS_MAX = 80;

/** A name or value from data, in quotes; the end of a long one is cut off. */
export function quoted(text: string): string {
  return JSON.stringify(cutEnd(text, QUOTED_COLUMNS_MAX));
}

/** `"a", "b" and 3 more`. */
export function quotedList(texts: readonly string[], shown = 5): string {
  const list = texts.slice(0, shown).map(quoted).join(", ");
  return texts.length > shown ? `${list} and ${texts.length - shown} more` : list;
}

/** `12.3 %`; anything at all is never called 0 %. */
export function shareOf(part: number, whole: number): string {
  return part > 0 && part * 1000 < whole ? "less than 0.1 %" : formatShare(part, whole);
}

/** A value of a report as the text that it is, whether it is written as JSON or bare. */
export function plainText(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "string" ? parsed : value;
  } catch {
    return value.slice(1);
  }
}
