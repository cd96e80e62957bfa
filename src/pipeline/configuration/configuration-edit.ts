import { isDeepStrictEqual } from "node:util";
import JSON5 from "json5";
import {
  applyEdits,
  type FormattingOptions,
  modify,
  type ParseError,
  parse as parseCommented,
} from "jsonc-parser";
import { UsageError } from "../../base/errors.js";
import type { JsonObject, JsonValue } from "./configuration-types.js";

/** A value that is to stand in the file; `line` is what a person would type for it. */
export interface WantedValue {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly line: string;
}

export interface ConfigurationChange {
  readonly path: readonly string[];
  /** Undefined where nothing stood there. */
  readonly before: JsonValue | undefined;
  readonly after: JsonValue;
}

export interface ConfigurationEdit {
  readonly text: string;
  /** Empty where all of it stands there already. */
  readonly changes: readonly ConfigurationChange[];
}

/**
 * Puts values into the text of a configuration file; comments and layout of everything else stay as
 * they are. Pure. Of several values for one place the first is taken. Throws `UsageError` with the
 * lines to type where the file is written in a form (JSON5) that cannot be edited like this.
 */
export function editConfiguration(
  text: string,
  wanted: readonly WantedValue[],
  name: string,
): ConfigurationEdit {
  const before = JSON5.parse<JsonObject>(withoutMark(text));
  const changes = wanted
    .filter(({ path }, place) => wanted.findIndex((one) => isSamePath(one.path, path)) === place)
    .map(({ path, value }) => ({ path, before: valueAt(before, path), after: value as JsonValue }))
    .filter((change) => !isDeepStrictEqual(change.before, change.after));
  if (changes.length === 0) return { text, changes };
  const edited = changes.reduce((current, change) => editOne(current, change), text);
  if (!isCommentedJson(text) || !isResult(edited, before, changes)) throw notEditable(name, wanted);
  return { text: edited, changes };
}

/** The text of a new file that has these values and nothing else. */
export function newConfiguration(wanted: readonly Omit<WantedValue, "line">[]): string {
  const content = wanted.reduce<JsonObject>(
    (tree, { path, value }) => withValue(tree, path, value as JsonValue),
    {},
  );
  return `${JSON.stringify(content, null, 2)}\n`;
}

function editOne(text: string, { path, after }: ConfigurationChange): string {
  const mark = text.length - withoutMark(text).length;
  const body = text.slice(mark);
  const edits = modify(body, [...path], after, { formattingOptions: layoutOf(body) });
  return text.slice(0, mark) + applyEdits(body, edits);
}

/** How the file is indented and its lines end, as far as that can be seen. */
function layoutOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}

function isCommentedJson(text: string): boolean {
  const errors: ParseError[] = [];
  parseCommented(withoutMark(text), errors, { allowTrailingComma: true });
  return errors.length === 0;
}

/** Whether an edit has done what it should and nothing else, by what the file is read as. */
function isResult(
  text: string,
  before: JsonObject,
  changes: readonly ConfigurationChange[],
): boolean {
  const expected = changes.reduce((tree, { path, after }) => withValue(tree, path, after), before);
  try {
    return isDeepStrictEqual(JSON5.parse(withoutMark(text)), expected);
  } catch {
    return false;
  }
}

function notEditable(name: string, wanted: readonly WantedValue[]): UsageError {
  const lines = wanted.map(({ line }) => `  ${line}`).join("\n");
  return new UsageError(
    "configuration_not_editable",
    `${name} is not written as JSON with comments, and changing it would lose what stands in it. Put these lines in yourself:\n${lines}`,
  );
}

function withValue(tree: JsonObject, path: readonly string[], value: JsonValue): JsonObject {
  const [first = "", ...rest] = path;
  if (rest.length === 0) return { ...tree, [first]: value };
  const inner = tree[first];
  return { ...tree, [first]: withValue(isObject(inner) ? inner : {}, rest, value) };
}

function valueAt(tree: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (value, key) => (isObject(value) ? value[key] : undefined),
    tree,
  );
}

function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
