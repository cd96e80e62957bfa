import { z } from "zod";
import {
  type OutputFormat,
  outputFormatNames,
  type PartOptions,
} from "../formats/output-formats.js";
import { type ParquetCompression, parquetCompressions } from "../sinks/parquet/page-compression.js";
import { textType } from "./option-types.js";

const compressed = parquetCompressions.map((compression) => `parquet.${compression}` as const);

/**
 * Values of the option `format`. In `parquet.zstd`, `zstd` is the compression inside of the files; the
 * cells of `csv.safe` do not begin as formulas of a spreadsheet.
 */
export const outputForms = [...outputFormatNames, ...compressed, "csv.safe"] as const;
type OutputFormName = (typeof outputForms)[number];

/** A format with the settings that its name can have. */
export interface OutputForm extends Pick<PartOptions, "compression" | "csvSafe"> {
  readonly format: OutputFormat;
}

export function outputFormOf(name: OutputFormName): OutputForm {
  const plain = { compression: "snappy", csvSafe: false } as const;
  const format = outputFormatNames.find((one) => one === name);
  if (format !== undefined) return { ...plain, format };
  if (name === "csv.safe") return { ...plain, format: "csv", csvSafe: true };
  const compression = name.slice("parquet.".length) as ParquetCompression;
  return { ...plain, format: "parquet", compression };
}

/** The type of `format`. */
export const outputForm = {
  ...textType(z.enum(outputForms).transform(outputFormOf), "<format>"),
  choices: outputForms,
} as const;

/** Returns the shortest name of a form. Settings of other formats are not a part of it. */
export function outputFormName({ format, compression, csvSafe }: Partial<OutputForm>): string {
  const isOther = compression !== undefined && compression !== "snappy";
  if (format === "parquet" && isOther) return `parquet.${compression}`;
  return format === "csv" && csvSafe === true ? "csv.safe" : String(format);
}
