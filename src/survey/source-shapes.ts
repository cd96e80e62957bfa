import { formatOf } from "../formats/input-formats.js";
import { isTarEntry, type Source } from "../sources/source.js";
import type { SourceShape } from "./survey.js";

/** Groups sources that are read in the same way, most frequent first. */
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
  const layers = [...[...codecs].reverse(), ...archiveWords(entry)];
  return [formatOf(format).describe(format), ...layers].join(" in ");
}

function archiveWords(entry: Source["entry"]): readonly string[] {
  if (entry === undefined) return [];
  return isTarEntry(entry) ? ["a tar", ...[...entry.codecs].reverse()] : ["a zip"];
}
