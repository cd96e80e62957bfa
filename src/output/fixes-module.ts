/** Statements that fix one finding. They may call the functions below. */
export interface FixStatements {
  readonly code: string;
  readonly statements: string;
}

/**
 * Functions of a module, each after those that it calls. A transform gets the numbers that a double would
 * change as BigInt or LosslessNumber, which `JSON.stringify` and `JSON.parse` do not know.
 */
const functions = {
  toNumber: `
const digits = Symbol.for("lossless-json.LosslessNumber");
const toNumber = (text) =>
  String(Number(text)) === text ? Number(text) : { [digits]: true, toString: () => text };
`,
  parseJson: String.raw`
const tokens = /"(?:[^"\\]+|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const parseJson = (text) => {
  const value = JSON.parse(text);
  const isKept = (token) => token[0] === '"' || String(Number(token)) === token;
  const wrapped = text.replace(tokens, (token) =>
    isKept(token) ? token : '{"LosslessNumber":"' + token + '"}',
  );
  if (wrapped === text) return value;
  return JSON.parse(wrapped, (_, value) =>
    typeof value?.LosslessNumber === "string" ? toNumber(value.LosslessNumber) : value,
  );
};
`,
  toJson: `
const toJson = (value) => {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (value[Symbol.for("lossless-json.LosslessNumber")]) return String(value);
  if (Array.isArray(value)) return "[" + value.map(toJson).join(",") + "]";
  const member = ([key, value]) => toJson(key) + ":" + toJson(value);
  return "{" + Object.entries(value).map(member).join(",") + "}";
};
`,
} as const;

/** Returns a transform module with the statements of all fixes, each in a block of its own, in order. */
export function fixesModule(fixes: readonly FixStatements[]): string {
  const blocks = fixes.map(
    ({ code, statements }) => `  // ${code}\n  {\n${indent(statements)}\n  }`,
  );
  const body = `export default (event) => {\n${blocks.join("\n")}\n  return event;\n};\n`;
  return `${functionsFor(body)}${body}`;
}

/** Returns the functions that statements need, with a blank line after each. */
export function functionsFor(statements: string): string {
  const calls = (name: keyof typeof functions) => statements.includes(`${name}(`);
  const { toNumber, parseJson, toJson } = functions;
  const needed = [
    ...(calls("toNumber") || calls("parseJson") ? [toNumber] : []),
    ...(calls("parseJson") ? [parseJson] : []),
    ...(calls("toJson") ? [toJson] : []),
  ];
  return needed.map((text) => `${text.trimStart()}\n`).join("");
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}
