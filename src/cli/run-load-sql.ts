import path from "node:path";
import { exitCodes } from "../base/errors.js";
import { MANIFEST_NAME } from "../pipeline/ledger/layout.js";
import { loadSql } from "../pipeline/load-sql.js";
import { readManifest } from "../pipeline/verify/verify-manifest.js";
import type { Warehouse } from "../pipeline/warehouses.js";
import type { CommandContext } from "./context.js";
import { outputOf } from "./output.js";
import { printFailure } from "./print-outcome.js";

/** Prints the statements that load an export and returns the exit code; never throws. */
export async function runLoadSql(
  warehouse: Warehouse,
  directory: string,
  context: CommandContext,
): Promise<number> {
  try {
    const absolute = path.resolve(context.currentDirectory, directory);
    const manifest = await readManifest(path.join(absolute, MANIFEST_NAME));
    context.stdout.write(loadSql(warehouse, manifest, absolute));
    return exitCodes.done;
  } catch (error) {
    return printFailure("load-sql", error, outputOf({}), context);
  }
}
