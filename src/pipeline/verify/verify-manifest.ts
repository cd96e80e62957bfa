import { readFile } from "node:fs/promises";
import { SwitchyardError } from "../../base/errors.js";
import type { JsonObject, JsonValue } from "../configuration/configuration-types.js";
import { createValidator } from "../configuration/configuration-validation.js";
import { MANIFEST_VERSION, type Manifest } from "../manifest.js";
import { outputFormatNames } from "../output-formats.js";

/** There is no manifest to verify against, or none that can be understood. Exit code 1. */
export class ManifestError extends SwitchyardError {}

/** Throws `ManifestError` for a manifest that is missing, unreadable or of another version. */
export async function readManifest(file: string): Promise<Manifest> {
  let content: JsonValue;
  try {
    content = JSON.parse(await readFile(file, "utf8")) as JsonValue;
  } catch (error) {
    throw unreadable(file, error);
  }
  const version = (content as JsonObject | null)?.["manifestVersion"];
  if (typeof version === "number" && version !== MANIFEST_VERSION) {
    throw new ManifestError(
      "manifest_version",
      `${file} has version ${version}, this Switchyard reads version ${MANIFEST_VERSION}. ` +
        "Verify with the version that wrote it.",
    );
  }
  const problems = createValidator(manifestSchema)(content).map(
    ({ path: keys, message }) => `${keys.join(".") || "the whole"}: ${message}`,
  );
  if (problems.length > 0) {
    throw new ManifestError(
      "manifest_malformed",
      `${file} is no manifest of an export: ${problems.slice(0, 5).join("; ")}.`,
    );
  }
  return content as unknown as Manifest;
}

function unreadable(file: string, error: unknown): ManifestError {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new ManifestError(
      "manifest_missing",
      `There is no ${file}. Give the directory that was given to \`export --to\`; ` +
        "an export that was interrupted has its manifest once it has been run to its end.",
      { cause: error },
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new ManifestError("manifest_unreadable", `${file} cannot be read: ${reason}`, {
    cause: error,
  });
}

const count = { type: "integer", minimum: 0 };
const text = { type: "string" };
const time = { type: "string", format: "instant" };
const timeOrNull = { type: ["string", "null"], format: "instant" };

const object = (properties: JsonObject, optional: readonly string[] = []): JsonObject => ({
  type: "object",
  required: Object.keys(properties).filter((key) => !optional.includes(key)),
  properties,
});
const list = (items: JsonObject): JsonObject => ({ type: "array", items });

const fileSchema = object({
  path: text,
  rows: count,
  bytes: count,
  sha256: { type: "string", pattern: "^[0-9a-f]{64}$" },
  firstTimestamp: time,
  lastTimestamp: time,
});

/** What verifying relies on; a manifest may hold more. */
export const manifestSchema: JsonObject = object(
  {
    manifestVersion: count,
    complete: { type: "boolean" },
    dataset: { type: "string", format: "dataset" },
    format: { type: "string", enum: outputFormatNames },
    dayZone: { type: "string", format: "zone" },
    totals: object({
      rows: count,
      bytes: count,
      files: count,
      days: count,
      firstTimestamp: timeOrNull,
      lastTimestamp: timeOrNull,
    }),
    rows: object({
      read: count,
      added: count,
      delivered: count,
      rejected: count,
      filtered: count,
      duplicates: count,
    }),
    pending: count,
    rejects: list(object({ code: text, rows: count })),
    failures: list(object({ source: text, message: text })),
    events: list(object({ event: text, rows: count, firstTimestamp: time, lastTimestamp: time })),
    otherEvents: object({ rows: count, firstTimestamp: time, lastTimestamp: time }),
    eventsByDay: object({
      path: text,
      bytes: count,
      sha256: { type: "string", pattern: "^[0-9a-f]{64}$" },
    }),
    days: list(
      object({
        day: { type: "string", pattern: "^\\d{4,6}-\\d{2}-\\d{2}$" },
        rows: count,
        bytes: count,
        firstTimestamp: time,
        lastTimestamp: time,
        files: list(fileSchema),
      }),
    ),
  },
  ["otherEvents", "pending"],
);
