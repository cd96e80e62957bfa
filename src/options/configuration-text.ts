import { findNodeAtLocation, type Node, type ParseError, parseTree } from "jsonc-parser";
import { UsageError } from "../base/errors.js";
import type { PathStep } from "../base/schema.js";
import type { JsonValue } from "./json-value.js";

/** A position in a text; both count from 1, columns in UTF-16 code units. */
interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A key that is in its object twice. */
interface DuplicateKey {
  readonly path: readonly PathStep[];
  readonly offset: number;
  readonly first: TextPosition;
}

/** A parsed text of JSON with comments and trailing commas. */
export interface JsonText {
  readonly value: JsonValue;
  readonly duplicates: readonly DuplicateKey[];
  /** Returns the offset of the key or item at a path, or of its nearest parent if it is absent. */
  offsetOf(path: readonly PathStep[]): number;
  positionOf(offset: number): TextPosition;
}

/** Parses JSON with comments and trailing commas. Throws `UsageError`. `name` is for messages. */
export function parseJsonText(text: string, name: string): JsonText {
  const errors: ParseError[] = [];
  const root = tryParse(text, errors);
  const [error] = errors;
  if (error !== undefined || root === undefined) {
    const { line, column } = positionIn(text, error?.offset ?? 0);
    throw new UsageError(
      "configuration_malformed",
      `${name}:${line}:${column}: not valid JSON: ${reasonOf(text, error)}. ` +
        "Comments and trailing commas are allowed.",
    );
  }
  const duplicates: DuplicateKey[] = [];
  return {
    value: jsonOf(root, text, [], duplicates),
    duplicates,
    offsetOf: (steps) => offsetIn(root, steps),
    positionOf: (offset) => positionIn(text, offset),
  };
}

/** Returns undefined for lists nested so deeply that the recursive parser exhausts the stack. */
function tryParse(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { allowTrailingComma: true });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Messages for the parser's error numbers. */
const parseErrors: Readonly<Record<number, string>> = {
  2: "malformed number",
  3: "expected a key",
  4: "expected a value",
  5: "expected a colon",
  6: "expected a comma",
  7: "expected a closing brace",
  8: "expected a closing bracket",
  9: "expected the end of the file",
  11: "the comment does not end",
  12: "the string does not end",
  13: "malformed number",
  14: "malformed \\u escape",
  15: "unknown escape",
  16: "a control character in a string must be escaped",
};

function reasonOf(text: string, error: ParseError | undefined): string {
  if (text.trim() === "") return "the file is empty";
  if (error === undefined) return "nested too deeply";
  const found = text.slice(error.offset, error.offset + error.length);
  if (/^['\p{ID_Start}$_]/u.test(found)) return `${found} must be in double quotes`;
  return parseErrors[error.error] ?? `unexpected ${JSON.stringify(found)}`;
}

/** Returns the value of a node. The last of duplicate keys counts; each is added to `duplicates`. */
function jsonOf(
  node: Node,
  text: string,
  steps: readonly PathStep[],
  duplicates: DuplicateKey[],
): JsonValue {
  const { type, children = [] } = node;
  if (type === "array") {
    return children.map((item, index) => jsonOf(item, text, [...steps, index], duplicates));
  }
  if (type !== "object") return node.value as JsonValue;
  const offsets = new Map<string, number>();
  const entries = children.map(({ offset, children: [key, member] = [] }) => {
    const name = String(key?.value);
    const path = [...steps, name];
    const first = offsets.get(name);
    if (first === undefined) offsets.set(name, offset);
    else duplicates.push({ path, offset, first: positionIn(text, first) });
    return [name, jsonOf(member as Node, text, path, duplicates)] as const;
  });
  // Unlike assignment, this makes an own key of __proto__.
  return Object.fromEntries(entries);
}

function offsetIn(root: Node, steps: readonly PathStep[]): number {
  for (let length = steps.length; length > 0; length--) {
    const node = findNodeAtLocation(root, steps.slice(0, length));
    if (node !== undefined)
      return node.parent?.type === "property" ? node.parent.offset : node.offset;
  }
  return root.offset;
}

function positionIn(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}
