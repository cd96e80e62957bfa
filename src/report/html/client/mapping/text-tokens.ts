/**
 * A piece of a row as it is laid out for reading. Texts are the row's own; only the space between
 * them is ours.
 */
export interface TextToken {
  readonly kind: "key" | "value" | "mark" | "space";
  readonly text: string;
  /** What the text means: without quotes and escapes. */
  readonly value: string;
  /** Name under which a value stands, or the key itself; empty where there is none. */
  readonly key: string;
  /** Outermost name that it stands under: of an event, the field. */
  readonly field: string;
}

const NESTED_MAX = 32;

/**
 * A row's text in pieces: JSON with a line for each member, in texts that are JSON as well, and other
 * text as the cells of a record, a line for each. A row that was cut ends where it was cut.
 */
export function rowTokens(row: string): readonly TextToken[] {
  if (isJson(row)) return jsonTokens(row, 0, "", "");
  return recordCells(row).flatMap((cell, place) => {
    const before = place === 0 ? [] : [space("\n")];
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
  pieces.forEach((piece, place) => {
    const next = pieces[place + 1];
    if (piece === "{" || piece === "[") {
      openers.push(piece);
      tokens.push(mark(piece));
      if (next !== "}" && next !== "]") tokens.push(indent());
    } else if (piece === "}" || piece === "]") {
      openers.pop();
      const before = pieces[place - 1];
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

/** A value; where it is a text that holds an object itself, the object's pieces between its quotes. */
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

/** What a JSON text means; anything else means itself. */
function plainText(piece: string): string {
  if (!piece.startsWith('"')) return piece;
  try {
    return String(JSON.parse(piece));
  } catch {
    return piece.replace(/^"|"$/g, "");
  }
}

/** The cells of a line of CSV, parted by whichever usual delimiter it has most of. */
function recordCells(row: string): readonly string[] {
  const bare = row.replace(/"(?:[^"]|"")*"?/g, "");
  const counts = [",", "\t", ";", "|"].map((delimiter) => bare.split(delimiter).length);
  const delimiter = [",", "\t", ";", "|"][counts.indexOf(Math.max(...counts))] ?? ",";
  const cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let place = 0; place < row.length; place++) {
    const character = row[place] ?? "";
    if (isQuoted && character === '"' && row[place + 1] === '"') {
      cell += '"';
      place++;
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
