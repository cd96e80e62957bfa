import type { Format, Source } from "../readers/source.js";
import type { SourceShape } from "./survey.js";

/** How sources are to be read, those that are read alike together, the most frequent first. */
export function shapesOf(sources: readonly Source[]): readonly SourceShape[] {
  const shapes = new Map<string, { words: string; sources: number; example: string }>();
  for (const source of sources) {
    const words = source.size === 0 ? "nothing" : describeSource(source);
    const shape = shapes.get(words);
    if (shape === undefined) shapes.set(words, { words, sources: 1, example: source.name });
    else shape.sources++;
  }
  return [...shapes.values()].sort((one, other) => other.sources - one.sources);
}

function describeSource({ format, codecs, entry }: Source): string {
  // The innermost layer is nearest to the rows.
  const layers = [...[...codecs].reverse(), ...(entry === undefined ? [] : ["a zip"])];
  return [describeFormat(format), ...layers].join(" in ");
}

function describeFormat(format: Format): string {
  switch (format.kind) {
    case "ndjson":
      return "newline-delimited JSON";
    case "json":
      return "JSON";
    case "parquet":
      return "Parquet";
    case "rejects":
      return "Switchyard's own rejects";
    case "csv": {
      const { delimiter, header, encoding, quote } = format;
      const facts = [
        ...(delimiter === ","
          ? []
          : [`between the cells ${delimiterWords[delimiter] ?? delimiter}`]),
        ...(header ? [] : ["no header"]),
        ...(quote === '"' ? [] : [quote === "" ? "no quotes" : `quotes ${quote}`]),
        ...(encoding === "utf-8" ? [] : [encoding.toUpperCase()]),
      ];
      return facts.length === 0 ? "CSV" : `CSV (${facts.join(", ")})`;
    }
  }
}

const delimiterWords: Readonly<Record<string, string>> = {
  "\t": "a tab",
  ";": "a semicolon",
  "|": "a |",
};
