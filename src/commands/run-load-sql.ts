import { exitCodes } from "../base/errors.js";
import { settleUnlessRunning } from "../check/compact/settle-compaction.js";
import { loadSql } from "../check/load-sql.js";
import { readManifestOf } from "../ledger/manifest-file.js";
import { loadConfiguration } from "../options/configuration.js";
import type { Warehouse } from "../options/options.js";
import { requireExport } from "../options/run-options.js";
import { type CommandContext, outputOf } from "./context.js";
import { printFailure } from "./print-result.js";
import type { CommandLine } from "./run-configured.js";

/** Prints the statements that load an export and returns the exit code; never throws. */
export async function runLoadSql(
  warehouse: Warehouse,
  { flags, configPath }: CommandLine,
  context: CommandContext,
): Promise<number> {
  try {
    const { environment, currentDirectory, signal } = context;
    const configuration = await loadConfiguration({
      flags,
      configPath,
      environment,
      currentDirectory,
    });
    const place = requireExport(configuration, "load");
    await settleUnlessRunning({ ...place, signal });
    const manifest = await readManifestOf(place, signal);
    context.stdout.write(loadSql(warehouse, manifest, place.directory));
    return exitCodes.done;
  } catch (error) {
    return printFailure("load-sql", error, outputOf({}), context);
  }
}
