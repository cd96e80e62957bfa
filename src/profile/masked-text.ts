import type { ReportSample } from "./report.js";
import { isSecretKey, isSecretParameter } from "./secret-names.js";

/** `?token=`, also within another parameter, and with the escapes of JSON and HTML. */
const parameterPattern = /(?:^|[?&#;,"\s]|%3F|%26|%23|\\u0026)([\w.-]{2,60})(?:=|%3D|\\u003d)/gi;
const parameterValuePattern = /(?:(?!%26)[^&#;\s"'<>\\,…])+/giy;

/** `"password":"…"`, also in JSON inside of JSON. */
const memberPattern = /((\\*)"([\w.-]{2,60})\2"\s*:\s*)(?:(\2")[^"\\]+|\d[\d.]*)/g;

const LOCAL = "[\\p{L}\\d._+-]";
const LABEL = "[\\p{L}\\d-]+";

/** Begins at the first character of a run, so that a long run is read once. The end may be cut. */
const emailPattern = new RegExp(
  `(?<!${LOCAL})(${LOCAL})${LOCAL}*(@|%40|\\\\u0040)` +
    `(?:${LABEL}(?:\\.${LABEL})*\\.\\p{L}{2,}…?|[\\p{L}\\d.-]*…)`,
  "gu",
);
const atPattern = /@|%40|\\u0040/;

const webTokenPattern = /(?<![A-Za-z0-9])eyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g;
const bearerPattern = /\b(Bearer|Basic) [\w.~+/=-]{8,}/gi;

/** The part of an email address that a cut may have left: at most 64 characters (RFC 5321). */
const cutPattern = new RegExp(`(?<!${LOCAL})(${LOCAL})${LOCAL}{0,63}…?$`, "u");

/**
 * Replaces email addresses and secrets in a text by `u…@…` and `token=…`. Masks more than kernels
 * count, because texts may be cut.
 */
export function maskText(text: string): string {
  const masked = maskParameters(text)
    .replaceAll(memberPattern, (member, before: string, _, name: string, quote = "") =>
      isSecretKey(name) ? `${before}${quote}…` : member,
    )
    .replaceAll(webTokenPattern, "eyJ…")
    .replaceAll(bearerPattern, "$1 …");
  return atPattern.test(masked) ? masked.replaceAll(emailPattern, "$1…$2…") : masked;
}

function maskParameters(text: string): string {
  let masked = "";
  let end = 0;
  for (const { 0: before, 1: name = "", index } of text.matchAll(parameterPattern)) {
    if (index < end || !isSecretParameter(name)) continue;
    const start = index + before.length;
    parameterValuePattern.lastIndex = start;
    const value = parameterValuePattern.exec(text)?.[0];
    if (value === undefined) continue;
    masked += `${text.slice(end, start)}…`;
    end = start + value.length;
  }
  return masked + text.slice(end);
}

/** `maskText` for bytes that are not UTF-8. */
export function maskBytes(bytes: Uint8Array): Buffer {
  const text = maskText(Buffer.from(bytes).toString("latin1"));
  // The bytes of `…` in UTF-8.
  return Buffer.from(text.replaceAll("…", "\u00e2\u0080\u00a6"), "latin1");
}

/** `maskText` for a text that was cut, and that may have been cut inside of something to mask. */
export function maskCutText(text: string): string {
  return maskText(text).replace(cutPattern, "$1…");
}

/** Masks the cells of a CSV record in columns such as `password`. */
export function maskCells(
  record: string,
  {
    delimiter,
    quote,
    columns,
  }: Pick<NonNullable<ReportSample["csv"]>, "delimiter" | "quote" | "columns">,
): string {
  const secret = columns.map(isSecretKey);
  if (!secret.includes(true)) return record;
  const cells: string[] = [];
  let [start, isQuoted] = [0, false];
  for (let at = 0; at < record.length; at++) {
    if (quote !== "" && record.startsWith(quote, at)) isQuoted = !isQuoted;
    else if (!isQuoted && record.startsWith(delimiter, at)) {
      cells.push(record.slice(start, at));
      start = at + delimiter.length;
      at = start - 1;
    }
  }
  cells.push(record.slice(start));
  return cells
    .map((cell, index) => (secret[index] === true && cell.trim() !== "" ? "…" : cell))
    .join(delimiter);
}
