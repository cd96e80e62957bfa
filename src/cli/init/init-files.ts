import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { writeDurably } from "../../base/durable-file.js";
import { UsageError } from "../../base/errors.js";
import { asOutput } from "../../base/output-error.js";

/** Where the package has its schema, in whatever project it is installed. */
const INSTALLED_SCHEMA = "node_modules/switchyard/pipeline.schema.json";

const SCHEMA_NAME = "pipeline.schema.json";

/** Throws `UsageError` where something stands at the path already. */
export async function refuseExisting(file: string, name: string): Promise<void> {
  if (await isThere(file)) throw existing(name);
}

/**
 * Writes a file as a whole. Without `force` an existing one stays as it is, also one that came to be
 * in the meantime: that throws `UsageError`.
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
 * Where a configuration in this directory finds its schema without a network: in the project's
 * node_modules, where Switchyard is installed, else beside the file, where it is written. Gives the
 * path for `$schema`; undefined where another file of the schema's name stands in the way.
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
  // One of another version still helps; it is replaced where the user says so.
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

/** As it stands in the configuration: with `/`, and with a dot before it. */
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
    `${name} is there already and stays as it is. Name another file with --config, or replace it with --force.`,
  );
}
