import path from "node:path";
import { UsageError } from "../../base/errors.js";
import type { Configuration } from "../../options/configuration.js";
import { placeOf } from "../../options/run-options.js";
import { MANIFEST_NAME } from "../../output/layout.js";
import { openOutput } from "../../output/open-output.js";
import type { OutputPlace } from "../../output/output-place.js";
import { isObjectUrl } from "../../store/object-url.js";
import { documentIn, findDocument } from "./known-events.js";

/** The source of the event names for `qualify`. */
type EventSource =
  | { readonly kind: "document"; readonly file: string }
  /** An export in a store. */
  | { readonly kind: "stored"; readonly place: OutputPlace }
  /** The inputs of the configuration. */
  | { readonly kind: "inputs" };

/**
 * Returns the export or the inputs on the command line; else the export of `export.to`, else what is
 * configured as inputs. Throws `UsageError` if there is no source or more than one.
 */
export async function findEventSource(
  configuration: Configuration,
  signal: AbortSignal,
): Promise<EventSource> {
  const { values, given } = configuration;
  const { inputs = [], to } = values;
  if (to !== undefined && !given.has("inputs")) {
    if (!isObjectUrl(to)) return { kind: "document", file: documentIn(to) };
    return { kind: "stored", place: placeOf(configuration, to) };
  }
  if (inputs.length > 0) return sourceOf(inputs, configuration, signal);
  throw new UsageError(
    "export_missing",
    "No export and no inputs to read event names from: pass the directory of `switchyard export --to`, or inputs.",
  );
}

async function sourceOf(
  places: readonly string[],
  configuration: Configuration,
  signal: AbortSignal,
): Promise<EventSource> {
  for (const place of places) {
    const source = isObjectUrl(place)
      ? await storedExport(placeOf(configuration, place), signal)
      : await documentSource(path.resolve(configuration.inputsDirectory, place));
    if (source === undefined) continue;
    if (places.length === 1) return source;
    throw new UsageError(
      "event_source_ambiguous",
      `${place} is an export, and there are other inputs: pass one export (its directory or its manifest), or only inputs.`,
    );
  }
  return { kind: "inputs" };
}

async function storedExport(
  place: OutputPlace,
  signal: AbortSignal,
): Promise<EventSource | undefined> {
  const manifest = await (await openOutput(place)).get(MANIFEST_NAME, signal);
  return manifest === undefined ? undefined : { kind: "stored", place };
}

async function documentSource(place: string): Promise<EventSource | undefined> {
  const file = await findDocument(place);
  return file === undefined ? undefined : { kind: "document", file };
}
