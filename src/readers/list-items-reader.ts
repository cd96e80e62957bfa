import { type ListStep, listStepOf } from "../base/list-step.js";
import { oncePer } from "../base/once.js";
import type { Batch, FieldRequest } from "../batch/batch.js";
import { Column, cellKinds } from "../batch/column.js";
import { type Kernel, Region } from "../batch/kernel.js";
import { listIn } from "./json/list-text.js";
import { RowScanner } from "./json/row-scanner.js";
import type { Reader } from "./reader.js";
import { WrappedReader } from "./wrapped-reader.js";

/** Bytes before and after the lists, for kernels that look around. */
const MARGIN_BYTES = 64;
const LINE_FEED = 0x0a;

/** A field of the object that a step chooses from a list. */
interface ChosenField {
  readonly step: ListStep;
  /** Fields of the elements of the list: the member that decides, and the field. */
  readonly fields: readonly FieldRequest[];
}

interface SplitFields {
  /** Fields with the list instead of what is in it. */
  readonly outer: readonly FieldRequest[];
  readonly chosen: readonly (ChosenField | undefined)[];
}

/** Scanners are pooled by their list of fields, so a list is split once. */
const splitOnce = oncePer(splitFields);

/**
 * Opens a reader with `open`, and adds the fields whose path has a step `[member=text]`: they are of the first
 * object of a list whose member has that text, or null.
 */
export async function withListItems(
  kernel: Kernel,
  fields: readonly FieldRequest[],
  rowBytesMax: number,
  open: (fields: readonly FieldRequest[]) => Promise<Reader>,
): Promise<Reader> {
  const split = splitOnce(fields);
  const reader = await open(split.outer);
  const items = split.chosen.map((one) => one && new ListItems(kernel, one, rowBytesMax));
  return new ListItemsReader(reader, items);
}

function splitFields(fields: readonly FieldRequest[]): SplitFields {
  const chosen = fields.map(({ path, ...field }): ChosenField | undefined => {
    const at = path.findIndex((step) => listStepOf(step) !== undefined);
    const step = listStepOf(path[at] ?? "");
    if (step === undefined) return undefined;
    const member = { path: [step.member], form: "text" } as const;
    return { step, fields: [member, { ...field, path: path.slice(at + 1) }] };
  });
  const outer = fields.map((field, index): FieldRequest => {
    if (chosen[index] === undefined) return field;
    const at = field.path.findIndex((step) => listStepOf(step) !== undefined);
    return { path: field.path.slice(0, at), form: "text" };
  });
  return { outer, chosen };
}

class ListItemsReader extends WrappedReader {
  constructor(
    reader: Reader,
    private readonly items: readonly (ListItems | undefined)[],
  ) {
    super(reader);
  }

  async next(): Promise<Batch | null> {
    const batch = await this.reader.next();
    if (batch === null) return null;
    const columns = batch.columns.map((lists, index) => this.items[index]?.fill(batch, lists));
    return { ...batch, columns: columns.map((own, index) => own ?? batch.columns[index]!) };
  }

  override async close(): Promise<void> {
    for (const one of this.items) one?.free();
    await super.close();
  }
}

/** A list that is copied, and the cell that is chosen from it. */
interface CopiedList {
  /** Address of the copy. */
  readonly start: number;
  /** The cell: kind, address and length; kind null until an object fits. */
  cell: readonly [kind: number, start: number, length: number];
}

const NO_CELL = [cellKinds.null, 0, 0] as const;

/** The column of one field: lists are copied one after the other, and scanned as JSON values. */
class ListItems {
  readonly #column: Column;
  readonly #lists: Region;
  readonly #cells: Region;
  readonly #scanner: RowScanner;
  readonly #text: Buffer;

  constructor(
    private readonly kernel: Kernel,
    { step, fields }: ChosenField,
    rowBytesMax: number,
  ) {
    this.#column = new Column(kernel);
    this.#lists = new Region(kernel, 2 * MARGIN_BYTES);
    this.#cells = new Region(kernel, 0);
    this.#scanner = RowScanner.take(kernel, fields, "values", rowBytesMax);
    this.#text = Buffer.from(step.text);
  }

