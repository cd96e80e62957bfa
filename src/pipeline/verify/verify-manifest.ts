import { readFile } from "node:fs/promises";
import { z } from "zod";
import { SwitchyardError } from "../../base/errors.js";
import { checkValue, faultLines } from "../../base/schema.js";
import { MANIFEST_VERSION, type Manifest, manifestSchema } from "../manifest.js";
import { outputFormatNames } from "../output-formats.js";

/** The manifest of a format that this version can read back. */
const exportSchema = manifestSchema.extend({ format: z.enum(outputFormatNames) });

/** The manifest is missing or cannot be understood. Exit code 1. */
export class ManifestError extends SwitchyardError {}

/** Reads a manifest. Throws `ManifestError` if it is missing, unreadable or of another version. */
export async function readManifest(file: string): Promise<Manifest> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw unreadable(file, error);
  }
  const version = (content as Partial<Manifest> | null)?.manifestVersion;
  if (typeof version === "number" && version !== MANIFEST_VERSION) {
    throw new ManifestError(
      "manifest_version",
      `${file} has version ${version}; this Switchyard reads version ${MANIFEST_VERSION}. ` +
        "Verify with the version that wrote it.",
    );
  }
  const { faults } = checkValue(exportSchema, content);
  if (faults === undefined) return content as Manifest;
  throw new ManifestError(
    "manifest_malformed",
    `${file} is not the manifest of an export: ${faultLines(faults).slice(0, 5).join("; ")}.`,
  );
}

function unreadable(file: string, error: unknown): ManifestError {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new ManifestError(
      "manifest_missing",
      `${file} does not exist. Pass the directory of \`export --to\`; ` +
        "if the export was interrupted, run it to its end first.",
      { cause: error },
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new ManifestError("manifest_unreadable", `${file} cannot be read: ${reason}`, {
    cause: error,
  });
}
