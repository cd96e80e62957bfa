import { type CsvDialect, MIXED_ENCODING } from "./source.js";

/** Rows of an Adobe Analytics data feed. Its page "Data feed contents" says ISO-8859-1; files have UTF-8, or both. */
export const feedDialect = {
  delimiter: "\t",
  quote: "",
  backslashes: "lf",
  encoding: MIXED_ENCODING,
} as const satisfies Partial<CsvDialect>;
