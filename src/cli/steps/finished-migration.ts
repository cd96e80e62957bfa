import { createHash } from "node:crypto";
import type { Configuration } from "../../pipeline/configuration/configuration.js";
import { outputOptions } from "../../pipeline/configuration/output-options.js";
import { placeOf } from "../../pipeline/configuration/run-options.js";
import { MANIFEST_NAME } from "../../pipeline/ledger/layout.js";
import { readTextOf, writeTextOf } from "../../pipeline/remote/output-place.js";
import type { ExportResult } from "../../pipeline/run-export.js";
import type { StoredEvents } from "../../pipeline/verify/stored-counts.js";

/** Exceeds the counts that a service has. */
const COUNTS_MAX = 10_000_000;

/** Relative to the output. */
const RECORD_PATH = "_switchyard/migration.json";

type Exported = Pick<ExportResult, "manifestPath" | "manifest">;

/** Remembers that all steps of a migration were done for the export as its manifest describes it. */
export async function recordMigration(
  configuration: Configuration,
  exported: Exported,
  signal: AbortSignal,
): Promise<void> {
  const text = `${JSON.stringify({ digest: digestOf(configuration, exported) })}\n`;
  await writeTextOf(placeOf(configuration, outputOf(exported)), RECORD_PATH, text, signal);
}

/**
 * Returns true if an earlier migration of the same configuration did all its steps for this export, and
 * an embedded service still has as many events.
 */
export async function isMigrated(
  configuration: Configuration,
  exported: Exported,
  stored: StoredEvents | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const place = placeOf(configuration, outputOf(exported));
  const text = await readTextOf(place, RECORD_PATH, signal);
  if (!text?.includes(`"${digestOf(configuration, exported)}"`)) return false;
  if (stored === undefined || !configuration.steps.includes("send")) return true;
  const counts = await stored.counts({ from: undefined, to: undefined }, COUNTS_MAX);
  const { rows } = exported.manifest.totals;
  return counts.reduce((total, { count }) => total + count, 0) === rows;
}

/** Differs for other options, and for each time that the export was changed. */
function digestOf({ steps, values }: Configuration, { manifest }: Exported): string {
  const isOutput = (name: string) => name in outputOptions;
  const options = Object.entries(values).filter(([name]) => !isOutput(name));
  const facts = JSON.stringify([steps, options, manifest.version, manifest.run]);
  return createHash("sha256").update(facts).digest("hex");
}

function outputOf({ manifestPath }: Exported): string {
  return manifestPath.slice(0, -MANIFEST_NAME.length - 1);
}
