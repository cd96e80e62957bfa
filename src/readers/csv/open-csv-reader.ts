import type { Kernel } from "../../batch/kernel.js";
import type { ByteSource } from "../byte-source.js";
import type { OpenReader, ReaderOptions } from "../reader.js";
import type { Source } from "../source.js";
import { CsvReader } from "./csv-reader.js";
import { Utf16Source } from "./utf-16-source.js";

/** Opens the decompressed bytes of a source from an offset on. */
export type OpenSourceBytes = (
  source: Source,
  start: number,
  options: ReaderOptions & { readonly kernel: Kernel },
) => Promise<ByteSource>;

/**
 * Makes the opener of CSV ranges. UTF-16 is recoded to UTF-8 first: byte offsets of its rows count
 * recoded bytes, and it is never split.
 */
export function createCsvReaderOpener(openBytes: OpenSourceBytes): OpenReader {
  return async (kernel, range, fields, options) => {
    const { format, name } = range.source;
    if (format.kind !== "csv") throw new Error(`not a CSV source: ${name}`);
    const bytes = await openBytes(range.source, range.start, { ...options, kernel });
    const { encoding } = format;
    const decoded = encoding === "utf-8" ? bytes : new Utf16Source(bytes, encoding);
    return new CsvReader(kernel, range, format, fields, decoded, options);
  };
}
