import { SourceError } from "../base/errors.js";
import { KIB } from "../base/limits.js";
import { parseJson } from "../base/parse-json.js";
import type { HeadSample } from "../sources/source-head.js";
import { type Aggregated, findAggregated } from "./aggregated.js";

/** Bytes of an answer that is an error, at most. */
const ERROR_BYTES_MAX = 8 * KIB;

/** Characters of a message that are shown. */
const MESSAGE_LENGTH_MAX = 200;

const DOWNLOAD_AGAIN = "Download the file again.";

const XML = "XML";

const OPENING_BRACE = 0x7b;

/** Members of the answers with which APIs refuse a request. */
const ERROR_MEMBERS = new Set(
  `error errors message messages code status statuscode status_code type detail details title reason
  request request_id requestid path timestamp description error_description error_message error_code
  errorcode documentation_url instance attr success ok trace_id traceid hint help url resource hostid
  invalid data result`.split(/\s+/),
);

/**
 * Throws `source_not_data` for what downloads leave in place of data: an error page, an error of a store
 * or an API, a pointer of Git LFS; and for a table whose rows count events.
 */
export function refuseNotData({ bytes, extent }: HeadSample, source: string): void {
  const isShort = extent === "whole" && bytes.length <= ERROR_BYTES_MAX;
  // Most files: rows of JSON, whose text is not needed.
  if (bytes[0] === OPENING_BRACE && !isShort) return;
  const text = Buffer.from(bytes.subarray(0, ERROR_BYTES_MAX)).toString();
  const start = text.trimStart();
  if (start.startsWith("<")) {
    const what = describeMarkup(start);
    const advice = what === XML ? "Export JSON, CSV, Parquet or Avro instead." : DOWNLOAD_AGAIN;
    if (what !== undefined) throw notData(source, what, advice);
  } else if (start.startsWith("version https://git-lfs.github.com/spec/")) {
    const advice = "Run `git lfs pull`, or download the file itself.";
    throw notData(source, "a pointer of Git LFS", advice);
  } else if (start.startsWith("{") && isShort) {
    const message = errorIn(start);
    if (message !== undefined) throw notData(source, `an error (${message})`, DOWNLOAD_AGAIN);
  } else if (!start.startsWith("{")) {
    const aggregated = findAggregated(start);
    if (aggregated !== undefined) throw aggregatedIn(source, aggregated);
  }
}

function notData(source: string, what: string, advice: string): SourceError {
  return new SourceError("source_not_data", { source }, `the file is ${what}, not data. ${advice}`);
}

function aggregatedIn(source: string, { words, advice }: Aggregated): SourceError {
  return new SourceError("source_not_data", { source }, `the file is ${words}. ${advice}`);
}

function describeMarkup(text: string): string | undefined {
  const code = /<Error>[\s\S]*?<Code>([^<]*)<\/Code>/.exec(text)?.[1];
  if (code !== undefined) {
    const message = /<Message>([^<]*)<\/Message>/.exec(text)?.[1];
    return `an error of a store (${shorten(message === undefined ? code : `${code}: ${message}`)})`;
  }
  if (/^(<!--[\s\S]*?-->\s*|<\?xml[^>]*>\s*)*<(!doctype html|html|head|body)\b/i.test(text)) {
    const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1]?.trim();
    return title === undefined || title === ""
      ? "an HTML page"
      : `an HTML page (${shorten(title)})`;
  }
  return /^<\?xml\b/i.test(text) ? XML : undefined;
}

/** Returns the message of a JSON text that is the answer of an API to a refused request. */
function errorIn(text: string): string | undefined {
  if (!/"(errors?|message|detail|title)"\s*:/i.test(text)) return undefined;
  const answer = parseJson(text) as Readonly<Record<string, unknown>> | undefined;
  if (answer === undefined) return undefined;
  const names = Object.keys(answer);
  const lower = names.map((name) => name.toLowerCase());
  if (!lower.every((name) => ERROR_MEMBERS.has(name))) return undefined;
  const named = names.find((name) => /^errors?$/i.test(name));
  const message = names.find((name) => /^(message|detail|title)$/i.test(name));
  const hasKind = lower.some((name) => /^(code|type|status|status_?code|result)$/.test(name));
  const shown = named ?? (hasKind || names.length === 1 ? message : undefined);
  if (shown === undefined) return undefined;
  const value = answer[shown];
  return shorten(typeof value === "string" ? value : JSON.stringify(value));
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > MESSAGE_LENGTH_MAX ? `${line.slice(0, MESSAGE_LENGTH_MAX)}…` : line;
}
