import type { ReportSample } from "../../profile/report.js";

/** A piece of a row, laid out for reading. Texts are from the row; only space and names of cells are added. */
export interface TextToken {
  readonly kind: "key" | "value" | "null" | "mark" | "space";
  readonly text: string;
  /** The text without quotes and escapes. */
  readonly value: string;
  /** Keys and indexes from the root of the row; empty for pieces outside of all members. */
  readonly path: readonly string[];
}

/** A member of the row with its name and value; a row that is not an object has one without a name. */
export interface RowMember {
  readonly name: string;
  readonly tokens: readonly TextToken[];
}

type TokenDialect = NonNullable<ReportSample["csv"]>;

const NESTED_MAX = 32;

/**
 * Splits a row into its members and their pieces: JSON with a line for each member, also inside texts that
 * are JSON, and other text as named cells. A row may be cut anywhere.
 */
export function rowMembers(row: string, csv?: TokenDialect): readonly RowMember[] {
  if (csv === undefined && isJson(row)) return jsonMembers(row);
  const cells = csv === undefined ? [{ cell: row, isNull: false }] : recordCells(row, csv);
  return cells.map(({ cell, isNull }, index) => {
    const name = csv?.columns[index] ?? "";
    // The first of several columns of the same name is read.
    const path = csv !== undefined && csv.columns.indexOf(name) < index ? [] : [name];
    const key = { kind: "key", text: name, value: name, path } as const;
    const tokens = isJson(cell)
      ? jsonTokens(cell, 0, path)
      : [{ kind: isNull ? "null" : "value", text: cell, value: cell, path } as const];
    return { name, tokens: name === "" ? tokens : [key, mark(":", path), space(" "), ...tokens] };
  });
}

/** Groups the pieces of an object by its members, without its own braces and commas. */
function jsonMembers(row: string): readonly RowMember[] {
  const members: { readonly name: string; readonly tokens: TextToken[] }[] = [];
  for (const token of jsonTokens(row, -1, [])) {
    const isNext = token.kind === "key" && token.path.length === 1;
    if (isNext) members.push({ name: token.value, tokens: [] });
    if (token.path.length > 0) members.at(-1)?.tokens.push(token);
  }
  return members.length > 0 ? members : [{ name: "", tokens: jsonTokens(row, 0, []) }];
}

function isJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

interface OpenValue {
  readonly isObject: boolean;
  /** Path of the value, and the key or index of its present member. */
  readonly path: readonly string[];
  key: string;
}

function jsonTokens(text: string, depth: number, root: readonly string[]): readonly TextToken[] {
  const tokens: TextToken[] = [];
  const pieces = text.match(/"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs) ?? [];
  const open: OpenValue[] = [];
  const pathHere = () => {
    const inner = open.at(-1);
    return inner === undefined ? root : [...inner.path, inner.key];
  };
  const indent = () =>
    space(`\n${"  ".repeat(Math.max(0, depth + open.length))}`, open.at(-1)?.path);
  pieces.forEach((piece, index) => {
    const inner = open.at(-1);
    const next = pieces[index + 1];
    if (piece === "{" || piece === "[") {
      const path = pathHere();
      open.push({ isObject: piece === "{", path, key: piece === "{" ? "" : "0" });
      tokens.push(mark(piece, path));
      if (next !== "}" && next !== "]") tokens.push(indent());
    } else if (piece === "}" || piece === "]") {
      open.pop();
      const before = pieces[index - 1];
      if (before !== "{" && before !== "[") tokens.push({ ...indent(), path: inner?.path ?? root });
      tokens.push(mark(piece, inner?.path ?? root));
    } else if (piece === ",") {
      if (inner !== undefined) inner.key = inner.isObject ? "" : String(Number(inner.key) + 1);
      tokens.push(mark(piece, inner?.path), indent());
    } else if (piece === ":") {
      tokens.push(mark(piece, pathHere()), space(" ", pathHere()));
    } else if (next === ":" && inner?.isObject === true) {
      inner.key = plainText(piece);
      tokens.push({ kind: "key", text: piece, value: inner.key, path: pathHere() });
    } else {
      tokens.push(...valueTokens(piece, depth + open.length, pathHere()));
    }
  });
  return tokens;
}

/** Returns a value as one piece, or the pieces of the object that its text contains. */
function valueTokens(piece: string, depth: number, path: readonly string[]): readonly TextToken[] {
  const value = plainText(piece);
  if (!piece.startsWith('"') || !/^\s*\{/.test(value) || depth > NESTED_MAX) {
    return [{ kind: piece === "null" ? "null" : "value", text: piece, value, path }];
  }
  return [mark('"', path), ...jsonTokens(value, depth, path), mark('"', path)];
}

/** Parses a JSON text; other text stays as it is. */
function plainText(piece: string): string {
  if (!piece.startsWith('"')) return piece;
  try {
    return String(JSON.parse(piece));
  } catch {
    return piece.replace(/^"|"$/g, "");
  }
}

/** Characters that letters after a backslash stand for. */
const escaped: Readonly<Record<string, string>> = {
  "0": "\0",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

interface Cell {
  readonly cell: string;
  readonly isNull: boolean;
}

/** Splits a record of CSV into its cells. */
function recordCells(row: string, dialect: TokenDialect): readonly Cell[] {
  const { delimiter, quote, backslashes, nulls } = dialect;
  const escaping = dialect.escape ?? quote;
  const cells: Cell[] = [];
  let [cell, start, isQuoted] = ["", 0, false];
  const end = (at: number) => {
    const isNull = cell === "" || row.slice(start, at) === "\\N" || nulls.includes(cell);
    cells.push({ cell, isNull });
    [cell, start] = ["", at + 1];
  };
  for (let index = 0; index < row.length; index++) {
    const character = row[index] ?? "";
    const next = row[index + 1] ?? "";
    if (backslashes && character === "\\" && next !== "") {
      cell += escaped[next] ?? next;
      index++;
    } else if (isQuoted && character === escaping && (next === quote || next === escaping)) {
      cell += next;
      index++;
    } else if (character === quote && (isQuoted || cell === "")) isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) end(index);
    else cell += character;
  }
  end(row.length);
  return cells;
}

function mark(text: string, path: readonly string[] = []): TextToken {
  return { kind: "mark", text, value: text, path };
}

function space(text: string, path: readonly string[] = []): TextToken {
  return { kind: "space", text, value: "", path };
}
