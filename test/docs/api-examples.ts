import { readFileSync } from "node:fs";

/** A command of docs/api.md and what it says to answer. */
export interface ApiExample {
  /** 1-based line of the command in the page. */
  readonly line: number;
  readonly command: string;
  /** A value in which `"…"` stands is left open. */
  readonly answer: unknown;
}

const block = /^```(sh|json)\n([\s\S]*?)^```$/gm;

/** The commands that are to be run, in their order, each with the answer that follows it. */
export function readApiExamples(): ApiExample[] {
  const text = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  const blocks = [...text.matchAll(block)].map((match) => ({
    line: text.slice(0, match.index).split("\n").length + 1,
    language: match[1] as string,
    content: match[2] as string,
  }));
  return blocks.flatMap(({ line, language, content }, index) => {
    if (language === "json") {
      if (blocks[index - 1]?.language === "sh") return [];
      throw new Error(`docs/api.md, line ${line}: an answer without a command`);
    }
    const answer = blocks[index + 1];
    if (answer?.language !== "json") {
      throw new Error(`docs/api.md, line ${line}: a command without an answer`);
    }
    return [{ line, command: content, answer: JSON.parse(answer.content) as unknown }];
  });
}

const OPEN = "…";

/** The places in which an answer differs from what the page shows; empty if it does not. */
export function differences(shown: unknown, actual: unknown, path = "answer"): string[] {
  if (shown === OPEN) return actual === undefined ? [`${path} is missing`] : [];
  if (typeof shown !== "object" || shown === null) {
    return Object.is(shown, actual) ? [] : [unlike(path, shown, actual)];
  }
  if (
    typeof actual !== "object" ||
    actual === null ||
    Array.isArray(shown) !== Array.isArray(actual)
  ) {
    return [unlike(path, shown, actual)];
  }
  const shownFields = new Map(Object.entries(shown));
  const actualFields = new Map(Object.entries(actual));
  const open = shownFields.delete(OPEN);
  return [
    ...[...shownFields].flatMap(([field, value]) =>
      differences(value, actualFields.get(field), `${path}.${field}`),
    ),
    ...(open ? [] : [...actualFields.keys()])
      .filter((field) => !shownFields.has(field))
      .map((field) => `${path}.${field} is not shown`),
  ];
}

function unlike(path: string, shown: unknown, actual: unknown): string {
  return `${path} is ${JSON.stringify(actual)}, shown is ${JSON.stringify(shown)}`;
}
