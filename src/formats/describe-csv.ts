import { type Format, MIXED_ENCODING } from "../sources/source.js";

type CsvFormat = Extract<Format, { readonly kind: "csv" }>;

/** Describes a CSV format in words, for `init`: `CSV (between the cells a tab, no header)`. */
export function describeCsv({ delimiter, header, encoding, quote, ...more }: CsvFormat): string {
  const facts = [
    delimiter === "," ? undefined : `between the cells ${delimiterNames[delimiter] ?? delimiter}`,
    header ? undefined : "no header",
    quote === '"' ? undefined : quote === "" ? "no quotes" : `quotes ${quote}`,
    more.backslashes === undefined ? undefined : "backslash escapes",
    more.skipLines === undefined ? undefined : `${more.skipLines} lines before the header`,
    encoding === "utf-8" || encoding === MIXED_ENCODING ? undefined : encoding.toUpperCase(),
  ].filter((fact) => fact !== undefined);
  return facts.length === 0 ? "CSV" : `CSV (${facts.join(", ")})`;
}

const delimiterNames: Readonly<Record<string, string>> = {
  "\t": "a tab",
  ";": "a semicolon",
  "|": "a |",
};
