/** Nodes, columns and faults are addresses. */
export interface ArrowKernels {
  pointTexts(node: number, rows: number, column: number, faults: number): void;
  writeCells(
    node: number,
    rows: number,
    json: boolean,
    column: number,
    faults: number,
    target: number,
  ): number;
  maskCells(node: number, rows: number, column: number): void;
  dropFaulty(faults: number, rows: number, column: number): void;
  writeRow(node: number, row: number, target: number, bytesMax: number): number;
  escapedSize(start: number, length: number): number;
  escapedSizes(node: number, rows: number): number;
}
