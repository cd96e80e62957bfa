import { WINDOW_BYTES } from "../../base/limits.js";
import { rejectCodes } from "../../base/reject-codes.js";
import type { Batch, FieldRequest } from "../../batch/batch.js";
import { Column, cellKinds } from "../../batch/column.js";
import { type Kernel, Region } from "../../batch/kernel.js";
import { skipBlank } from "../json/find-wrapper.js";
import { listIn } from "../json/list-text.js";
import { RowScanner } from "../json/row-scanner.js";
import type { Reader, ReaderNotices } from "../reader.js";
import { WrappedReader } from "../wrapped-reader.js";
import { ElementRows, type OuterRows, type Owners } from "./element-rows.js";
import { type FieldPlace, splitFields } from "./outer-fields.js";

/**
 * Opens the elements of the list at the end of `path` as rows. `open` opens the rows around them. Each step of
 * the path but the last may lead to a list as well, or to one object.
 */
export async function openRows(
  outer: OuterRows,
  path: readonly string[],
  fields: readonly FieldRequest[],
  open: (fields: readonly FieldRequest[]) => Promise<Reader>,
): Promise<Reader> {
  return openLevel(outer, path, path.length, fields, open);
}

async function openLevel(
  outer: OuterRows,
  path: readonly string[],
  level: number,
  fields: readonly FieldRequest[],
  open: (fields: readonly FieldRequest[]) => Promise<Reader>,
): Promise<Reader> {
  if (level === 0) return open(fields);
  const keptPaths = outer.kept.kind === "rejects";
  const split = splitFields(fields, path[level - 1] as string, keptPaths);
  const reader = await openLevel(outer, path, level - 1, split.outer, open);
  const scanner = RowScanner.take(outer.kernel, split.inner, "values", outer.rowBytesMax);
  const takesObjects = level < path.length;
  return new RowsReader(reader, outer, path.slice(0, level), scanner, split.places, takesObjects);
}

/** Stands for a row around the elements that is rejected itself. */
const REJECTED = Buffer.from("0\n");
const LINE_FEED = 0x0a;
const CLOSING_BRACKET = 0x5d;
/** Bytes before and after the lists, for kernels that look around. */
const MARGIN_BYTES = 64;

/** A row around elements whose list is copied. */
interface Segment {
  /** In its batch. */
  readonly row: number;
  /** Address of the copy. */
  readonly start: number;
  /** Not 0 if the row is rejected as a whole. */
  readonly fault: number;
  /** Elements in the batches so far. */
  elements: number;
}

/**
 * Reads the elements of a list in each row of another reader. The lists are copied one after the other, and
 * scanned as JSON values; the columns of the rows around them are repeated for their elements.
 */
class RowsReader extends WrappedReader {
  readonly #kernel: Kernel;
  readonly #lists: Region;
  readonly #repeated: readonly (Column | undefined)[];
  #outer: Batch | undefined;
  /** The next row of the outer batch. */
  #outerRow = 0;
  #segments: Segment[] = [];
  #segment = 0;
  #cursor = 0;
  #end = 0;
  #rowsBefore = 0;
  #empty = 0;
  #open = true;

