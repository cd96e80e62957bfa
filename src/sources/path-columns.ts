import type { Source } from "./source.js";

/** The first step of fields that are from the path of a source: `path.dt`. */
export const PATH_FIELD = "path";

/** Returns true for a field that can be from the path of a source. */
export function isPathField({ path }: { readonly path: readonly string[] }): boolean {
  return path.length === 2 && path[0] === PATH_FIELD;
}

/** The column of every path that is the name of the directory of the file. */
const DIRECTORY_COLUMN = "$directory";

/** Returns true for the field `path.$directory`. */
export function isDirectoryField(field: { readonly path: readonly string[] }): boolean {
  return isPathField(field) && field.path[1] === DIRECTORY_COLUMN;
}

/** `pathColumnsOf` with the name of the directory of the file as `$directory`, null if there is none. */
export function pathValuesOf(
  source: Pick<Source, "name" | "entry">,
): ReadonlyMap<string, string | null> {
  const directory = directoriesOf(source.name, source.entry?.name).at(-1) ?? "";
  const name = /^(\.{0,2})$/.test(directory) ? null : decode(directory);
  return new Map([...pathColumnsOf(source), [DIRECTORY_COLUMN, name]]);
}

/** The text with which Hive and Spark write a column that is null. */
const HIVE_NULL = "__HIVE_DEFAULT_PARTITION__";

/**
 * Returns the columns that the directories of a source's name have, `dt=2026-01-13/event=open/part-0.json`,
 * those in an archive included. Names and values are percent-decoded. Of repeated names the deepest counts.
 */
export function pathColumnsOf({
  name,
  entry,
}: Pick<Source, "name" | "entry">): ReadonlyMap<string, string | null> {
  const columns = new Map<string, string | null>();
  if (!name.includes("=")) return columns;
  for (const part of directoriesOf(name, entry?.name)) {
    const at = part.indexOf("=");
    if (at <= 0) continue;
    const text = part.slice(at + 1);
    const value = text === "" || text === HIVE_NULL ? null : decode(text);
    columns.set(decode(part.slice(0, at)), value);
  }
  return columns;
}

function directoriesOf(name: string, entry: string | undefined): readonly string[] {
  if (entry === undefined) {
    // The source of a rejected row may be an entry.
    return name
      .split("/")
      .slice(0, -1)
      .map((part) => part.replace(/^.*\.zip!/i, ""));
  }
  // A repeated entry has a number after its name.
  const at = name.indexOf(`!${entry}`);
  const paths = at < 0 ? [name] : [name.slice(0, at), name.slice(at + 1)];
  return paths.flatMap((path) => path.split("/").slice(0, -1));
}

/** Decodes as far as the text is percent-encoded: writers encode only some characters. */
function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replaceAll(/%([0-7][\dA-F])/gi, (_, code) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
}
