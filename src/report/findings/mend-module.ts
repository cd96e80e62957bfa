import type { Observation } from "./observation.js";

/**
 * A transform module that does what observations say mends them: each in a block of its own, in
 * their order. What is deep inside a value of several types is written as JSON.
 */
export function mendModule(observations: readonly Observation[]): string {
  const mends = observations.filter(({ mend }) => mend !== undefined);
  const blocks = mends.map(({ code, mend = "" }) => `  // ${code}\n  {\n${indent(mend)}\n  }`);
  const needsPlain = mends.some(({ mend = "" }) => mend.includes("isPlain("));
  const plain =
    'const isPlain = (value) => typeof value !== "object" || value.isLosslessNumber === true;\n\n';
  return `${needsPlain ? plain : ""}export default (event) => {\n${blocks.join("\n")}\n  return event;\n};\n`;
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}
