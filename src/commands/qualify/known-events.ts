import { open, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { exitCodes, SwitchyardError } from "../../base/errors.js";
import { checkValue, faultLines } from "../../base/schema.js";
import type { CountedEvent } from "../../console/qualify-plan.js";
import type { Runs } from "../../engine/runs.js";
import type { Manifest, RejectSummary, RowCounts, SourceFailure } from "../../ledger/manifest.js";
import { ManifestError, readManifest, readManifestOf } from "../../ledger/manifest-file.js";
import type { RunContext } from "../../ledger/run-observer.js";
import type { Configuration } from "../../options/configuration.js";
import { resolveRunOptions } from "../../options/run-options.js";
import { layoutOf, MANIFEST_NAME } from "../../output/layout.js";
import { type OutputPlace, pathInOutput } from "../../output/output-place.js";
import { REPORT_VERSION, type Report, reportSchema } from "../../profile/report.js";

/** The names of events with their counts, and the facts about missing ones. */
export interface KnownEvents {
  readonly events: readonly CountedEvent[];
  /** Rows that were not counted by name, because there were too many names. */
  readonly otherRows: number;
  /** False if the export was interrupted or a source could not be read to its end. */
  readonly isComplete: boolean;
  readonly origin: DocumentOrigin | ReportOrigin | InputsOrigin;
}

interface DocumentOrigin {
  readonly manifestPath: string;
}

interface ReportOrigin {
  readonly reportPath: string;
}

/** Inputs that were read for their event names. */
interface InputsOrigin {
  /** The inputs as the user gave them. */
  readonly inputs: readonly string[];
  readonly rows: RowCounts;
  readonly rejects: readonly RejectSummary[];
  readonly failures: readonly SourceFailure[];
  /** More rows were rejected than allowed. */
  readonly tooManyRejects: boolean;
}

/** The kinds of documents with event names, by their first member. */
const documentKinds: ReadonlyMap<string, (file: string) => Promise<KnownEvents>> = new Map([
  ["manifestVersion", readExportedEvents],
  ["reportVersion", readReportedEvents],
]);

const HEAD_BYTES = 256;

/**
 * Returns the events of a document. Throws `ManifestError` if the document is missing or not valid.
 */
export async function readKnownEvents(file: string): Promise<KnownEvents> {
  const read = documentKinds.get((await firstMember(file)) ?? "") ?? readExportedEvents;
  return read(file);
}

/** Returns the events of an export in a store. Throws like `readKnownEvents`, and `StoreError`. */
export async function readStoredEvents(
  place: OutputPlace,
  signal: AbortSignal,
): Promise<KnownEvents> {
  const manifest = await readManifestOf(place, signal);
  return eventsOf(manifest, pathInOutput(place.directory, MANIFEST_NAME));
}

/**
 * Returns the document at a path: the file itself, or the manifest of an export directory, even if it
 * is not written yet. Returns undefined for anything else, which is an input.
 */
export async function findDocument(place: string): Promise<string | undefined> {
  const found = await stat(place).catch(() => undefined);
  if (found?.isDirectory() !== true) return (await isDocument(place)) ? place : undefined;
  const manifest = documentIn(place);
  const { planFile } = layoutOf(place, "events");
  const hasBegun = (await stat(planFile).catch(() => undefined))?.isFile() === true;
  return hasBegun || (await isDocument(manifest)) ? manifest : undefined;
}

/** Returns the path of the manifest of an export. */
export function documentIn(directory: string): string {
  return path.join(directory, MANIFEST_NAME);
}

async function isDocument(file: string): Promise<boolean> {
  return documentKinds.has((await firstMember(file)) ?? "");
}

async function readExportedEvents(manifestPath: string): Promise<KnownEvents> {
  return eventsOf(await readManifest(manifestPath), manifestPath);
}

function eventsOf({ events, otherEvents, complete }: Manifest, manifestPath: string): KnownEvents {
  return {
    events,
    otherRows: otherEvents?.rows ?? 0,
    isComplete: complete,
    origin: { manifestPath },
  };
}

/** A sample does not contain all events. */
async function readReportedEvents(reportPath: string): Promise<KnownEvents> {
  const { events, otherEvents, inputs, sample } = await readReport(reportPath);
  const isComplete = sample.share === 1 && inputs.sources.every(({ failure }) => !failure);
  return { events, otherRows: otherEvents.rows, isComplete, origin: { reportPath } };
}

/** Returns the name of the first member of a JSON file. Reads only its head: an input can be of any size. */
async function firstMember(file: string): Promise<string | undefined> {
  // Opening a pipe would wait for a writer.
  const isFile = (await stat(file).catch(() => undefined))?.isFile() === true;
  const handle = isFile ? await open(file, "r").catch(() => undefined) : undefined;
  if (handle === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return /^\s*\{\s*"(\w+)"\s*:/.exec(buffer.toString("latin1", 0, bytesRead))?.[1];
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

/**
 * Returns a function that reads the configured inputs and counts the events that an export would
 * deliver. The function throws `interrupted` after an interruption. `UsageError` for faulty options
 * is thrown at once.
 */
export function prepareCount(
  configuration: Configuration,
  { runs, signal, observer }: RunContext & { readonly runs: Pick<Runs, "count"> },
): () => Promise<KnownEvents> {
  const request = resolveRunOptions(configuration);
  return async () => {
    const { outcome, manifest, tooManyRejects } = await runs.count(request, {
      signal,
      observer,
    });
    if (outcome === "interrupted") {
      throw new SwitchyardError("interrupted", "Interrupted while reading the inputs.", {
        exitCode: exitCodes.interrupted,
      });
    }
    const { events, otherEvents, complete, rows, rejects, failures } = manifest;
    return {
      events,
      otherRows: otherEvents?.rows ?? 0,
      isComplete: complete,
      origin: { inputs: request.inputs, rows, rejects, failures, tooManyRejects },
    };
  };
}

/** Faults of a malformed report that a message names. */
const FAULTS_MAX = 5;

/** Reads `report.json`. Throws `ManifestError` if it is unreadable, malformed or of another version. */
async function readReport(file: string): Promise<Report> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ManifestError("report_unreadable", `${file} cannot be read: ${reason}`, { cause });
  }
  const version = (content as { readonly reportVersion?: unknown } | null)?.reportVersion;
  if (version !== REPORT_VERSION) {
    throw new ManifestError(
      "report_version",
      `${file} has version ${JSON.stringify(version)}, this Switchyard reads version ${REPORT_VERSION}. Run \`switchyard validate\` again.`,
    );
  }
  const { faults } = checkValue(reportSchema, content);
  if (faults === undefined) return content as Report;
  const words = faultLines(faults.slice(0, FAULTS_MAX)).join("; ");
  throw new ManifestError(
    "report_malformed",
    `${file} is not a valid report: ${words}. Run \`switchyard validate\` again.`,
  );
}
