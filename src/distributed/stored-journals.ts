import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mapBounded } from "../base/map-bounded.js";
import { openOutput } from "../output/output-copy.js";
import { readObject } from "../output/output-files.js";
import type { OutputPlace } from "../output/output-place.js";
import type { OpenOutput } from "../output/stored-locks.js";
import type { ObjectFacts } from "../store/object-store.js";
import { journalsPath } from "./queued-output.js";

const FETCHES_MAX = 16;

/** The journals of a run in a store, and the copy of the run. */
export interface StoredJournals extends Pick<OpenOutput, "store" | "prefix"> {
  readonly directory: string;
  readonly signal: AbortSignal;
}

/** Fetches the journals of a split into the copy. */
export async function fetchJournals(split: string, journals: StoredJournals): Promise<void> {
  const { store, directory, signal } = journals;
  const target = join(directory, journalsPath(split));
  await mkdir(target, { recursive: true });
  await mapBounded(await listJournals(split, journals), FETCHES_MAX, async (journal) => {
    const name = journal.key.slice(journal.key.lastIndexOf("/") + 1);
    await writeFile(join(target, name), await readObject(store, journal, signal));
  });
}

/** Removes the journals of a split from the store. */
export async function forgetJournals(split: string, journals: StoredJournals): Promise<void> {
  const keys = (await listJournals(split, journals)).map(({ key }) => key);
  if (keys.length > 0) await journals.store.remove(keys, journals.signal);
}

/** Returns a function that writes pieces of journals, each under its own name, into a run in a store. */
export async function pieceWriter(
  place: OutputPlace,
  signal: AbortSignal,
): Promise<(name: string, text: string) => Promise<void>> {
  const { store, prefix } = await openOutput(place);
  return async (name, text) => {
    const bytes = Buffer.from(text);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const [split = ""] = name.split(".");
    const key = `${prefix}${journalsPath(split)}/${name}`;
    // If the piece exists, an answer was lost: no other process uses the name.
    await store.put(key, { bytes }, { condition: "absent", sha256, signal });
  };
}

async function listJournals(
  split: string,
  { store, prefix, signal }: StoredJournals,
): Promise<readonly ObjectFacts[]> {
  const found: ObjectFacts[] = [];
  const names = { isFlat: true, signal };
  for await (const page of store.list(`${prefix}${journalsPath(split)}/${split}.`, names))
    found.push(...page.objects);
  return found;
}
