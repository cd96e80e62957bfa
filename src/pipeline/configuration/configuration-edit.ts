import { isDeepStrictEqual } from "node:util";
import { applyEdits, type FormattingOptions, modify } from "jsonc-parser";
import { UsageError } from "../../base/errors.js";
import { type JsonObject, type JsonValue, parseJsonText } from "./configuration-file.js";

/** A value for the file; `line` is what a person would type for it. */
export interface WantedValue {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly line: string;
}

export interface ConfigurationChange {
  readonly path: readonly string[];
  /** Undefined if the path was not set. */
  readonly before: JsonValue | undefined;
  readonly after: JsonValue;
}

export interface ConfigurationEdit {
  readonly text: string;
  /** Empty if the file already has all values. */
  readonly changes: readonly ConfigurationChange[];
}

/**
 * Puts values into the text of a configuration file; comments and layout of everything else stay as
 * they are. Pure. Of several values for one path the first is used. Throws `UsageError` with the lines
 * to type if the text is malformed or has duplicate keys.
 */
export function editConfiguration(
  text: string,
  wanted: readonly WantedValue[],
  name: string,
): ConfigurationEdit {
  const before = contentOf(text, wanted, name);
  const changes = wanted
    .filter(({ path }, index) => wanted.findIndex((one) => isSamePath(one.path, path)) === index)
    .map(({ path, value }) => ({ path, before: valueAt(before, path), after: value as JsonValue }))
    .filter((change) => !isDeepStrictEqual(change.before, change.after));
  return { text: changes.reduce(editOne, text), changes };
}

function contentOf(text: string, wanted: readonly WantedValue[], name: string): JsonValue {
  try {
    const { value, duplicates } = parseJsonText(withoutMark(text), name);
    if (duplicates.length === 0) return value;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
  }
  const lines = wanted.map(({ line }) => `  ${line}`).join("\n");
  throw new UsageError(
    "configuration_not_editable",
    `${name} is not JSON with comments and cannot be changed. Add these lines yourself:\n${lines}`,
  );
}

function editOne(text: string, { path, after }: ConfigurationChange): string {
  const body = withoutMark(text);
  const edits = modify(body, [...path], after, { formattingOptions: layoutOf(body) });
  return text.slice(0, text.length - body.length) + applyEdits(body, edits);
}

/** Detects indentation and line ends of the file. */
function layoutOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}

function valueAt(tree: JsonValue, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    tree,
  );
}

function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the text after its byte order mark. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
