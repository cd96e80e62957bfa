/** A piece of a row, laid out for reading. Texts are from the row; only space between them is added. */
export interface TextToken {
  readonly kind: "key" | "value" | "mark" | "space";
  readonly text: string;
  /** The text without quotes and escapes. */
  readonly value: string;
  /** Key of the value, or the key itself; empty if there is none. */
  readonly key: string;
  /** Outermost key: the field of an event. */
  readonly field: string;
}

const NESTED_MAX = 32;

/**
 * Splits a row into pieces: JSON with a line for each member, also inside texts that are JSON, and other
 * text as cells of a record, one on each line. A row may be cut anywhere.
 */
export function rowTokens(row: string): readonly TextToken[] {
  if (isJson(row)) return jsonTokens(row, 0, "", "");
  return recordCells(row).flatMap((cell, index) => {
    const before = index === 0 ? [] : [space("\n")];
    if (isJson(cell)) return [...before, ...jsonTokens(cell, 0, "", "")];
    return [...before, { kind: "value", text: cell, value: cell, key: "", field: "" } as const];
  });
}

function isJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

function jsonTokens(
  text: string,
  depth: number,
  outerKey: string,
  outerField: string,
): readonly TextToken[] {
  const tokens: TextToken[] = [];
  const pieces = text.match(/"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs) ?? [];
  const openers: string[] = [];
  let key = outerKey;
  const fieldHere = () => (outerField === "" ? key : outerField);
  let field = outerField;
  const indent = () => space(`\n${"  ".repeat(depth + openers.length)}`);
  const mark = (piece: string) =>
    ({ kind: "mark", text: piece, value: piece, key: "", field }) as const;
  pieces.forEach((piece, index) => {
    const next = pieces[index + 1];
    if (piece === "{" || piece === "[") {
      openers.push(piece);
      tokens.push(mark(piece));
      if (next !== "}" && next !== "]") tokens.push(indent());
    } else if (piece === "}" || piece === "]") {
      openers.pop();
      const before = pieces[index - 1];
      if (before !== "{" && before !== "[") tokens.push(indent());
      tokens.push(mark(piece));
    } else if (piece === ",") {
      tokens.push(mark(piece), indent());
    } else if (piece === ":") {
      tokens.push(mark(piece), space(" "));
    } else if (next === ":" && openers.at(-1) === "{") {
      key = plainText(piece);
      if (openers.length === 1) field = fieldHere();
      tokens.push({ kind: "key", text: piece, value: key, key, field });
    } else {
      tokens.push(...valueTokens(piece, depth + openers.length, key, field));
    }
  });
  return tokens;
}

/** Returns a value as one piece, or the pieces of the object that its text contains. */
function valueTokens(
  piece: string,
  depth: number,
  key: string,
  field: string,
): readonly TextToken[] {
  const value = plainText(piece);
  if (!piece.startsWith('"') || !/^\s*\{/.test(value) || depth > NESTED_MAX) {
    return [{ kind: "value", text: piece, value, key, field }];
  }
  const quote = { kind: "mark", text: '"', value: '"', key: "", field } as const;
  return [quote, ...jsonTokens(value, depth, key, field), quote];
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

/** Splits a line of CSV at the usual delimiter that it has most of. */
function recordCells(row: string): readonly string[] {
  const bare = row.replace(/"(?:[^"]|"")*"?/g, "");
  const counts = [",", "\t", ";", "|"].map((delimiter) => bare.split(delimiter).length);
  const delimiter = [",", "\t", ";", "|"][counts.indexOf(Math.max(...counts))] ?? ",";
  const cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let index = 0; index < row.length; index++) {
    const character = row[index] ?? "";
    if (isQuoted && character === '"' && row[index + 1] === '"') {
      cell += '"';
      index++;
    } else if (character === '"' && (isQuoted || cell === "")) isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) {
      cells.push(cell);
      cell = "";
    } else cell += character;
  }
  return [...cells, cell];
}

function space(text: string): TextToken {
  return { kind: "space", text, value: "", key: "", field: "" };
}
