import { evenly } from "../base/evenly.js";
import { sum } from "../base/sum.js";
import type { RunOptions } from "../options/options.js";
import { discoverFiles, listFiles } from "../run/run-inputs.js";
import type { FoundFile } from "../sources/directory-walk.js";
import type { Source } from "../sources/source.js";
import type { Discovery } from "../sources/source-discovery.js";

/** The inputs of a run, of which some were opened. */
export interface InspectedInputs {
  /** Files and objects. */
  readonly files: number;
  readonly listed: readonly FoundFile[];
  readonly opened: number;
  /** The sources in the opened inputs. */
  readonly found: Discovery;
  /** Bytes of all inputs that are not compressed; estimated if not all were opened. */
  readonly plainBytes: number;
  /** The same of compressed inputs and of Parquet. */
  readonly compressedBytes: number;
  /** Address of one object; absent if no input is in a store. */
  readonly object?: string;
}

/** Lists the inputs, and opens up to `openedMax` of them, evenly spread. */
export async function inspectInputs(
  options: RunOptions,
  openedMax: number,
  signal: AbortSignal,
): Promise<InspectedInputs> {
  const files = await listFiles(options, signal);
  const some = evenly(files, openedMax);
  const found = await discoverFiles(some, options, signal);
  const scale = files.length / Math.max(1, some.length);
  const bytesOf = (sources: readonly Source[]) =>
    Math.round(scale * sum(sources, ({ size }) => size));
  const stored = files.find((file) => file.stored !== undefined);
  return {
    files: files.length,
    listed: files,
    opened: some.length,
    found,
    plainBytes: bytesOf(found.sources.filter((one) => !isCompressed(one))),
    compressedBytes: bytesOf(found.sources.filter(isCompressed)),
    ...(stored === undefined ? {} : { object: stored.path }),
  };
}

function isCompressed({ codecs, entry, format }: Source): boolean {
  return codecs.length > 0 || entry !== undefined || format.kind === "parquet";
}
