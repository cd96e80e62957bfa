import { rejectCodeName } from "../../src/base/reject-codes.js";
import type { Batch, FieldRequest } from "../../src/batch/batch.js";
import { type CellKind, Column, cellKinds } from "../../src/batch/column.js";
import { type EventBatch, outcomes } from "../../src/batch/event-batch.js";
import type { Kernel } from "../../src/batch/kernel.js";

/**
 * The cell that a reader would have found: text, a number by its digits, JSON text of an object, a list or a
 * scalar (`{ json }`), text with a lone surrogate (`{ malformed }`, escaped), or nothing.
 */
export type Cell = string | number | null | { json: string } | { malformed: string };

/** Cells by dotted path; what is not named is null. */
export type CellRow = Readonly<Record<string, Cell>>;

/** Puts cells into kernel memory as the columns that were asked for. */
export function createBatch(
  kernel: Kernel,
  fields: readonly FieldRequest[],
  rows: readonly CellRow[],
  faults: readonly number[] = [],
): Batch {
  const columns = fields.map(({ path, form }) => {
    const column = new Column(kernel);
    rows.forEach((row, index) => {
      const [kind, text] = encode(row[path.join(".")] ?? null, form);
      const bytes = Buffer.from(text);
      const start = kernel.allocate(bytes.length);
      kernel.bytes.set(bytes, start);
      column.set(index, kind, start, bytes.length);
    });
    return column;
  });
  const faultsAddress = kernel.allocate(rows.length);
  kernel.bytes.fill(0, faultsAddress, faultsAddress + rows.length);
  kernel.bytes.set(faults, faultsAddress);
  return {
    kernel,
    rows: rows.length,
    columns,
    faults: faultsAddress,
    raw: {
      number: (row) => row + 1,
      offset: () => undefined,
      bytes: (row) => Buffer.from(JSON.stringify(rows[row])),
      explain: () => "the reader's words",
    },
  };
}

function encode(cell: Cell, form: FieldRequest["form"]): readonly [CellKind, string] {
  if (cell === null) return [cellKinds.null, ""];
  if (typeof cell === "number") return [cellKinds.number, String(cell)];
  if (typeof cell === "string") {
    return [cellKinds.string, form === "json" ? JSON.stringify(cell) : cell];
  }
  if ("malformed" in cell) return [cellKinds.malformedString, cell.malformed];
  return [kindOf(cell.json), cell.json];
}

function kindOf(json: string): CellKind {
  if (json.startsWith("{")) return cellKinds.object;
  if (json.startsWith("[")) return cellKinds.array;
  if (json.startsWith('"')) return cellKinds.string;
  return /^[tf]/.test(json) ? cellKinds.boolean : cellKinds.number;
}

/** A row of an event batch as text; of a row that is not delivered only its outcome. */
export interface EventRow {
  readonly outcome: string;
  readonly event?: string | undefined;
  readonly timestamp?: number | undefined;
  readonly userID?: string | undefined;
  readonly stableID?: string | undefined;
  readonly value?: string | undefined;
  readonly user?: string | undefined;
  readonly metadata?: string | undefined;
}

export function readEvents(events: EventBatch): readonly EventRow[] {
  const { kernel } = events;
  return Array.from({ length: events.rows }, (_, row) => {
    const code = kernel.bytes[events.outcomes + row] as number;
    if (code === outcomes.filtered) return { outcome: "filtered" };
    if (code !== outcomes.deliver) return { outcome: rejectCodeName(code) };
    return {
      outcome: "deliver",
      event: events.event.text(row),
      timestamp: kernel.doubles[events.timestamps / 8 + row],
      userID: events.userID.text(row),
      stableID: events.stableID.text(row),
      value: events.value.text(row),
      user: events.user.text(row),
      metadata: events.metadata.text(row),
    };
  });
}
