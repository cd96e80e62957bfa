import { type GivenDialect, MIXED_ENCODING } from "../../sources/source.js";

/** Dialects by the program that writes them; members that are missing are detected. */
const csvDialects = {
  standard: { backslashes: false },
  postgresql: { delimiter: "\t", quote: "", backslashes: true },
  mysql: { delimiter: "\t", quote: "", backslashes: true },
  snowflake: { delimiter: ",", quote: "", backslashes: true },
  redshift: { delimiter: "|", backslashes: true },
  // Its documentation says ISO-8859-1, and files have UTF-8, or both: "Data feed contents".
  adobe: { delimiter: "\t", quote: "", backslashes: true, encoding: MIXED_ENCODING },
} as const satisfies Readonly<Record<string, GivenDialect>>;

export type CsvDialectName = keyof typeof csvDialects;

export const csvDialectNames = Object.keys(csvDialects) as readonly CsvDialectName[];

/** Returns a named dialect with the members that are given on their own, which override it. */
export function completeDialect(
  name: CsvDialectName | undefined,
  given: GivenDialect,
): GivenDialect {
  return name === undefined ? given : { ...csvDialects[name], ...given };
}

/** Returns whether CSV is read through csv-parse, because the kernels do not know its delimiter. */
export function isParsed({ delimiter = "," }: { readonly delimiter?: string }): boolean {
  return Buffer.byteLength(delimiter) > 1;
}
