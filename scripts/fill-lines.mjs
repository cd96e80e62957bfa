const LINE_COLUMNS = 100;

/** Returns `head`, the items and `tail` on one line, or the items on indented lines of their own. */
export function fillLines(indent, head, items, tail) {
  const line = `${indent}${head}${items.join(", ")}${tail}\n`;
  if (line.length <= LINE_COLUMNS + 1) return line;
  const lines = [];
  for (const item of items) {
    const last = lines.at(-1);
    const longer = `${last} ${item},`;
    if (last === undefined || longer.length > LINE_COLUMNS) lines.push(`${indent}  ${item},`);
    else lines[lines.length - 1] = longer;
  }
  return `${indent}${head.trimEnd()}\n${lines.join("\n")}\n${indent}${tail.trimStart()}\n`;
}
