import { SwitchyardError, UsageError } from "../../base/errors.js";
import { createConsoleClient } from "../../console/client.js";
import { applyImport, isImportWork } from "../../console/entities/apply-import.js";
import type { GivenFile } from "../../console/entities/entity-kinds.js";
import { planImport } from "../../console/entities/import-plan.js";
import { readEntities } from "../../console/entities/read-entities.js";
import { lockDirectory, requireAllDatabases } from "../../storage/data-files.js";
import { makeFirstData } from "../../storage/first-data.js";
import { IN_MEMORY } from "../../storage/sqlite-database.js";
import { startEmbeddedService } from "./embedded-service.js";

/** Faults that a message names. */
const FAULTS_SHOWN_MAX = 10;

/**
 * Gives an empty data directory its first entities: all of them, or none. Returns their number; undefined
 * if the directory has data. Throws `entities_refused`, `data_in_use` and what opening the store throws.
 */
export async function applyFirstEntities(
  dataDirectory: string,
  files: readonly GivenFile[],
  signal: AbortSignal,
): Promise<number | undefined> {
  if (dataDirectory === IN_MEMORY) {
    throw new UsageError(
      "entities_invalid",
      "A service in memory takes no entities at its start: pass a directory as --data.",
    );
  }
  const lock = await lockDirectory(dataDirectory);
  try {
    await requireAllDatabases(dataDirectory);
    let entities = 0;
    const isMade = await makeFirstData(dataDirectory, async (staging) => {
      entities = await fill(staging, files, signal);
    });
    return isMade ? entities : undefined;
  } finally {
    lock.release();
  }
}

async function fill(
  directory: string,
  files: readonly GivenFile[],
  signal: AbortSignal,
): Promise<number> {
  const service = await startEmbeddedService(directory, "error");
  try {
    const client = createConsoleClient({ baseUrl: service.url, key: service.keys.console });
    const plan = planImport(files, await readEntities(client, signal), { prune: false });
    const refused = plan.flatMap((item) =>
      item.action === "refused" ? [`${item.file}: ${item.reasons.join("; ")}`] : [],
    );
    if (refused.length > 0) throw notApplied(refused);
    const { failed, uncertain, stopped } = await applyImport(plan, client, signal);
    if (stopped !== undefined) throw stopped;
    if (failed.length + uncertain.length > 0) {
      const work = plan.filter(isImportWork);
      const fileOf = ({ kind, name }: { readonly kind: string; readonly name: string }) =>
        work.find((item) => item.kind === kind && item.name === name)?.file ?? name;
      throw notApplied([
        ...failed.map((one) => `${fileOf(one)}: ${one.message}`),
        ...uncertain.map((one) => `${fileOf(one)}: the service gave no answer`),
      ]);
    }
    return plan.length;
  } finally {
    await service.stop();
  }
}

function notApplied(faults: readonly string[]): SwitchyardError {
  const shown = faults.slice(0, FAULTS_SHOWN_MAX).join("\n  ");
  const more = faults.length - FAULTS_SHOWN_MAX;
  const rest = more > 0 ? `\n  and ${more} more` : "";
  return new SwitchyardError(
    "entities_refused",
    `the entities of the first start were not stored; fix these files:\n  ${shown}${rest}`,
  );
}
