import type { Preview, PreviewEvent, PreviewRow } from "../engine/preview-rows.js";
import { harmless } from "../report/terminal-text.js";
import { type TableColumn, tableLines } from "../report/text-table.js";
import type { TargetRule } from "../target/target-rules.js";

/** Columns of a terminal whose width is not known. */
const WIDTH = 120;

/** Formats a preview as a table that fits the width of the terminal. Characters of data cannot draw on it. */
export function previewTable(
  { rows, failures }: Preview,
  title: string | undefined,
  width = WIDTH,
): string {
  const lines = rows.flatMap((row) => linesOf(row, title));
  const at = (index: number) => lines.map((cells) => harmless(cells[index] ?? ""));
  const columns: TableColumn[] = [
    { heading: "row", widthMax: 8, cells: at(0) },
    { heading: "event", widthMax: 28, cells: at(1) },
    { heading: "time (UTC)", widthMax: 19, cells: at(2) },
    { heading: "user", widthMax: 14, cells: at(3) },
    { heading: "device", widthMax: 14, cells: at(4) },
    { heading: "properties", cells: at(5) },
    ...(title === undefined ? [] : [{ heading: title, cells: at(6) }]),
  ];
  return [
    ...tableLines(columns, width),
    ...failures.map(({ source, code, message }) => harmless(`${source}: ${message} [${code}]`)),
  ].join("\n");
}

function linesOf(row: PreviewRow, title: string | undefined): readonly (readonly string[])[] {
  const number = String(row.row ?? "");
  if (row.reject !== undefined)
    return [[number, "rejected", "", "", "", `${row.reject.message} [${row.reject.code}]`, ""]];
  if (row.isFiltered === true) return [[number, "filtered", "", "", "", "", ""]];
  return row.events.map((event, index) => [
    number,
    event.event,
    timeOf(event),
    textOf(event.user["userID"]),
    textOf(event.user["stableID"]),
    JSON.stringify(event.metadata),
    title === undefined ? "" : targetText(row, event, row.repaired?.[index]),
  ]);
}

function timeOf(event: PreviewEvent): string {
  const time = Number(event["timestamp"]);
  return new Date(time).toISOString().replace("T", " ").slice(0, -5);
}

function textOf(id: unknown): string {
  return typeof id === "string" ? id : "";
}

const effects: Readonly<Record<TargetRule, string>> = {
  name: "dropped: the name is not valid",
  size: "dropped: the metadata is too large",
  value: "value cut",
  dots: "null",
  nested: "text",
  user: "not found",
};

/** `auto:pageview; metadata.tags: text`: the name there, and what else differs. */
function targetText(
  { breaches }: PreviewRow,
  event: PreviewEvent,
  delivered: PreviewEvent | undefined,
): string {
  const lost = breaches.find(({ isLost }) => isLost);
  if (lost !== undefined) return effects[lost.rule];
  const renamed =
    delivered === undefined || delivered.event === event.event ? [] : [delivered.event];
  const isOther = JSON.stringify(delivered?.metadata) !== JSON.stringify(event.metadata);
  const metadata = isOther && delivered !== undefined ? [JSON.stringify(delivered.metadata)] : [];
  const changes = breaches.map(({ rule, property }) => `${property}: ${effects[rule]}`);
  const all = [...renamed, ...metadata, ...changes];
  return all.length === 0 ? "as it is" : all.join("; ");
}
