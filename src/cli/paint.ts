import type { CommandContext } from "./context.js";
import type { Output } from "./output.js";

type Colour = "bold" | "red" | "yellow" | "cyan";

const codes: Readonly<Record<Colour, number>> = { bold: 1, red: 31, yellow: 33, cyan: 36 };

/** First words of paragraphs, and of errors, that name a fault. */
const faults = /^(error:|Failed|Interrupted|Migration stopped|Not verified)/;

const warnings = /^(Rejected|Uncertain|More rows were rejected|Stopped)/;

/** `  label     text`, as `line` of the report room writes it. */
const label = /^( {2})([a-z]+(?: [a-z]+)?)(?= {2,}\S)/;

/** Returns a text in colour if the terminal behind the stream shows it; else the text as it is. */
export function paint(
  text: string,
  stream: "stdout" | "stderr",
  { color }: Pick<Output, "color">,
  context: CommandContext,
): string {
  const { NO_COLOR = "", TERM } = context.environment;
  const isShown = color && context[stream].isTTY === true && NO_COLOR === "" && TERM !== "dumb";
  return isShown ? text.split("\n").map(paintLine).join("\n") : text;
}

function paintLine(line: string): string {
  if (line === "") return line;
  if (!line.startsWith(" ")) {
    const colour = faults.test(line) ? "red" : warnings.test(line) ? "yellow" : "bold";
    return inColour(line, colour);
  }
  return line.replace(label, (_, indent: string, word: string) => indent + inColour(word, "cyan"));
}

function inColour(text: string, colour: Colour): string {
  return `\u001b[${codes[colour]}m${text}\u001b[0m`;
}
