import { createHash } from "node:crypto";
import { join } from "node:path";
import { readOrNone } from "../../base/durable-file.js";
import type { RunAccounts } from "../../ledger/manifest.js";
import { RENAMES_NAME } from "../../output/layout.js";
import type { Renames } from "../../target/renames.js";
import { compare, type Difference, difference } from "./verify-difference.js";

/**
 * Compares the file of repaired names with the manifest, and with the events: none has an old name, and no
 * two old names have the same new one.
 */
export async function verifyRenames(
  directory: string,
  {
    renames,
    events,
  }: Pick<RunAccounts, "renames"> & { readonly events: readonly { event: string }[] },
): Promise<readonly Difference[]> {
  if (renames === undefined) return [];
  const file = await readOrNone(join(directory, RENAMES_NAME));
  if (file === undefined) {
    return [difference("file_missing", RENAMES_NAME, "the file does not exist")];
  }
  const digest = createHash("sha256").update(file).digest("hex");
  const changed = [
    ...compare("bytes_differ", RENAMES_NAME, "size in bytes", file.length, renames.bytes),
    ...compare("sha256_differs", RENAMES_NAME, "SHA-256", digest, renames.sha256),
  ];
  if (changed.length > 0) return changed;
  const { names, metadata } = JSON.parse(file.toString()) as Renames;
  const delivered = new Set(events.map(({ event }) => event));
  // A name that could be the new name of another one was renamed, so that it can be both.
  const made = new Set(names.map((one) => one.new));
  const left = names.find((one) => delivered.has(one.old) && !made.has(one.old));
  const shared = [names, metadata].flatMap((all) => repeatedOf(all.map((one) => one.new)));
  return [
    ...(left === undefined
      ? []
      : [
          difference(
            "events_differ",
            RENAMES_NAME,
            `events still have the name ${JSON.stringify(left.old)}`,
          ),
        ]),
    ...shared.map((name) =>
      difference("events_differ", RENAMES_NAME, `two names became ${JSON.stringify(name)}`),
    ),
  ];
}

function repeatedOf(names: readonly string[]): readonly string[] {
  const known = new Set<string>();
  return names.filter((name) => known.size === known.add(name).size);
}
