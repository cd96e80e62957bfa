import { rejectCodes } from "../base/reject-codes.js";
import { Column } from "./column.js";
import { type Kernel, Region } from "./kernel.js";
import { isNested, type NestedNode, nodeTypes } from "./nested-node.js";
import { jsonSize, jsonSizeMin } from "./nested-size.js";
import { changedBytesMax, textChanges } from "./text-changes.js";

/** Makes the cells of one field, batch after batch. */
export class NestedCells {
  readonly column: Column;
  /** Texts of cells that do not point to the values themselves. */
  readonly #text: Region;
  readonly #decoded: Region;

  constructor(
    private readonly kernel: Kernel,
    /** A longer cell is not written; its row is rejected as too long. */
    private readonly bytesMax: number,
  ) {
    this.column = new Column(kernel);
    this.#text = new Region(kernel, 0);
    this.#decoded = new Region(kernel, 0);
  }

  /**
   * Makes the cells of a node, with `json` as JSON. `outer` are the structs that contain it. A row
   * whose cell cannot be made gets its fault at `faults` (u8 each).
   */
  fill(
    node: NestedNode,
    outer: readonly NestedNode[],
    json: boolean,
    rows: number,
    faults: number,
  ): void {
    const { run } = this.kernel;
    const column = this.column.address;
    if (node.type === nodeTypes.text && !json) {
      run.pointTexts(node.address, rows, column, faults);
    } else if (rows === 1 && jsonSizeMin(node) > this.bytesMax) {
      // A list can repeat one text many times: its JSON could be longer than the whole memory.
      this.kernel.bytes[faults] = rejectCodes.row_too_long;
      this.clear(rows);
    } else {
      this.#text.ensure(jsonSize(this.kernel, node));
      const asJson = json || isNested(node);
      run.writeCells(node.address, rows, asJson, column, faults, this.#text.address);
    }
    for (const struct of outer) run.maskCells(struct.address, rows, column);
  }

  /** Replaces texts that are JSON scalars by their values, as JSON if the cells are. */
  decodeScalars(json: boolean, rows: number): void {
    this.#decoded.ensure(changedBytesMax(this.column, rows));
    const changes = textChanges.fromJson | (json ? textChanges.token : 0);
    this.kernel.run.changeCells(this.column.address, rows, changes, this.#decoded.address);
  }

  /** Makes all cells null. */
  clear(rows: number): void {
    this.kernel.bytes.fill(0, this.column.kinds, this.column.kinds + rows);
  }

  free(): void {
    this.column.free();
    this.#text.free();
    this.#decoded.free();
  }
}
