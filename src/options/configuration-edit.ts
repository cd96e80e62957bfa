import { isDeepStrictEqual } from "node:util";
import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  parseTree,
  stripComments,
} from "jsonc-parser";
import { UsageError } from "../base/errors.js";
import { isObject } from "../base/is-object.js";
import { parseJsonText } from "./configuration-text.js";
import type { JsonValue } from "./json-value.js";

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

interface ConfigurationEdit {
  readonly text: string;
  /** Empty if the file already has all values. */
  readonly changes: readonly ConfigurationChange[];
}

/**
 * Puts values into the text of a configuration file; comments and layout of everything else stay as
 * they are. Pure. Several values for a path are merged if they can be, else the first one is used.
 * Throws `UsageError` with the lines to type if the text is malformed or has duplicate keys.
 */
export function editConfiguration(
  text: string,
  wanted: readonly WantedValue[],
  name: string,
): ConfigurationEdit {
  const before = contentOf(text, wanted, name);
  const changes = wanted
    .filter(
      ({ path }, index) => wanted.findIndex((one) => isDeepStrictEqual(one.path, path)) === index,
    )
    .map(({ path }) => ({ path, before: valueAt(before, path), after: mergedAt(path, wanted) }))
    .filter((change) => !isDeepStrictEqual(change.before, change.after));
  return { text: changes.reduce(editOne, text), changes };
}

function mergedAt(path: readonly string[], wanted: readonly WantedValue[]): JsonValue {
  const values = wanted
    .filter((one) => isDeepStrictEqual(one.path, path))
    .map(({ value }) => value);
  return (values as JsonValue[]).reduce((one, other) => merge(one, other) ?? one);
}

