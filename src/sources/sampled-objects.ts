import { OBJECT_SAMPLES, OBJECTS_OPENED_MAX } from "../base/limits.js";
import type { InputFile } from "./inputs.js";
import type { Source } from "./source.js";
import type { Discovery } from "./source-discovery.js";
import { describeSource } from "./source-table.js";

/**
 * Returns what is known of objects without opening each. Of very many objects with similar names, samples
 * decide about the others; their workers look at them again. `look`: opens one.
 */
export async function sampleObjects(
  files: readonly InputFile[],
  look: (files: readonly InputFile[]) => Promise<readonly Discovery[]>,
): Promise<(file: InputFile) => Source | undefined> {
  const groups = groupObjects(files);
  const kinds = new Map<string, Source>();
  for (const [key, group] of groups) {
    const step = (group.length - 1) / (OBJECT_SAMPLES - 1);
    const samples = Array.from(
      { length: OBJECT_SAMPLES },
      (_, index) => group[Math.round(index * step)]!,
    );
    const example = agreedSource(await look(samples));
    if (example !== undefined) kinds.set(key, example);
  }
  return (file) => {
    const isSampled = kinds.size > 0 && file.stored !== undefined;
    const example = isSampled ? kinds.get(likeness(file.name)) : undefined;
    return example && sampledSource(file, example);
  };
}

/** Returns the objects that are not opened one by one, by the likeness of their names. */
function groupObjects(files: readonly InputFile[]): ReadonlyMap<string, readonly InputFile[]> {
  const objects = files.filter(({ stored }) => stored !== undefined);
  const groups = new Map<string, InputFile[]>();
  if (objects.length <= OBJECTS_OPENED_MAX) return groups;
  for (const file of objects) {
    const key = likeness(file.name);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [file]);
    else group.push(file);
  }
  const isOpened = ([key, group]: [string, InputFile[]]) =>
    key.endsWith(".zip") || group.length <= 2 * OBJECT_SAMPLES;
  return new Map([...groups].filter((group) => !isOpened(group)));
}

/** Returns a directory, without the numbers in it, and what a name ends with: `s3://b/#-#/.json.gz`. */
function likeness(name: string): string {
  const end = name.lastIndexOf("/") + 1;
  const [extension = ""] = /(?:\.[a-z][a-z\d]*)+$/i.exec(name.slice(end)) ?? [];
  return name.slice(0, end).replace(/[\da-f]{8,}|\d+/gi, "#") + extension.toLowerCase();
}

/** Returns the first of some samples if all of them are one source each, of the same kind. */
function agreedSource(samples: readonly Discovery[]): Source | undefined {
  const kindOf = ({ codecs, format }: Source) => `${codecs} ${format.kind}`;
  const sources = samples.flatMap((one) => one.sources);
  const [first] = sources;
  const isOne = ({ sources: own }: Discovery) => own.length === 1 && own[0]?.entry === undefined;
  if (first === undefined || !samples.every(isOne)) return undefined;
  return sources.every((source) => kindOf(source) === kindOf(first)) ? first : undefined;
}

function sampledSource({ listed }: InputFile, { codecs, format }: Source): Source | undefined {
  return listed && describeSource(listed, { codecs, format, sampled: true });
}
