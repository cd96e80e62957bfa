/** Pages, windows and nodes are addresses; faults are `pageFaults` of src/batch/page-cursor.ts. */
export interface ParquetKernels {
  readPageRows(page: number, window: number, at: number, rows: number): number;
  listPlainBytes(start: number, end: number, count: number, texts: boolean, target: number): number;
  unpackDeltas(
    start: number,
    end: number,
    countMax: number,
    width: number,
    stride: number,
    target: number,
  ): number;
  deltaCount(): number;
  listDeltaLengths(list: number, count: number, start: number, end: number): number;
  sumLengths(lengths: number, rows: number): number;
  countRowStarts(repeats: number, entries: number): number;
  entriesOfRows(repeats: number, entries: number, rows: number): number;
  unfoldLists(depths: number, last: number, window: number, first: number, count: number): number;
  snappyDecompress(source: number, length: number, target: number, size: number): number;
}
