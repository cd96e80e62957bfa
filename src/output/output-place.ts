import { join } from "node:path";
import type { S3Options } from "../store/object-store.js";
import { isObjectUrl } from "../store/object-url.js";

/** The output of an export: a directory, or a place in a store. */
export interface OutputPlace {
  /** Absolute, or an address such as `s3://bucket/prefix`. */
  readonly directory: string;
  readonly s3: S3Options;
  /** Accept a store that ignores conditions. */
  readonly unsafeLock?: boolean;
}

/** An output with the signal that ends requests to its store. */
export interface SignalledPlace extends OutputPlace {
  readonly signal: AbortSignal;
}

/** Returns the path or the address of a file of an output. */
export function pathInOutput(output: string, name: string): string {
  return isObjectUrl(output) ? `${output.replace(/\/+$/, "")}/${name}` : join(output, name);
}
