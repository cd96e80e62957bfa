import type { OutputFormat } from "../formats/output-formats.js";
import type { ExportOptions } from "../options/options.js";

/** Bytes an event by docs/sizing.md. */
const INPUT_PLAIN_BYTES = 1_336;
const INPUT_COMPRESSED_BYTES = 119;
const OUTPUT_BYTES: Readonly<Record<OutputFormat, number>> = {
  parquet: 79,
  jsonl: 315,
  "jsonl.gz": 45,
  csv: 326,
  arrow: 326,
};
const KEY_BYTES = 24;
const SPILLED_BYTES = 326;

/** Real properties compress less than those of the measured rows. */
const COMPRESSED_LESS = 4;

/** Bytes that an export writes. */
export interface SizeEstimate {
  readonly expected: number;
  /** With properties that hardly compress, and all days in no order. */
  readonly atMost: number;
}

/** Bytes of the inputs of a run. */
interface InputBytes {
  readonly plainBytes: number;
  readonly compressedBytes: number;
}

type EstimateOptions = Pick<ExportOptions, "format" | "dedupe" | "limit">;

/** Estimates the size of an export from the sizes of its inputs. */
export function estimateExport(
  { plainBytes, compressedBytes }: InputBytes,
  { format, dedupe, limit = Number.POSITIVE_INFINITY }: EstimateOptions,
): SizeEstimate {
  const all = plainBytes / INPUT_PLAIN_BYTES + compressedBytes / INPUT_COMPRESSED_BYTES;
  const events = Math.min(all, limit);
  const keys = dedupe === undefined ? 0 : KEY_BYTES;
  const written = OUTPUT_BYTES[format];
  return {
    expected: Math.round(events * (written + keys)),
    atMost: Math.round(events * (written * COMPRESSED_LESS + keys + SPILLED_BYTES)),
  };
}

/** Estimates what an export to a store keeps on the disk: the parts at work, and spilled rows. */
export function estimateTemporary(
  inputs: InputBytes,
  options: EstimateOptions & Pick<ExportOptions, "threads" | "partBytes">,
): SizeEstimate {
  const { expected, atMost } = estimateExport(inputs, options);
  return { expected: Math.min(expected, options.threads * options.partBytes), atMost };
}