/** Merges two values for one key: lists of texts, and objects about the same field. */
function merge(one: JsonValue, other: JsonValue): JsonValue | undefined {
  if (isDeepStrictEqual(one, other)) return one;
  if (isObject(one) && isObject(other)) {
    if (!isDeepStrictEqual(one["field"], other["field"])) return undefined;
    const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    const members = keys.map((key) => {
      const [left, right] = [one[key], other[key]];
      if (left === undefined || right === undefined) return [key, left ?? right] as const;
      return [key, merge(left, right)] as const;
    });
    return members.some(([, value]) => value === undefined)
      ? undefined
      : (Object.fromEntries(members) as JsonValue);
  }
  if (!Array.isArray(one) || !Array.isArray(other)) return undefined;
  if ([...one, ...other].every((item) => typeof item === "string"))
    return [...new Set([...one, ...other])];
  if (one.length !== other.length) return undefined;
  const items = one.map((item, index) => merge(item, other[index] as JsonValue));
  return items.includes(undefined) ? undefined : (items as JsonValue[]);
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

/** Columns of a value that is written on one line. */
const LINE_COLUMNS = 100;

/** The layout of a file. */
interface TextLayout {
  /** One step of indentation. */
  readonly unit: string;
  readonly eol: string;
}

function editOne(text: string, { path, after }: ConfigurationChange): string {
  const body = withoutMark(text);
  return text.slice(0, text.length - body.length) + put(openComment(body, path[0]), path, after);
}

/**
 * Makes an object of a suggestion that `init` wrote as a comment, `// "mapping": { … },`, with its members
 * as comments. Otherwise uncommenting it after an edit would repeat the key.
 */
function openComment(text: string, key: string | undefined): string {
  const root = parseTree(text, [], { allowTrailingComma: true }) as Node;
  if (key === undefined || findNodeAtLocation(root, [key]) !== undefined) return text;
  const name = JSON.stringify(key).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found = new RegExp(`^([ \\t]*)// ${name}: \\{ (.+) \\},?[ \\t]*$`, "m").exec(text);
  if (found === null || !/[{,]\s*$/.test(stripComments(text.slice(0, found.index), " ")))
    return text;
  const [line, indent = "", members = ""] = found;
  const { unit, eol } = layoutOf(text);
  const opened = [
    `${indent}${JSON.stringify(key)}: {`,
    `${indent}${unit}// ${members}`,
    `${indent}},`,
  ];
  return text.slice(0, found.index) + opened.join(eol) + text.slice(found.index + line.length);
}

/** Returns the text with the value at the path. No other line changes. */
function put(text: string, path: readonly string[], value: JsonValue): string {
  const root = parseTree(text, [], { allowTrailingComma: true }) as Node;
  const isThere = (length: number) => findNodeAtLocation(root, path.slice(0, length)) !== undefined;
  const depth = path.findIndex((_, index) => !isThere(index + 1));
  const found = path.slice(0, depth < 0 ? path.length : depth);
  const node = findNodeAtLocation(root, found) as Node;
  const missing = path.slice(found.length);
  const [key, ...inner] = missing;
  if (key !== undefined && node.type === "object")
    return insert(text, node, nest(inner, value), key);
  const [before, after] = [getNodeValue(node) as JsonValue, nest(missing, value)];
  if (isObject(before) && isObject(after) && Object.keys(before).every((one) => one in after)) {
    return Object.entries(after)
      .filter(([name, one]) => !isDeepStrictEqual(before[name], one))
      .reduce((changed, [name, one]) => put(changed, [...found, name], one), text);
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const added = after.slice(before.length);
    if (added.length === 1 && isDeepStrictEqual(before, after.slice(0, -1))) {
      return insert(text, node, added[0] as JsonValue);
    }
  }
  const written = valueText(text, after, indentAt(text, node.offset));
  return text.slice(0, node.offset) + written + text.slice(node.offset + node.length);
}

/** Returns the value inside of an object for each key. */
function nest(keys: readonly string[], value: JsonValue): JsonValue {
  return keys.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value);
}

/** Adds a member or an item at the end of its object or list. */
function insert(text: string, parent: Node, value: JsonValue, key?: string): string {
  const { unit, eol } = layoutOf(text);
  const outer = indentAt(text, parent.offset);
  const last = parent.children?.at(-1);
  const start = parent.offset + 1;
  const isOnLines = text.slice(start, last?.offset ?? start + parent.length - 2).includes("\n");
  const indent = isOnLines && last !== undefined ? indentAt(text, last.offset) : outer + unit;
  const name = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const isOnOwnLine = isOnLines || (last === undefined && parent.parent === undefined);
  const item = name + valueText(text, value, isOnOwnLine ? indent : outer);
  if (last === undefined) {
    const close = isOnLines ? "" : `${eol}${outer}`;
    // Members that are comments may become members.
    const comma = /\/\/ *"/.test(text.slice(start, start + parent.length - 2)) ? "," : "";
    const inside = isOnOwnLine ? `${eol}${indent}${item}${comma}${close}` : ` ${item} `;
    return text.slice(0, start) + inside + text.slice(start);
  }
  const lastEnd = last.offset + last.length;
  const comma = commaAfter(text, lastEnd);
  const position = isOnLines ? lineRestAfter(text, comma ?? lastEnd) : (comma ?? lastEnd);
  return (
    text.slice(0, lastEnd) +
    (comma === undefined ? "," : "") +
    text.slice(lastEnd, position) +
    (isOnLines ? eol + indent : " ") +
    item +
    (comma === undefined ? "" : ",") +
    text.slice(position)
  );
}

/** Returns the offset after the next comma; undefined if another token follows. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text[scanner.getTokenOffset()] === "," ? scanner.getPosition() : undefined;
}

/** Returns the offset after a comment on the same line; the given offset if other text follows. */
function lineRestAfter(text: string, offset: number): number {
  const rest = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)?[ \t]*(?=\r?\n)/.exec(text.slice(offset));
  return offset + (rest?.[0].length ?? 0);
}

/** Returns a value on one line if it is short, else indented. */
function valueText(text: string, value: JsonValue, indent: string): string {
  const line = lineText(value);
  if (indent.length + line.length <= LINE_COLUMNS) return line;
  const { unit, eol } = layoutOf(text);
  return JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${indent}`);
}

function lineText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(lineText).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, one]) => `${lineText(key)}: ${lineText(one)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** Returns the indentation of the line of an offset. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? "";
}

/** Detects indentation and line ends of the file. */
function layoutOf(text: string): TextLayout {
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  return { unit, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

function valueAt(tree: JsonValue, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    tree,
  );
}

/** Returns the text after its byte order mark. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
