import type { ArrowKernels } from "./kernel-exports/arrow-kernels.js";
import type { CsvKernels } from "./kernel-exports/csv-kernels.js";
import type { InflateKernels } from "./kernel-exports/inflate-kernels.js";
import type { JsonKernels } from "./kernel-exports/json-kernels.js";
import type { MappingKernels } from "./kernel-exports/mapping-kernels.js";
import type { ParquetKernels } from "./kernel-exports/parquet-kernels.js";
import type { ProfileKernels } from "./kernel-exports/profile-kernels.js";
import type { SinkKernels } from "./kernel-exports/sink-kernels.js";

/**
 * What the WebAssembly module exports, folder by folder of src/kernels. Addresses and lengths are byte
 * positions in the kernel's memory; each function is described where it is written.
 */
export interface KernelExports
  extends ArrowKernels,
    CsvKernels,
    InflateKernels,
    JsonKernels,
    MappingKernels,
    ParquetKernels,
    ProfileKernels,
    SinkKernels {
  readonly heapBase: WebAssembly.Global;
  validateUtf8(start: number, end: number): number;
}
