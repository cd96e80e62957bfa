import { isUtf8 } from "node:buffer";
import { BATCH_ROWS_MAX, REJECT_BYTES_MAX } from "../base/limits.js";
import { rejectCodeName, rejectCodes } from "../base/reject-codes.js";
import { sum } from "../base/sum.js";
import type { Batch, RawRows } from "../batch/batch.js";
import type { Column } from "../batch/column.js";
import { ObjectFields } from "../batch/field-table.js";
import { type Kernel, Region } from "../batch/kernel.js";
import { NestedBuilder, structSize } from "../batch/nested-builder.js";
import { NestedCells } from "../batch/nested-cells.js";
import type { NestedNode } from "../batch/nested-node.js";
import { cutJsonSize, jsonSize, jsonSizeMin } from "../batch/nested-size.js";
import type { ColumnRows } from "./column-rows.js";
import { FallbackRows } from "./fallback-rows.js";
import type { CellSource, NodePath, Projection } from "./projection.js";

/** Builds batches of the planned columns. Its memory is reused for each batch. */
export class BatchBuilder {
  readonly #nodes: NestedBuilder;
  readonly #fields: readonly NestedCells[];
  /** Fields that are inside of a cell, with the index of their column among the results. */
  readonly #inside: readonly { readonly field: number; readonly fields: ObjectFields }[];
  readonly #columns: readonly Column[];
  readonly #faults: Region;
  /** Faults of values that not all rows need. */
  readonly #ownFaults: Region;
  readonly #raw: Region;

