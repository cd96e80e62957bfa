import measure from "fast-string-truncated-width";
import { wrapAnsi } from "fast-wrap-ansi";

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
  return measure(text).width;
}

/** Cuts off the end of a text that is wider than `columns`. */
export function cutEnd(text: string, columns: number): string {
  if (columns < 1) return "";
  const { index, ellipsed } = measure(text, { limit: columns, ellipsis: "…" });
  return ellipsed ? `${text.slice(0, index)}…` : text;
}

/** Cuts off the beginning of a text that is wider than `columns`: file names differ at their ends. */
export function cutStart(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (columns < 1) return "";
  let kept = "";
  for (const { segment } of [...new Intl.Segmenter().segment(text)].reverse()) {
    if (widthOf(segment + kept) >= columns) break;
    kept = segment + kept;
  }
  return `…${kept}`;
}

/** Joins parts to one line of at most `columns`: the first parts go, and the last one stays. */
export function joinFromRight(parts: readonly string[], columns: number): string {
  const joined = parts.join(" · ");
  if (widthOf(joined) <= columns) return joined;
  const [, ...rest] = parts[0] === "…" ? parts.slice(1) : parts;
  return rest.length === 0
    ? cutEnd(parts.at(-1) ?? "", columns)
    : joinFromRight(["…", ...rest], columns);
}

/** The part of a line that its further lines are indented by: a label, the kind of a finding, blanks. */
const lineHead = /^(?: {2}(?:error|warning|note) +| {2}[a-z ]{9} (?=\S)| *(?:→ )?)/;
/** Below this width a wrapped text is indented only a little. */
const WRAPPED_COLUMNS_MIN = 20;
/** Stands for a blank at which a text is not wrapped. */
const FIXED_BLANK = "\uE000";

/**
 * Wraps a line between words. A command to type, which begins with `program`, is continued with `\`;
 * texts in JSON are not cut.
 */
export function wrapLine(line: string, columns: number, program = "switchyard"): string {
  if (widthOf(line) <= columns) return line;
  const head = lineHead.exec(line)?.[0] ?? "";
  const body = line.slice(head.length);
  const indent = " ".repeat(widthOf(head) > columns - WRAPPED_COLUMNS_MIN ? 2 : widthOf(head) || 2);
  const isCommand = body.startsWith(`${program} `) || /^(?:cd|curl) /.test(body);
  const whole = isCommand
    ? /(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g
    : head.endsWith("→ ")
      ? /"(?:[^"\\]|\\.)*"| (?=%)/g
      : / (?=%)/g;
  const fixed = body.replace(whole, (text) => text.replaceAll(" ", FIXED_BLANK));
  const end = isCommand ? " \\" : "";
  const wrapped = wrapAnsi(fixed, columns - indent.length - end.length, { hard: false });
  const lines = wrapped.replaceAll(FIXED_BLANK, " ").split("\n");
  return head + lines.join(`${end}\n${indent}`);
}

/**
 * Quotes a path or argument for a shell if needed. Characters that `harmless` escapes become the bytes
 * of `$'…'`, which bash, zsh, ksh and BusyBox read.
 */
export function shellWord(word: string): string {
  if (/^[\w./:@%+=,-]+$/.test(word)) return word;
  if (harmless(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  const escaped = word.replace(/['\\]/g, "\\$&").replace(harmful, bytesOf);
  return `$'${escaped}'`;
}

function bytesOf(character: string): string {
  return Buffer.from(character).reduce(
    (text, byte) => `${text}\\${byte.toString(8).padStart(3, "0")}`,
    "",
  );
}

/** The command that runs Switchyard with these arguments in the directory of the first run. */
export function commandLine(program: string, directory: string, words: readonly string[]): string {
  return `cd ${shellWord(directory)} && ${[program, ...words.map(shellWord)].join(" ")}`;
}
