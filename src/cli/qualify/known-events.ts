import { open, stat } from "node:fs/promises";
import path from "node:path";
import { exitCodes, SwitchyardError } from "../../base/errors.js";
import type { CountedEvent } from "../../console/qualify-plan.js";
import type { Engine } from "../../engine/engine.js";
import type { Configuration } from "../../pipeline/configuration/configuration.js";
import { resolveRunOptions } from "../../pipeline/configuration/run-options.js";
import { layoutOf, MANIFEST_NAME } from "../../pipeline/ledger/layout.js";
import type { RejectSummary, RowCounts, SourceFailure } from "../../pipeline/manifest.js";
import { readReport } from "../../pipeline/report/read-report.js";
import type { RunContext } from "../../pipeline/run-observer.js";
import { readManifest } from "../../pipeline/verify/verify-manifest.js";

/** Which events there are, and what is known about how many are missing. */
export interface KnownEvents {
  readonly events: readonly CountedEvent[];
  /** Rows of names that were too many to be counted by name. */
  readonly otherRows: number;
  /** False where an export was interrupted, or a source could not be read to its end. */
  readonly isComplete: boolean;
  readonly origin: DocumentOrigin | ReportOrigin | InputsOrigin;
}

export interface DocumentOrigin {
  readonly manifestPath: string;
}

export interface ReportOrigin {
  readonly reportPath: string;
}

/** Inputs that were read for their events. */
export interface InputsOrigin {
  /** As the user gave them. */
  readonly inputs: readonly string[];
  readonly rows: RowCounts;
  readonly rejects: readonly RejectSummary[];
  readonly failures: readonly SourceFailure[];
  /** More rows were rejected than allowed. */
  readonly tooManyRejects: boolean;
}

/** Documents that say which events there are, by the member that they begin with. */
const documentKinds: ReadonlyMap<string, (file: string) => Promise<KnownEvents>> = new Map([
  ["manifestVersion", readExportedEvents],
  ["reportVersion", readReportedEvents],
]);

const HEAD_BYTES = 256;

/**
 * The events that a document names. Throws `ManifestError` where it is missing or cannot be
 * understood.
 */
export async function readKnownEvents(file: string): Promise<KnownEvents> {
  const read = documentKinds.get((await firstMember(file)) ?? "") ?? readExportedEvents;
  return read(file);
}

/**
 * The document that a path stands for: it is one, or the directory of an export, also of one that has
 * not come to its manifest yet. Undefined for everything else: an input.
 */
export async function findDocument(place: string): Promise<string | undefined> {
  const found = await stat(place).catch(() => undefined);
  if (found?.isDirectory() !== true) return (await isDocument(place)) ? place : undefined;
  const manifest = documentIn(place);
  const { planFile } = layoutOf(place, "events");
  const hasBegun = (await stat(planFile).catch(() => undefined))?.isFile() === true;
  return hasBegun || (await isDocument(manifest)) ? manifest : undefined;
}

/** Where the directory of an export has its document. */
export function documentIn(directory: string): string {
  return path.join(directory, MANIFEST_NAME);
}

async function isDocument(file: string): Promise<boolean> {
  return documentKinds.has((await firstMember(file)) ?? "");
}

async function readExportedEvents(manifestPath: string): Promise<KnownEvents> {
  const { events, otherEvents, complete } = await readManifest(manifestPath);
  return {
    ...{ events, otherRows: otherEvents?.rows ?? 0, isComplete: complete },
    origin: { manifestPath },
  };
}

/** A sample does not say which events there are beside its own. */
async function readReportedEvents(reportPath: string): Promise<KnownEvents> {
  const { events, otherEvents, inputs, sample } = await readReport(reportPath);
  const isComplete = sample.share === 1 && inputs.sources.every(({ failure }) => !failure);
  return { events, otherRows: otherEvents.rows, isComplete, origin: { reportPath } };
}

/** Name of the first member of a file that begins with a JSON object: an input can be of any size. */
async function firstMember(file: string): Promise<string | undefined> {
  // Opening a pipe waits for whoever writes to it.
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
 * Prepares to count the events that an export of the configuration's inputs would deliver. Throws
 * `UsageError` at once where that cannot begin; the result reads the inputs, and throws `interrupted`.
 */
export function prepareCount(
  configuration: Configuration,
  { engine, signal, observer }: RunContext & { readonly engine: Engine },
): () => Promise<KnownEvents> {
  const request = resolveRunOptions(configuration);
  return async () => {
    const { outcome, manifest, tooManyRejects } = await engine.runCount(request, {
      ...{ signal, observer },
    });
    if (outcome === "interrupted") {
      throw new SwitchyardError("interrupted", "Interrupted while the inputs were read.", {
        exitCode: exitCodes.interrupted,
      });
    }
    const { events, otherEvents, complete, rows, rejects, failures } = manifest;
    return {
      ...{ events, otherRows: otherEvents?.rows ?? 0, isComplete: complete },
      origin: { inputs: request.inputs, rows, rejects, failures, tooManyRejects },
    };
  };
}
