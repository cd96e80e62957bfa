import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { writeDurably } from "../../base/durable-file.js";
import { UsageError } from "../../base/errors.js";
import { asOutput } from "../../base/output-error.js";

/** Path of the schema in a project that has the package installed. */
const INSTALLED_SCHEMA = "node_modules/switchyard/pipeline.schema.json";

const SCHEMA_NAME = "pipeline.schema.json";

/** Throws `UsageError` if the path exists. */
export async function refuseExisting(file: string, name: string): Promise<void> {
  if (await isThere(file)) throw existing(name);
}

/**
 * Writes a whole file. Without `force` it throws `UsageError` for an existing file, also for one that was
 * created in the meantime.
 */
export async function writeNewFile(
  file: string,
  name: string,
  text: string,
  force: boolean,
): Promise<void> {
  await asOutput(path.dirname(file), async () => {
    if (force) return writeDurably(file, text);
    await writeFile(file, text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === "EEXIST" ? existing(name) : error;
    });
  });
}

/**
 * Provides the schema without a network: from the project's node_modules if Switchyard is installed
 * there, otherwise as a file beside the configuration. Returns the path for `$schema`; undefined if
 * another file has that name.
 */
export async function provideSchema(
  directory: string,
  schema: string,
  force: boolean,
): Promise<string | undefined> {
  const installed = await findInstalled(directory);
  if (installed !== undefined) return relativePath(directory, installed);
  const beside = path.join(directory, SCHEMA_NAME);
  const found = await readFile(beside, "utf8").catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? undefined : "",
  );
  // A schema of another version still helps; `force` replaces it.
  const isOurs = found === undefined || found.includes(`"$id": "${SCHEMA_NAME}"`);
  if (!isOurs && !force) return undefined;
  if (found === undefined || force) await writeNewFile(beside, SCHEMA_NAME, schema, force);
  return `./${SCHEMA_NAME}`;
}

async function findInstalled(directory: string): Promise<string | undefined> {
  for (let level = directory; ; level = path.dirname(level)) {
    const file = path.join(level, INSTALLED_SCHEMA);
    if (await isThere(file)) return file;
    if (path.dirname(level) === level) return undefined;
  }
}

/** Returns a path for the configuration: relative, with `/`, and beginning with a dot. */
export function relativePath(directory: string, file: string): string {
  const relative = path.relative(directory, file).replaceAll(path.sep, "/");
  return relative.startsWith("../") ? relative : `./${relative}`;
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

function existing(name: string): UsageError {
  return new UsageError(
    "configuration_exists",
    `${name} exists and was not changed. Name another file with --config, or replace it with --force.`,
  );
}
