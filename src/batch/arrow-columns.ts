import { arrowTypes, isNested } from "./arrow-node.js";
import { jsonSize, type KernelNode } from "./arrow-slice.js";
import { Column } from "./column.js";
import { type Kernel, Region } from "./kernel.js";

/** Makes the cells of one column, batch after batch. */
export class ArrowColumn {
  readonly column: Column;
  /** Texts of cells that are not bytes of the array themselves. */
  readonly #text: Region;

  constructor(private readonly kernel: Kernel) {
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
