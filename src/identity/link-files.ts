import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BUCKETS } from "./link-file.js";
import type { SplitLinks } from "./link-sink.js";

/** The files of a run that finds links, by the id of a split. */
export interface LinkFiles {
  /** Directory of the files. */
  readonly directory: string;
  links(splitId: string): string;
  index(splitId: string): string;
  encode(found: SplitLinks): Uint8Array;
  read(splitId: string): SplitLinks;
}

/** Returns the names of the files below the output of a run. */
export function linkFilesOf(outputDirectory: string): LinkFiles {
  const directory = join(outputDirectory, "links");
  const index = (splitId: string) => join(directory, `${splitId}.index`);
  return {
    directory,
    links: (splitId) => join(directory, `${splitId}.links`),
    index,
    encode,
    read: (splitId) => decode(readFileSync(index(splitId))),
  };
}

/** Starts of a run: of its levels, then of its links. */
const RUN_NUMBERS = 2 * (BUCKETS + 1);

/** A line of JSON, then the positions of the runs as doubles. */
function encode({ runs, ...facts }: SplitLinks): Uint8Array {
  const head = Buffer.from(`${JSON.stringify(facts)}\n`);
  const numbers = new Float64Array(runs.length * RUN_NUMBERS);
  for (const [index, { levels, links }] of runs.entries()) {
    numbers.set(levels, index * RUN_NUMBERS);
    numbers.set(links, index * RUN_NUMBERS + BUCKETS + 1);
  }
  return Buffer.concat([head, Buffer.from(numbers.buffer)]);
}

function decode(bytes: Buffer): SplitLinks {
  const end = bytes.indexOf("\n");
  // Copied, because positions of doubles must be multiples of 8.
  const numbers = new Float64Array(new Uint8Array(bytes.subarray(end + 1)).buffer);
  const runs = [];
  for (let start = 0; start < numbers.length; start += RUN_NUMBERS) {
    runs.push({
      levels: numbers.subarray(start, start + BUCKETS + 1),
      links: numbers.subarray(start + BUCKETS + 1, start + RUN_NUMBERS),
    });
  }
  return { ...JSON.parse(bytes.subarray(0, end).toString()), runs };
}
