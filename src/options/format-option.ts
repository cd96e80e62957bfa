import { z } from "zod";
import {
  type OutputFormat,
  outputFormatNames,
  type PartOptions,
} from "../formats/output-formats.js";
import {
  type ParquetCompression,
  parquetCompressions,
} from "../sinks/parquet/parquet-compressions.js";
import { textType } from "./option-types.js";

const compressed = parquetCompressions.map((compression) => `parquet.${compression}` as const);

/**
 * Values of the option `format`. In `parquet.zstd`, `zstd` is the compression inside of the files; the
 * cells of `csv.safe` do not begin as formulas of a spreadsheet.
 */
export const formatNames = [...outputFormatNames, ...compressed, "csv.safe"] as const;
type FormatName = (typeof formatNames)[number];

/** A format with the settings that its name can have. */
export interface FormatChoice extends Pick<PartOptions, "compression" | "csvSafe"> {
  readonly format: OutputFormat;
}

export function formatChoiceOf(name: FormatName): FormatChoice {
  const plain = { compression: "snappy", csvSafe: false } as const;
  const format = outputFormatNames.find((one) => one === name);
  if (format !== undefined) return { ...plain, format };
  if (name === "csv.safe") return { ...plain, format: "csv", csvSafe: true };
  const compression = name.slice("parquet.".length) as ParquetCompression;
  return { ...plain, format: "parquet", compression };
}

/** The type of `format`. */
export const formatType = {
  ...textType(() => z.enum(formatNames).transform(formatChoiceOf), "<format>"),
  choices: formatNames,
} as const;

/** Returns the shortest name of a choice. Settings that its format does not have are left out. */
export function formatNameOf({ format, compression, csvSafe }: Partial<FormatChoice>): string {
  const isOther = compression !== undefined && compression !== "snappy";
  if (format === "parquet" && isOther) return `parquet.${compression}`;
  return format === "csv" && csvSafe === true ? "csv.safe" : String(format);
}
