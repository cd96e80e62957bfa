import { createHash } from "node:crypto";
import { UsageError } from "../../base/errors.js";
import { suggestion } from "../../base/schema.js";
import { type EntityKindRow, entityKindRows, type GivenFile } from "./entity-kinds.js";
import type { Settings } from "./entity-settings.js";
import type { FoundEntities } from "./read-entities.js";

/** Bytes of a name of a file, without its ending. Longer ones are cut, and end with a digest. */
const NAME_BYTES_MAX = 200;

/** Names that Windows keeps for devices. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** A file of an entity. */
export interface EntityFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** Returns the files of all entities. The same entities give the same files, byte for byte. */
export function* entityFiles(found: FoundEntities): Generator<EntityFile, void> {
  for (const [row, entities] of found) {
    // Some file systems do not tell upper from lower case.
    const taken = new Set<string>();
    for (const { id, settings } of entities) {
      const isTaken = taken.has(fileName(id).toLowerCase());
      const name = isTaken ? fileName(id, unsafeOrLetter) : fileName(id);
      taken.add(name.toLowerCase());
      yield { path: pathOf(row, name), text: textOf(settings) };
    }
  }
}

function pathOf({ directory, create }: EntityKindRow, name: string): string {
  return create === undefined ? `${directory}.json` : `${directory}/${name}.json`;
}

function textOf(settings: Settings): string {
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}

/** Characters that are escaped: those that some file systems refuse, and hidden files. */
const unsafe = /[^A-Za-z0-9_.-]|^\.|\.$/gu;
const unsafeOrLetter = /[^0-9_.-]|^\.|\.$/gu;

/**
 * Returns the name of a file for an id: letters, digits, `_`, `-` and dots as they are, and the bytes of all
 * else in hexadecimal after a `%`, so that `decodeURIComponent` returns the id.
 */
export function fileName(id: string, escaped = unsafe): string {
  let name = id.replace(escaped, escapeAll);
  if (reserved.test(name)) name = escapeAll(name.charAt(0)) + name.slice(1);
  if (name.length <= NAME_BYTES_MAX) return name;
  const digest = createHash("sha256").update(id).digest("hex").slice(0, 16);
  return `${name.slice(0, NAME_BYTES_MAX)}~${digest}`;
}

function escapeAll(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

/** Returns the kind of a directory or file, relative to the place of all: `gates`, `environments.json`. */
export function kindAt(name: string): EntityKindRow | undefined {
  return entityKindRows.find(({ directory, create }) =>
    create === undefined ? name === `${directory}.json` : name === directory,
  );
}

/** Parses the file of an entity. Reports what is wrong in the result. */
export function givenFile(row: EntityKindRow, file: string, text: string): GivenFile {
  try {
    return { row, file, content: JSON.parse(text) };
  } catch (error) {
    return { row, file, fault: `not valid JSON: ${(error as Error).message}` };
  }
}

/**
 * Returns the entities of one file with those of all kinds:
 * `{ "segments": [{ … }], "gates": [{ … }], "environments": { … } }`.
 */
export function givenEntities(file: string, content: unknown): readonly GivenFile[] {
  return Object.entries(content as Settings).flatMap(([name, value]): readonly GivenFile[] => {
    const row = entityKindRows.find(({ directory }) => directory === name);
    if (row === undefined) {
      const names = entityKindRows.map(({ directory }) => directory);
      throw new UsageError(
        "entities_invalid",
        `${file}: ${name} is not a kind of entities${suggestion(name, names)}; known: ${names.join(", ")}.`,
      );
    }
    if (row.create === undefined) return [{ row, file: `${file}: ${name}`, content: value }];
    if (!Array.isArray(value)) {
      return [{ row, file: `${file}: ${name}`, fault: "must be a list of entities" }];
    }
    return value.map((content: unknown, index) => ({
      row,
      file: `${file}: ${name}[${index}]`,
      content,
    }));
  });
}
