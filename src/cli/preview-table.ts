import { sum } from "../base/sum.js";
import type { Preview, PreviewEvent, PreviewRow } from "../engine/preview-rows.js";
import { cutEnd, harmless, widthOf } from "../report/terminal-text.js";
import type { TargetRule } from "../target/target-rules.js";

/** Columns of a terminal whose width is not known. */
const WIDTH = 120;
/** A column is not made narrower than this. */
const WIDTH_MIN = 8;
/** Columns without a largest width become as narrow as this before others do. */
const OPEN_WIDTH_MIN = 20;
const GAP = "  ";

interface TableColumn {
  readonly heading: string;
  /** Columns that it may take; the others share what is left. */
  readonly widthMax?: number;
  readonly cells: readonly string[];
}

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

function tableLines(columns: readonly TableColumn[], width: number): readonly string[] {
  const wanted = columns.map(({ heading, cells, widthMax = Number.POSITIVE_INFINITY }) =>
    Math.min(
      widthMax,
      cells.reduce((most, cell) => Math.max(most, widthOf(cell)), widthOf(heading)),
    ),
  );
  const isOpen = columns.map(({ widthMax }) => widthMax === undefined);
  const widths = fit(wanted, isOpen, width - GAP.length * (columns.length - 1));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => padded(cutEnd(cell, widths[index] ?? 0), widths[index] ?? 0))
      .join(GAP)
      .trimEnd();
  const count = columns[0]?.cells.length ?? 0;
  return [
    line(columns.map(({ heading }) => heading)),
    ...Array.from({ length: count }, (_, row) =>
      line(columns.map(({ cells }) => cells[row] ?? "")),
    ),
  ];
}

/** Makes the widest columns narrower until all fit, the open ones first. */
function fit(
  wanted: readonly number[],
  isOpen: readonly boolean[],
  width: number,
): readonly number[] {
  const widths = [...wanted];
  const widestOf = (least: number, isAmong: (index: number) => boolean) =>
    widths.reduce<number | undefined>((widest, one, index) => {
      const isWider = widest === undefined || one > (widths[widest] ?? 0);
      return isAmong(index) && one > least && isWider ? index : widest;
    }, undefined);
  for (let over = sum(widths, (one) => one) - width; over > 0; over--) {
    const widest =
      widestOf(OPEN_WIDTH_MIN, (index) => isOpen[index] === true) ??
      widestOf(WIDTH_MIN, () => true);
    if (widest === undefined) return widths;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
