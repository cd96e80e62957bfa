import { exitCodes } from "../base/errors.js";
import { loadConfiguration } from "../pipeline/configuration/configuration.js";
import { placeOf } from "../pipeline/configuration/run-options.js";
import { MANIFEST_NAME } from "../pipeline/ledger/layout.js";
import { loadSql } from "../pipeline/load-sql.js";
import { withFilesOf } from "../pipeline/remote/output-place.js";
import { readManifest } from "../pipeline/verify/verify-manifest.js";
import type { Warehouse } from "../pipeline/warehouses.js";
import type { CommandContext } from "./context.js";
import { outputOf } from "./output.js";
import { printFailure } from "./print-outcome.js";
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
    const place = placeOf(configuration, configuration.values.to ?? "");
    const isManifest = (file: string) => file === MANIFEST_NAME;
    const manifest = await withFilesOf(place, isManifest, signal, (directory) =>
      readManifest(`${directory}/${MANIFEST_NAME}`),
    );
    context.stdout.write(loadSql(warehouse, manifest, place.directory));
    return exitCodes.done;
  } catch (error) {
    return printFailure("load-sql", error, outputOf({}), context);
  }
}
