export interface JsonKernels {
  skipValue(start: number, end: number): number;
  escapeString(source: number, length: number, target: number): number;
  setScratch(scratch: number, kept: number): void;
  scanCells(cells: number, rows: number, node: number): void;
  scanLines(scan: number): number;
  scanValues(scan: number): number;
  skipLongRow(scan: number): number;
}
