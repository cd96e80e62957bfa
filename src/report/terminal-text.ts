/**
 * Characters with which data could draw on a terminal or hide in it: control characters, characters
 * that change the direction of text, and lone surrogates.
 */
const harmful = /[\p{Cc}\p{Cs}\u2028\u2029\u061C\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/gu;

const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Makes text from data or file names safe to print: on one line, with control characters as escapes. */
export function harmless(text: string): string {
  return text.replace(
    harmful,
    (character) =>
      shortEscapes[character] ??
      `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}

/** Columns of a text on a terminal; East Asian and pictorial characters take two. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

function columnsOf(character: string): number {
  if (/^\p{M}$/u.test(character)) return 0;
  const code = character.codePointAt(0) ?? 0;
  const isWide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    code >= 0x20000;
  return isWide ? 2 : 1;
}

/** Cuts off the end of a text that is wider than `columns`. */
export function cutEnd(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let width = 1;
  for (const character of text) {
    width += columnsOf(character);
    if (width > columns) break;
    kept += character;
  }
  return columns < 1 ? "" : `${kept}…`;
}

/** Cuts off the beginning of a text that is wider than `columns`: file names differ at their ends. */
export function cutStart(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  const reversed = [...text].reverse().join("");
  return [...cutEnd(reversed, columns)].reverse().join("");
}

/** Quotes a path or argument for a shell if needed. */
export function shellWord(word: string): string {
  const safe = harmless(word);
  return /^[\w./:@%+=,-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}

/** The command that runs Switchyard with these arguments in the directory of the first run. */
export function commandLine(program: string, directory: string, words: readonly string[]): string {
  return `cd ${shellWord(directory)} && ${[program, ...words.map(shellWord)].join(" ")}`;
}
