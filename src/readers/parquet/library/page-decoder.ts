import { createRequire } from "node:module";
import type * as ParquetWasm from "parquet-wasm/node";
import { importArrowArray } from "../../../batch/arrow-import.js";
import type { ArrowArray, ValueType } from "../../../batch/arrow-node.js";

const require = createRequire(import.meta.url);

/** Rows of one column in the decoder's memory, until they are freed. */
export interface DecodedRows {
  readonly array: ArrowArray;
  /** The memory as it is now: take it afresh after every decoding. */
  readonly memory: () => ArrayBufferLike;
  free(): void;
}

/** The decoder refused: the message is its own. */
export class DecodeError extends Error {}

let library: typeof ParquetWasm | undefined;

/**
 * parquet-wasm's reader for whole files in memory, because that reports what is wrong with a file;
 * its reader by ranges panics in a task of its own, where nobody can catch it.
 */
export function decodeRows(
  file: Uint8Array,
  types: readonly ValueType[],
  range: { readonly start: number; readonly rows: number },
): DecodedRows {
  library ??= require("parquet-wasm/node") as typeof ParquetWasm;
  try {
    return decodeWith(library, file, types, range);
  } catch (error) {
    if (error instanceof DecodeError) throw error;
    throw new DecodeError(describe(error), { cause: error });
  }
}

function decodeWith(
  owner: typeof ParquetWasm,
  file: Uint8Array,
  types: readonly ValueType[],
  { start, rows }: { readonly start: number; readonly rows: number },
): DecodedRows {
  const table = owner.readParquet(file, { batchSize: rows, offset: start, limit: rows });
  const batch = table.recordBatch(0);
  table.free();
  if (batch === undefined) throw new DecodeError("it has no rows where there should be some");
  const data = batch.intoFFI();
  const free = () => {
    // A lost instance takes its memory along; calling into it could fail again.
    if (library === owner) data.free();
  };
  try {
    const memory = () => owner.wasmMemory().buffer;
    const leaves = types[Symbol.iterator]();
    const root = importArrowArray(memory(), data.arrayAddr(), data.schemaAddr(), leaves);
    const [array] = root.children;
    if (array === undefined || root.length !== rows) {
      throw new DecodeError(`it has ${root.length} rows where there should be ${rows}`);
    }
    return { array, memory, free };
  } catch (error) {
    free();
    throw error;
  }
}

function describe(error: unknown): string {
  // A panic, an allocation too large or a stack too deep leaves the instance in an unknown state:
  // what it holds can still be looked at, but the next decoding gets a new one.
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
    library = undefined;
    delete require.cache[require.resolve("parquet-wasm/node")];
    return `the decoder gave up (${error.message})`;
  }
  return error instanceof Error ? error.message : String(error);
}
