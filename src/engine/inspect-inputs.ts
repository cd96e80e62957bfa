import { evenly } from "../base/evenly.js";
import { sum } from "../base/sum.js";
import type { FoundFile } from "../sources/directory-walk.js";
import type { Source } from "../sources/source.js";
import type { Discovery } from "../sources/source-discovery.js";

/** The inputs of a run, of which some were opened. */
export interface InspectedInputs {
  /** Files and objects. */
  readonly files: number;
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

/** Opens up to `openedMax` of the listed files. */
export async function inspectFiles(
  files: readonly FoundFile[],
  openedMax: number,
  discover: (files: readonly FoundFile[]) => Promise<Discovery>,
): Promise<InspectedInputs> {
  const some = evenly(files, openedMax);
  const found = await discover(some);
  const scale = files.length / Math.max(1, some.length);
  const bytesOf = (sources: readonly Source[]) =>
    Math.round(scale * sum(sources, ({ size }) => size));
  const stored = files.find((file) => file.stored !== undefined);
  return {
    files: files.length,
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
