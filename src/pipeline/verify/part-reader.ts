import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROW_BYTES_LIMIT } from "../../base/limits.js";
import type { FieldRequest } from "../../batch/batch.js";
import type { Kernel } from "../../batch/kernel.js";
import { fileState, fingerprintFile } from "../../readers/fingerprint.js";
import type { OpenReader, Reader } from "../../readers/reader.js";
import type { Codec, Format, Source } from "../../readers/source.js";
import type { ManifestFile } from "../manifest.js";
import type { OutputFormat } from "../options.js";

/** What reading the parts of an export takes. */
export interface PartReading {
  /** Of the export. */
  readonly directory: string;
  readonly format: OutputFormat;
  readonly kernel: Kernel;
  readonly openReader: OpenReader;
  readonly signal: AbortSignal;
}

/**
 * A part as a source. Its fingerprint is of the moment before the first read: a file that changes
 * meanwhile is found. Throws what `stat` throws.
 */
export async function partSource(
  file: ManifestFile,
  { directory, format }: PartReading,
): Promise<Source> {
  const codecs: readonly Codec[] = format === "jsonl.gz" ? ["gzip"] : [];
  const absolute = path.join(directory, file.path);
  const state = fileState(await stat(absolute));
  return {
    name: file.path,
    path: absolute,
    codecs,
    size: state.size,
    fingerprint: fingerprintFile(state, []),
    format: formats[format],
  };
}

/** Throws what `OpenReader` throws. */
export function openPart(
  source: Source,
  fields: readonly FieldRequest[],
  { kernel, openReader, signal }: PartReading,
): Promise<Reader> {
  return openReader(kernel, { source, start: 0, end: null }, fields, {
    // An event may be longer than its row was: it has longer names, and escapes in ids.
    rowBytesMax: 2 * ROW_BYTES_LIMIT,
    ratioMax: Number.MAX_SAFE_INTEGER,
    temporaryDirectory: tmpdir(),
    signal,
  });
}

const formats: Readonly<Record<OutputFormat, Format>> = {
  parquet: { kind: "parquet" },
  jsonl: { kind: "ndjson" },
  "jsonl.gz": { kind: "ndjson" },
  csv: {
    kind: "csv",
    delimiter: ",",
    quote: '"',
    columns: ["event", "timestamp", "userID", "stableID", "value", "user", "metadata"],
    header: true,
    encoding: "utf-8",
  },
};