  /** Returns the column of a batch. Cells of faulty rows are null. */
  fill(batch: Batch, lists: Column): Column {
    const { owners, copies, end } = this.#copyLists(batch, lists);
    this.#choose(copies, end);
    for (let row = 0; row < batch.rows; row++) {
      const [kind, start, length] = copies[owners[row]! - 1]?.cell ?? NO_CELL;
      this.#column.set(row, kind as 0, start, length);
    }
    return this.#column;
  }

  free(): void {
    this.#column.free();
    this.#lists.free();
    this.#cells.free();
    this.#scanner.release();
  }

  /** Copies the lists of rows; elements of one row share theirs. `owners`: number of the list, 0 for none. */
  #copyLists({ rows, faults }: Batch, lists: Column) {
    const { kernel } = this;
    this.#lists.ensure(lists.totalBytes(rows) + rows + 2 * MARGIN_BYTES);
    const owners = new Uint32Array(rows);
    const copies: CopiedList[] = [];
    let end = this.#lists.address + MARGIN_BYTES;
    for (let row = 0; row < rows; row++) {
      if (kernel.bytes[faults + row] !== 0) continue;
      if (row > 0 && owners[row - 1]! > 0 && isSameCell(kernel, lists, row)) {
        owners[row] = owners[row - 1]!;
        continue;
      }
      const list = listBytes(lists, row);
      if (list === undefined) continue;
      owners[row] = copies.push({ start: end, cell: NO_CELL });
      kernel.bytes.set(list, end);
      end += list.length;
      kernel.bytes[end++] = LINE_FEED;
    }
    return { owners, copies, end };
  }

  /** Finds the first object of each list that fits, and keeps its cell, which the next scan overwrites. */
  #choose(copies: readonly CopiedList[], end: number): void {
    if (copies.length === 0) return;
    const size = end - this.#lists.address;
    this.#scanner.ensure(size);
    this.#cells.ensure(size);
    const [members, values] = this.#scanner.columns as readonly [Column, Column];
    let [kept, list] = [this.#cells.address, 0];
    for (let cursor = copies[0]!.start; cursor < end; ) {
      const scan = this.#scanner.scan(cursor, end, true);
      if (scan.rows === 0) return;
      cursor = scan.cursor;
      for (let row = 0; row < scan.rows; row++) {
        const start = this.kernel.u32[this.#scanner.starts / 4 + row]!;
        while (start >= (copies[list + 1]?.start ?? Number.POSITIVE_INFINITY)) list++;
        const copy = copies[list]!;
        if (copy.cell !== NO_CELL || !this.#isChosen(members, row)) continue;
        const bytes = values.kind(row) === cellKinds.null ? new Uint8Array() : values.bytes(row);
        this.kernel.bytes.set(bytes, kept);
        copy.cell = [values.kind(row), kept, bytes.length];
        kept += bytes.length;
      }
    }
  }

  #isChosen(members: Column, row: number): boolean {
    return members.kind(row) !== cellKinds.null && this.#text.equals(members.bytes(row));
  }
}

/** Returns true if a row has the very cell of the row before. */
function isSameCell({ bytes, u32 }: Kernel, { kinds, starts, lengths }: Column, row: number) {
  const [start, length] = [starts / 4 + row, lengths / 4 + row];
  const isSameKind = bytes[kinds + row] === bytes[kinds + row - 1];
  return isSameKind && u32[start] === u32[start - 1] && u32[length] === u32[length - 1];
}

/** Returns the JSON of a list that is a cell, or that its text contains. */
function listBytes(lists: Column, row: number): Uint8Array | undefined {
  const kind = lists.kind(row);
  if (kind === cellKinds.array) return lists.bytes(row);
  if (kind !== cellKinds.string) return undefined;
  const text = listIn(lists.text(row));
  return text === undefined ? undefined : Buffer.from(text);
}
