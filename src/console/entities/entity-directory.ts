import { readdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { writeDurably } from "../../base/durable-file.js";
import { hasCode, UsageError } from "../../base/errors.js";
import { makeDirectory } from "../../base/make-directory.js";
import { asOutput } from "../../base/output-error.js";
import { suggestion } from "../../base/schema.js";
import { type EntityFile, givenEntities, givenFile, kindAt } from "./entity-files.js";
import { entityKindRows, type GivenFile } from "./entity-kinds.js";

/** The file that every export has. */
const MARK = "environments.json";

const ENDING = ".json";

/**
 * Reads entities: a directory with one file each, as an export writes it, or one file with all. What is
 * wrong in a file of an entity is in the result. Throws `entities_missing` and `entities_invalid`.
 */
export async function readEntityFiles(place: string): Promise<readonly GivenFile[]> {
  const found = await stat(place).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError("entities_missing", `${place} cannot be read (${cause.message}).`, {
      cause,
    });
  });
  return found.isDirectory() ? readDirectory(place) : readOneFile(place);
}

async function readDirectory(place: string): Promise<readonly GivenFile[]> {
  const names = (await readdir(place, { withFileTypes: true })).filter(
    ({ name }) => !name.startsWith("."),
  );
  const files: GivenFile[] = [];
  for (const entry of names.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const { name } = entry;
    const row = kindAt(name);
    if (entry.isDirectory() && row !== undefined) {
      const inside = (await readdir(path.join(place, name))).sort();
      for (const file of inside.filter((one) => one.endsWith(ENDING))) {
        const relative = `${name}/${file}`;
        files.push(givenFile(row, relative, await readFile(path.join(place, relative), "utf8")));
      }
    } else if (row !== undefined) {
      files.push(givenFile(row, name, await readFile(path.join(place, name), "utf8")));
    } else if (entry.isDirectory() || name.endsWith(ENDING)) {
      throw new UsageError(
        "entities_invalid",
        `${path.join(place, name)} is not a kind of entities${suggestion(name, knownNames())}; known: ${knownNames().join(", ")}.`,
      );
    }
  }
  return files;
}

function knownNames(): readonly string[] {
  return entityKindRows.map(({ directory, create }) =>
    create === undefined ? `${directory}${ENDING}` : directory,
  );
}

async function readOneFile(place: string): Promise<readonly GivenFile[]> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(place, "utf8"));
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new UsageError("entities_invalid", `${place} is not valid JSON: ${reason}.`, { cause });
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new UsageError(
      "entities_invalid",
      `${place} must have one JSON object: { "gates": [{ … }], "segments": [{ … }] }.`,
    );
  }
  return givenEntities(path.basename(place), content);
}

/** The files of a directory after an export, by what it did with them. */
interface WrittenFiles {
  readonly written: number;
  readonly unchanged: number;
  /** Files of entities that are gone. */
  readonly removed: number;
}

/**
 * Makes a directory have these files and no others of entities. Files that are the same are not touched.
 * Throws `entities_foreign` for a directory with something else, `disk_full` and `output_unwritable`.
 */
export async function writeEntityFiles(
  directory: string,
  files: Iterable<EntityFile>,
): Promise<WrittenFiles> {
  const before = await namesIn(directory);
  if (before.length > 0 && !before.includes(MARK)) {
    throw new UsageError(
      "entities_foreign",
      `${directory} has other files (${before.slice(0, 3).join(", ")}): pass an empty or a new directory.`,
    );
  }
  let [written, unchanged, removed] = [0, 0, 0];
  const kept = new Set<string>();
  await asOutput(directory, async () => {
    for (const { path: relative, text } of files) {
      const target = path.join(directory, relative);
      kept.add(relative);
      if ((await readFile(target, "utf8").catch(() => undefined)) === text) {
        unchanged += 1;
        continue;
      }
      await makeDirectory(path.dirname(target));
      await writeDurably(target, text);
      written += 1;
    }
    for (const name of knownNames().filter((one) => !one.endsWith(ENDING))) {
      for (const file of await namesIn(path.join(directory, name))) {
        if (!file.endsWith(ENDING) || kept.has(`${name}/${file}`)) continue;
        await rm(path.join(directory, name, file));
        removed += 1;
      }
    }
  });
  return { written, unchanged, removed };
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).filter((name) => !name.startsWith("."));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}
