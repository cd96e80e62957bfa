/**
 * What the WebAssembly module exports, file by file of src/kernels. Addresses and lengths are byte
 * positions in the kernel's memory; each function is described where it is written.
 */
export interface KernelExports extends Utf8Kernels, JsonKernels {
  readonly heapBase: WebAssembly.Global;
}

export interface Utf8Kernels {
  validateUtf8(start: number, end: number): number;
}

export interface JsonKernels {
  skipValue(start: number, end: number): number;
  setScratch(scratch: number, kept: number): void;
  scanCells(cells: number, rows: number, node: number): void;
  scanLines(scan: number): number;
  scanValues(scan: number): number;
  skipLongRow(scan: number): number;
}
