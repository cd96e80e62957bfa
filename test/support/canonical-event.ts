const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g;
const memberOrder = ["event", "user", "timestamp", "value", "metadata", "insertID"];

/**
 * Writes an event canonically: its members in a fixed order, without white space, every token unchanged.
 * Works on the text, so that digits, escapes and repeated names are compared as well.
 */
export function canonicalEvent(line: string): string {
  const members = splitMembers(line);
  for (const name of members.keys()) {
    if (!memberOrder.includes(name)) throw new Error(`unknown member ${name} in event ${line}`);
  }
  const written = memberOrder
    .filter((name) => members.has(name))
    .map((name) => `"${name}":${members.get(name)}`);
  return `{${written.join(",")}}`;
}

/** Texts of the members of one JSON object, by name. */
function splitMembers(line: string): Map<string, string> {
  JSON.parse(line); // whatever comes after may believe that it is well-formed
  const members = new Map<string, string>();
  let depth = 0;
  let name: string | undefined;
  let text = "";
  for (const [token] of line.matchAll(tokens)) {
    if (token === "}" || token === "]") depth--;
    if (depth === 0) {
      if (name !== undefined) members.set(name, text);
    } else if (depth === 1 && token === ",") {
      if (name !== undefined) members.set(name, text);
      name = undefined;
      text = "";
    } else if (depth === 1 && name === undefined) {
      name = JSON.parse(token) as string;
    } else if (!(depth === 1 && token === ":" && text === "")) {
      text += token;
    }
    if (token === "{" || token === "[") depth++;
  }
  return members;
}
