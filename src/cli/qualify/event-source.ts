import { stat } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/errors.js";
import type { Configuration } from "../../pipeline/configuration/configuration.js";
import { documentIn, findDocument } from "./known-events.js";

/** Where `qualify` learns which events there are. */
export type EventSource =
  | { readonly kind: "document"; readonly file: string }
  /** Those of the configuration. */
  | { readonly kind: "inputs" };

/**
 * What stands on the command line, be it an export or inputs; else the export of `from`, else that of
 * `export.to`, else the configured inputs. Throws `UsageError` where that is nothing or several things.
 */
export async function findEventSource({
  values,
  given,
  inputsDirectory,
}: Configuration): Promise<EventSource> {
  const { inputs = [], from, to } = values;
  if (given.has("inputs")) {
    if (given.has("from")) throw ambiguous(`--from ${from} and ${inputs.join(" ")} are both given`);
    return sourceOf(inputs, inputsDirectory);
  }
  const directory = from ?? to;
  if (directory !== undefined) return { kind: "document", file: await documentAt(directory) };
  if (inputs.length > 0) return { kind: "inputs" };
  throw new UsageError(
    "export_missing",
    "No export and no inputs to take event names from: name the directory that was given to `switchyard export --to`, or what is to be read.",
  );
}

async function sourceOf(places: readonly string[], directory: string): Promise<EventSource> {
  for (const place of places) {
    const file = await findDocument(path.resolve(directory, place));
    if (file === undefined) continue;
    if (places.length === 1) return { kind: "document", file };
    throw ambiguous(`${place} is an export, and more is given beside it`);
  }
  return { kind: "inputs" };
}

/** Throws `UsageError` for a file that cannot be one: an input can be too large to find that out. */
async function documentAt(from: string): Promise<string> {
  const found = await stat(from).catch(() => undefined);
  if (found?.isFile() !== true) return documentIn(from);
  if (from.endsWith(".json") || (await findDocument(from)) !== undefined) return from;
  throw new UsageError(
    "export_missing",
    `${from} is no export and no manifest of one. To have it read as an input, name it without --from.`,
  );
}

function ambiguous(what: string): UsageError {
  return new UsageError(
    "event_source_ambiguous",
    `${what}: give one export (its directory, or its manifest), or inputs and nothing else.`,
  );
}
