export interface CsvKernels {
  scanRecords(scan: number): number;
  findLineEnd(start: number, end: number): number;
  quotedCellBytes(source: number, rows: number): number;
  quoteCells(source: number, target: number, rows: number, to: number): number;
  joinCells(
    members: number,
    count: number,
    faults: number,
    target: number,
    rows: number,
    to: number,
  ): number;
}
