import { readFile } from "node:fs/promises";
import { z } from "zod";
import { writeDurably } from "../base/durable-file.js";
import { SwitchyardError } from "../base/errors.js";
import { writeLines } from "../base/line-file.js";
import { asOutput } from "../base/output-error.js";
import { checkValue, faultLines } from "../base/schema.js";
import { outputFormatNames } from "../formats/output-formats.js";
import { INPUTS_NAME, type Layout, MANIFEST_NAME } from "../output/layout.js";
import { openOutput } from "../output/open-output.js";
import { type OutputPlace, pathInOutput } from "../output/output-place.js";
import type { Plan } from "../plan/plan.js";
import {
  MANIFEST_VERSION,
  type Manifest,
  type ManifestInput,
  type ManifestInputs,
  manifestSchema,
  type RunAccounts,
  runAccountsSchema,
  type SourceFailure,
} from "./manifest.js";

/** The manifest of a format that this version can read back. */
const exportSchema = manifestSchema.extend({ format: z.enum(outputFormatNames) });

/** The manifest is missing or cannot be understood. Exit code 1. */
export class ManifestError extends SwitchyardError {}

/** Reads a manifest. Throws `ManifestError` if it is missing, unreadable or of another version. */
export async function readManifest(file: string): Promise<Manifest> {
  return parseManifest(file, () => readFile(file));
}

/** Reads the manifest of an output. Throws like `readManifest`, and `StoreError`. */
export async function readManifestOf(place: OutputPlace, signal: AbortSignal): Promise<Manifest> {
  const output = await openOutput(place);
  const file = pathInOutput(place.directory, MANIFEST_NAME);
  return parseManifest(file, () => output.get(MANIFEST_NAME, signal));
}

/** Parses the text that `read` returns; undefined means that the manifest is missing. */
async function parseManifest(
  file: string,
  read: () => Promise<Buffer | undefined>,
): Promise<Manifest> {
  let content: unknown;
  try {
    const bytes = await read();
    if (bytes === undefined) throw missing(file);
    content = JSON.parse(bytes.toString());
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

/** Returns the `run` section of the manifest; undefined if the manifest is missing or not valid. */
export async function readAccounts({ manifestFile }: Layout): Promise<RunAccounts | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(manifestFile, "utf8"));
    const isValid = checkValue(runAccountsSchema, manifest).value !== undefined;
    return isValid ? (manifest as RunAccounts) : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the manifest of a run, after the files that it names (content by absolute path). */
export async function writeManifest(
  { manifestFile, temporaryDirectory }: Layout,
  manifest: RunAccounts,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  // The manifest is last: if it exists, so does everything that it names.
  for (const [path, content] of [...Object.entries(files), [manifestFile, text] as const]) {
    await asOutput(path, () => writeDurably(path, content, { temporaryDirectory }));
  }
}

function missing(file: string, cause?: unknown): ManifestError {
  return new ManifestError(
    "manifest_missing",
    `${file} does not exist. Pass the directory of \`export --to\`; ` +
      "if the export was interrupted, run it to its end first.",
    { cause },
  );
}

function unreadable(file: string, error: unknown): SwitchyardError {
  // The output has explained an error of the system as one of writing.
  if (error instanceof SwitchyardError)
    return error.code === "output_unwritable" ? unreadable(file, error.cause) : error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return missing(file, error);
  const reason = error instanceof Error ? error.message : String(error);
  return new ManifestError("manifest_unreadable", `${file} cannot be read: ${reason}`, {
    cause: error,
  });
}

/**
 * Writes `inputs.jsonl`: a line for each source, in the order of the epochs. Returns its entry in
 * the manifest. Call it before the manifest is written.
 */
export async function writeInputs(
  { inputsFile, temporaryDirectory }: Layout,
  { sources }: Plan,
  failures: readonly SourceFailure[],
): Promise<ManifestInputs> {
  const lines = formatInputs(sources, failures);
  const written = await asOutput(inputsFile, () =>
    writeLines(inputsFile, lines, temporaryDirectory),
  );
  return { path: INPUTS_NAME, count: sources.length, ...written };
}

function* formatInputs(
  sources: Plan["sources"],
  failures: readonly SourceFailure[],
): Generator<string> {
  const failed = new Map(failures.map((failure) => [failure.source, failure]));
  for (const { name, size: bytes, fingerprint, format } of sources) {
    const failure = failed.get(name);
    const input: ManifestInput = { name, bytes, fingerprint, format: format.kind };
    yield JSON.stringify(failure === undefined ? input : { ...input, failure });
  }
}
