export interface JsonKernels {
  skipValue(start: number, end: number): number;
  escapeString(source: number, length: number, target: number): number;
  setScratch(scratch: number, kept: number): void;
  scanCells(cells: number, rows: number, node: number): void;
  scanLines(scan: number): void;
  scanValues(scan: number): void;
  skipLongRow(scan: number): number;
}