  constructor(
    private readonly kernel: Kernel,
    private readonly plan: Projection,
    private readonly rowBytesMax: number,
  ) {
    this.#nodes = new NestedBuilder(kernel);
    this.#fields = plan.fields.map(() => new NestedCells(kernel, rowBytesMax));
    this.#inside = plan.fields.flatMap((source, field) =>
      source.kind === "inside"
        ? [{ field, fields: new ObjectFields(kernel, [source.request]) }]
        : [],
    );
    this.#columns = this.#fields.map(({ column }) => column);
    this.#faults = new Region(kernel, BATCH_ROWS_MAX);
    this.#ownFaults = new Region(kernel, BATCH_ROWS_MAX);
    this.#raw = new Region(kernel, 0);
  }

  /** Builds the next `rows` rows; `firstRow` is the 1-based number of the first in its file. */
  build(columns: readonly ColumnRows[], rows: number, firstRow: number): Batch {
    const { kernel } = this;
    const objects = this.plan.fields.length + 2;
    this.#nodes.begin(sizeOf(columns, rows) + objects * structSize(this.#membersMax()));
    const taken = columns.map((column, index) =>
      this.#isNeeded(columns, index, rows) ? column.take(this.#nodes, rows) : undefined,
    );
    const root = this.#nodes.struct(taken.filter(isPresent), rows, false);
    const faults = this.#faults.address;
    kernel.bytes.fill(0, faults, faults + rows);
    for (const [index, source] of this.plan.fields.entries()) {
      this.#fill(this.#fields[index]!, source, root, rows);
    }
    const results = [...this.#columns];
    for (const { field, fields } of this.#inside) {
      const [column] = fields.extract(this.#columns[field]!, rows);
      results[field] = column!;
    }
    this.#rejectLongRows(results, rows);
    for (const column of results) kernel.run.dropFaulty(faults, rows, column.address);
    const whole = () =>
      root.children.length === columns.length ? root : this.#readOthers(columns, taken, rows);
    return { kernel, rows, columns: results, faults, raw: this.#rawRows(root, whole, firstRow) };
  }

  #isNeeded(columns: readonly ColumnRows[], index: number, rows: number): boolean {
    if (!(columns[index] instanceof FallbackRows)) return true;
    const fallback = this.plan.fallbacks.find(({ column }) => column === index);
    return fallback === undefined || !columns[fallback.of]!.areFilled(rows);
  }

  /** Returns the root with the columns that were not needed, after these rows were skipped. */
  #readOthers(
    columns: readonly ColumnRows[],
    taken: readonly (NestedNode | undefined)[],
    rows: number,
  ): NestedNode {
    const nodes = columns.map((column, index) => {
      const node = taken[index];
      if (node !== undefined || !(column instanceof FallbackRows)) return node;
      return column.takeSkipped(this.#nodes, rows);
    });
    return this.#nodes.struct(nodes.filter(isPresent), rows, false);
  }

  #fill(target: NestedCells, source: CellSource, root: NestedNode, rows: number): void {
    const faults = this.#faults.address;
    switch (source.kind) {
      case "missing":
        target.clear(rows);
        return;
      case "value":
      case "inside": {
        if (source.kind === "value" && source.fallbackOf !== undefined) {
          this.#fillFallback(target, source.path, source.fallbackOf, root, rows);
          return;
        }
        const { node, outer } = find(root, source.path);
        target.fill(node, outer, source.kind === "value" && source.json, rows, faults);
        if (source.kind === "value" && source.isDecoded) target.decodeScalars(source.json, rows);
        return;
      }
      case "object": {
        const { node, outer } = find(root, source.path ?? []);
        const members = source.members.map((name) => find(node, [name]).node);
        const object = this.#nodes.struct(members, rows, source.path === null);
        target.fill(object, [...outer, node], true, rows, faults);
        return;
      }
    }
  }

  /** Fills the cells of the rows that have no text in the field `first`; the others are null. */
  #fillFallback(
    target: NestedCells,
    [name]: NodePath,
    first: number,
    root: NestedNode,
    rows: number,
  ): void {
    const node = root.children.find((child) => child.name === name);
    if (node === undefined) {
      target.clear(rows);
      return;
    }
    const { bytes, run } = this.kernel;
    const own = this.#ownFaults.address;
    bytes.fill(0, own, own + rows);
    target.fill(node, [], false, rows, own);
    const { address } = this.#columns[first]!;
    run.keepFallback(address, rows, target.column.address, own, this.#faults.address);
  }

  #membersMax(): number {
    const members = this.plan.fields.map((field) =>
      field.kind === "object" ? field.members.length : 0,
    );
    return Math.max(this.plan.columns.length, ...members);
  }

  #rejectLongRows(columns: readonly Column[], rows: number): void {
    const total = sum(columns, (column) => column.totalBytes(rows));
    if (total <= this.rowBytesMax) return;
    const { bytes, u32 } = this.kernel;
    for (let row = 0; row < rows; row++) {
      let size = 0;
      for (const { kinds, lengths } of columns) {
        if (bytes[kinds + row] !== 0) size += u32[lengths / 4 + row]!;
      }
      if (size > this.rowBytesMax) bytes[this.#faults.address + row] = rejectCodes.row_too_long;
    }
  }

  /** `whole` returns the root with all columns, which only raw rows need. */
  #rawRows(root: NestedNode, whole: () => NestedNode, firstRow: number): RawRows {
    const { kernel } = this;
    let all: NestedNode | undefined;
    // Measured once for all rows: measuring walks them all.
    let sizeMax = 0;
    // Even if the row has another fault.
    const isLong = root.rows === 1 && jsonSizeMin(root) > this.rowBytesMax;
    const raw = {
      number: (row: number) => firstRow + row,
      offset: () => undefined,
      bytes: (row: number) => {
        all ??= whole();
        const fault = kernel.bytes[this.#faults.address + row];
        const tooLong = isLong || fault === rejectCodes.row_too_long;
        // All rows together are enough for the longest one.
        if (!tooLong && sizeMax === 0) sizeMax = jsonSize(kernel, all);
        const size = tooLong ? cutJsonSize(all, REJECT_BYTES_MAX) : sizeMax;
        this.#raw.ensure(size);
        const start = this.#raw.address;
        const bytesMax = tooLong ? REJECT_BYTES_MAX : size;
        const end = kernel.run.writeRow(all.address, row, start, bytesMax);
        return kernel.bytes.slice(start, Math.min(end, start + bytesMax));
      },
      explain: (row: number) => {
        const fault = kernel.bytes[this.#faults.address + row]!;
        if (fault === rejectCodes.invalid_utf8) return explainInvalidText(raw.bytes(row));
        return explain(fault, this.rowBytesMax);
      },
    };
    return raw;
  }

  free(): void {
    for (const { fields } of this.#inside) fields.free();
    for (const field of this.#fields) field.free();
    for (const region of [this.#nodes, this.#faults, this.#ownFaults, this.#raw]) region.free();
  }
}

function isPresent(node: NestedNode | undefined): node is NestedNode {
  return node !== undefined;
}

/** Returns the bytes of the next `rows` rows of the columns, copied or not. */
export function bytesOf(columns: readonly ColumnRows[], rows: number): number {
  return columns.reduce((sum, column) => sum + column.pointedSize(rows), sizeOf(columns, rows));
}

function sizeOf(columns: readonly ColumnRows[], rows: number): number {
  return sum(columns, (column) => column.size(rows));
}

function explain(fault: number, rowBytesMax: number): string {
  switch (fault) {
    case 0:
      return "";
    case rejectCodes.row_too_long:
      return `the row is longer than ${rowBytesMax} bytes`;
    case rejectCodes.malformed_row:
      return "a decimal is longer than 64 bytes, or a map has a null key";
    default:
      return rejectCodeName(fault);
  }
}

/** Names the first column of a row, as JSON, with a text that is not UTF-8. */
function explainInvalidText(json: Uint8Array): string {
  const name = invalidMember(json);
  const what = name === undefined ? "a text" : `the text of column ${name}`;
  return `${what} is not valid UTF-8; if the column is binary, name it in "except" of the mapping's "rest"`;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = Buffer.from('"\\,:');
const [OPEN_OBJECT, OPEN_ARRAY, CLOSE_OBJECT, CLOSE_ARRAY] = Buffer.from("{[}]");

/** Returns the quoted name of the first member of an object that is not UTF-8. */
function invalidMember(json: Uint8Array): string | undefined {
  let start = 1;
  let depth = 0;
  let nameEnd = 0;
  let isText = false;
  for (const [index, byte] of json.entries()) {
    if (byte === QUOTE && !isEscaped(json, index)) isText = !isText;
    if (isText) continue;
    if (byte === COLON && depth === 1 && nameEnd === 0) nameEnd = index;
    const isEnd = depth === 1 && (byte === COMMA || byte === CLOSE_OBJECT);
    if (isEnd && !isUtf8(json.subarray(start, index))) {
      return Buffer.from(json.subarray(start, nameEnd)).toString();
    }
    if (isEnd) [start, nameEnd] = [index + 1, 0];
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
  }
  return undefined;
}

function isEscaped(json: Uint8Array, index: number): boolean {
  let backslashes = 0;
  while (json[index - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/** Returns the node at a path of names, and the structs on the path to it. */
function find(
  root: NestedNode,
  path: NodePath | readonly string[],
): { node: NestedNode; outer: readonly NestedNode[] } {
  const outer: NestedNode[] = [];
  let node = root;
  for (const name of path) {
    const child = node.children.find((candidate) => candidate.name === name);
    if (child === undefined) throw new Error(`no member ${name} in a struct`);
    outer.push(node);
    node = child;
  }
  return { node, outer };
}
