import { rejectCodes } from "../base/reject-codes.js";
import { arrowTypes, isNested } from "./arrow-node.js";
import { jsonSize, jsonSizeMin, type KernelNode } from "./arrow-slice.js";
import { Column } from "./column.js";
import { type Kernel, Region } from "./kernel.js";

/** Makes the cells of one column, batch after batch. */
export class ArrowColumn {
  readonly column: Column;
  /** Texts of cells that are not bytes of the array themselves. */
  readonly #text: Region;

  constructor(
    private readonly kernel: Kernel,
    /** A cell that has more is not written: its row is too long. */
    private readonly bytesMax: number,
  ) {
    this.column = new Column(kernel);
    this.#text = new Region(kernel, 0);
  }

  /**
   * Cells of a node, with `json` as JSON. `outer` are the structs that it is a member of. Rows whose
   * cell cannot be made get their fault at `faults` (u8 each).
   */
  fill(
    node: KernelNode,
    outer: readonly KernelNode[],
    json: boolean,
    rows: number,
    faults: number,
  ): void {
    const { run } = this.kernel;
    const column = this.column.address;
    if (node.type === arrowTypes.text && !json) {
      run.pointTexts(node.address, rows, column, faults);
    } else if (rows === 1 && jsonSizeMin(node) > this.bytesMax) {
      // Lists can have the same text many times: as JSON it may be longer than all memory.
      this.kernel.bytes[faults] = rejectCodes.row_too_long;
      this.clear(rows);
    } else {
      this.#text.ensure(jsonSize(this.kernel, node));
      const asJson = json || isNested(node);
      run.writeCells(node.address, rows, asJson, column, faults, this.#text.address);
    }
    for (const struct of outer) run.maskCells(struct.address, rows, column);
  }

  /** Nothing but nulls. */
  clear(rows: number): void {
    this.kernel.bytes.fill(0, this.column.kinds, this.column.kinds + rows);
  }

  free(): void {
    this.column.free();
    this.#text.free();
  }
}