  constructor(
    reader: Reader,
    private readonly rows: OuterRows,
    private readonly path: readonly string[],
    private readonly scanner: RowScanner,
    private readonly places: readonly FieldPlace[],
    private readonly takesObjects: boolean,
  ) {
    super(reader);
    const { kernel } = rows;
    this.#kernel = kernel;
    this.#lists = new Region(kernel, WINDOW_BYTES + 2 * MARGIN_BYTES);
    this.#repeated = places.map(({ outer }) => {
      return outer === undefined ? undefined : new Column(kernel);
    });
  }

  override get notices(): ReaderNotices {
    const { row_without_elements: before = 0, ...others } = super.notices;
    return { ...others, row_without_elements: before + this.#empty };
  }

  async next(): Promise<Batch | null> {
    for (;;) {
      if (this.#cursor < this.#end) {
        const { rows, cursor } = this.scanner.scan(this.#cursor, this.#end, true);
        this.#cursor = cursor;
        if (rows > 0) return this.#createBatch(rows, this.#outer as Batch);
      }
      if (this.#outer === undefined || this.#outerRow === this.#outer.rows) {
        const outer = await this.reader.next();
        if (outer === null) return null;
        this.#outer = outer;
        this.#outerRow = 0;
      }
      this.#copyLists(this.#outer);
    }
  }

  override async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    this.scanner.release();
    for (const column of this.#repeated) column?.free();
    this.#lists.free();
    await super.close();
  }

  /** Copies the lists of the next rows of a batch: as many as fit, and at least one. */
  #copyLists(outer: Batch): void {
    const [lists] = outer.columns as readonly [Column];
    const start = this.#outerRow;
    let size = 0;
    for (; this.#outerRow < outer.rows; this.#outerRow++) {
      const kind = lists.kind(this.#outerRow);
      const isList = kind >= cellKinds.object || kind === cellKinds.string;
      const length = isList ? this.#kernel.u32[lists.lengths / 4 + this.#outerRow]! : 0;
      if (size > 0 && size + length + REJECTED.length > WINDOW_BYTES) break;
      size += length + REJECTED.length;
    }
    this.#lists.ensure(size + 2 * MARGIN_BYTES);
    this.scanner.ensure(Math.max(size, WINDOW_BYTES));
    this.#cursor = this.#lists.address + MARGIN_BYTES;
    this.#end = this.#cursor;
    this.#segments = [];
    this.#segment = 0;
    for (let row = start; row < this.#outerRow; row++) this.#copyList(outer, lists, row);
  }

  #copyList(outer: Batch, lists: Column, row: number): void {
    const { bytes, u32 } = this.#kernel;
    const kind = lists.kind(row);
    const text = kind === cellKinds.string ? listIn(lists.text(row)) : undefined;
    const isTaken =
      text !== undefined ||
      kind === cellKinds.array ||
      (kind === cellKinds.object && this.takesObjects);
    const own = kind === cellKinds.null || isTaken ? 0 : rejectCodes.rows_not_list;
    const fault = bytes[outer.faults + row]! || own;
    const start = u32[lists.starts / 4 + row]!;
    if (fault === 0 && text !== undefined) {
      this.#copyText(row, text);
      return;
    }
    if (fault === 0 && (kind === cellKinds.null || isEmptyList(bytes, start))) {
      this.#empty++;
      return;
    }
    this.#segments.push({ row, start: this.#end, fault, elements: 0 });
    if (fault !== 0) {
      bytes.set(REJECTED, this.#end);
      this.#end += REJECTED.length;
      return;
    }
    const length = u32[lists.lengths / 4 + row]!;
    bytes.copyWithin(this.#end, start, start + length);
    this.#end += length;
    bytes[this.#end++] = LINE_FEED;
  }

  /** Copies a list that is in a text; the text is as long, as its escapes are gone. */
  #copyText(row: number, text: string): void {
    const list = Buffer.from(text);
    if (isEmptyList(list, 0)) {
      this.#empty++;
      return;
    }
    this.#segments.push({ row, start: this.#end, fault: 0, elements: 0 });
    this.#kernel.bytes.set(list, this.#end);
    this.#end += list.length;
    this.#kernel.bytes[this.#end++] = LINE_FEED;
  }

  #createBatch(rows: number, outer: Batch): Batch {
    const kernel = this.#kernel;
    const { scanner } = this;
    const { faults } = scanner;
    const owners = this.#ownersOf(rows);
    const raw = new ElementRows(this.rows, this.path, scanner, outer, owners, this.#rowsBefore);
    this.#rowsBefore += rows;
    const columns = this.places.map((place, index) => {
      const column = this.#repeated[index];
      const inner = scanner.columns[place.inner ?? -1];
      if (column === undefined || place.outer === undefined) return inner as Column;
      repeatCells(kernel, outer.columns[place.outer] as Column, owners.rows, column, inner);
      kernel.run.dropFaulty(faults, rows, column.address);
      return column;
    });
    return { kernel, rows, columns, faults, raw };
  }

  /** Returns what the scanned rows are elements of, and gives faulty ones their codes. */
  #ownersOf(rows: number): Owners {
    const { bytes, u32 } = this.#kernel;
    const { faults, starts } = this.scanner;
    const owners = {
      rows: new Uint32Array(rows),
      elements: new Uint32Array(rows),
      distances: new Uint32Array(rows),
    };
    for (let row = 0; row < rows; row++) {
      const start = u32[starts / 4 + row]!;
      while (start >= (this.#segments[this.#segment + 1]?.start ?? Number.POSITIVE_INFINITY)) {
        this.#segment++;
      }
      const segment = this.#segments[this.#segment] as Segment;
      owners.rows[row] = segment.row;
      if (segment.fault !== 0) {
        bytes[faults + row] = segment.fault;
        continue;
      }
      owners.elements[row] = ++segment.elements;
      owners.distances[row] = start - segment.start;
      if (bytes[faults + row] === rejectCodes.row_not_object) {
        bytes[faults + row] = rejectCodes.element_not_object;
      }
    }
    return owners;
  }
}

function isEmptyList(bytes: Uint8Array, start: number): boolean {
  return bytes[skipBlank(bytes, start + 1)] === CLOSING_BRACKET;
}

/** Sets the cells of rows to those of the rows around them; `instead` of those that are null. */
function repeatCells(
  { bytes, u32 }: Kernel,
  from: Column,
  outerRows: Uint32Array,
  to: Column,
  instead: Column | undefined,
): void {
  for (let row = 0; row < outerRows.length; row++) {
    const outer = outerRows[row]!;
    const isInner = instead !== undefined && bytes[from.kinds + outer] === cellKinds.null;
    const source = isInner ? instead : from;
    const at = isInner ? row : outer;
    bytes[to.kinds + row] = bytes[source.kinds + at]!;
    u32[to.starts / 4 + row] = u32[source.starts / 4 + at]!;
    u32[to.lengths / 4 + row] = u32[source.lengths / 4 + at]!;
  }
}
