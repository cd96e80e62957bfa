import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeDurably } from "../../base/durable-file.js";
import { asOutput } from "../../base/output-error.js";
import type { Configuration } from "../../pipeline/configuration/configuration.js";
import type { ExportResult } from "../../pipeline/run-export.js";
import type { StoredEvents } from "../../pipeline/verify/stored-counts.js";

/** Exceeds the counts that a service has. */
const COUNTS_MAX = 10_000_000;

type Exported = Pick<ExportResult, "manifestPath" | "manifest">;

/** Remembers that all steps of a migration were done for the export as its manifest describes it. */
export async function recordMigration(
  configuration: Configuration,
  exported: Exported,
): Promise<void> {
  const path = recordPath(exported);
  const text = `${JSON.stringify({ digest: digestOf(configuration, exported) })}\n`;
  await asOutput(path, () => writeDurably(path, text));
}

/**
 * Returns true if an earlier migration of the same configuration did all its steps for this export, and
 * an embedded service still has as many events.
 */
export async function isMigrated(
  configuration: Configuration,
  exported: Exported,
  stored: StoredEvents | undefined,
): Promise<boolean> {
  const text = await readFile(recordPath(exported), "utf8").catch(() => "");
  if (!text.includes(`"${digestOf(configuration, exported)}"`)) return false;
  if (stored === undefined || !configuration.steps.includes("send")) return true;
  const counts = await stored.counts({ from: undefined, to: undefined }, COUNTS_MAX);
  const { rows } = exported.manifest.totals;
  return counts.reduce((total, { count }) => total + count, 0) === rows;
}

/** Differs for other options, and for each time that the export was changed. */
function digestOf({ steps, values }: Configuration, { manifest }: Exported): string {
  const { json: _, quiet: __, color: ___, ...options } = values;
  const facts = JSON.stringify([steps, options, manifest.version, manifest.run]);
  return createHash("sha256").update(facts).digest("hex");
}

function recordPath({ manifestPath }: Exported): string {
  return join(dirname(manifestPath), "_switchyard", "migration.json");
}
