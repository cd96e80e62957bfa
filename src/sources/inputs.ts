import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { UsageError } from "../base/errors.js";
import { DISCOVERY_MAX } from "../base/limits.js";
import { mapBounded } from "../base/map-bounded.js";
import { isObjectUrl, parseObjectUrl } from "../store/object-url.js";
import {
  type FoundFile,
  type FoundFiles,
  type NamedPath,
  walkDirectory,
} from "./directory-walk.js";
import type { ObjectOptions } from "./object-bytes.js";
import { createNamedCheck, isHidden } from "./skipped-names.js";
import { isUndecodable, NOT_UTF8 } from "./source-errors.js";
import { SourceTable } from "./source-table.js";

/** An input file, given or found. */
export interface InputFile {
  /** The name in messages: the given path and the path found below it, with `/`. */
  readonly name: string;
  /** Absolute path on disk, or the address of an object. */
  readonly path: string;
  readonly stored?: FoundFile["stored"];
  readonly listed?: FoundFile["listed"];
}

interface InputListing extends ObjectOptions {
  /** Holds the objects that are found. */
  readonly table?: SourceTable;
  /** Called with each hidden file, object or directory that is skipped. */
  readonly onHidden?: (one: NamedPath) => void;
}

/** Pipes and standard input cannot be read again. */
const READ_AGAIN = "and inputs are read more than once: write its output to a file";

/** Skipped names that a message lists. */
const NAMES_SHOWN = 5;

/**
 * Lists the files of inputs: files, directories with everything below, and patterns, also of objects. A path that
 * exists is never a pattern. Hidden names (`.x`, `_x`) are skipped unless they are named. Sorted by name
 * (UTF-16 code units); each file once, also if several names lead to it. Throws `UsageError` for an input
 * without any file, with the searched path and the skipped names; `mayBeGone` says for which absolute
 * paths of files and directories that is fine.
 */
export async function listInputs(
  inputs: readonly string[],
  cwd: string,
  options: InputListing,
  mayBeGone: (path: string) => boolean = () => false,
): Promise<readonly FoundFile[]> {
  if (inputs.length === 0) {
    throw new UsageError(
      "input_not_found",
      "no input was given. Pass files, directories or patterns.",
    );
  }
  const found: FoundFile[] = [];
  let isUnique = inputs.length === 1;
  const misses: string[] = [];
  for (const input of inputs) {
    const { files, skipped, looked, isUnique: isOwnUnique } = await findInput(input, cwd, options);
    isUnique &&= isOwnUnique;
    for (const file of files) found.push(file);
    for (const one of skipped) if (isHidden(one.name)) options.onHidden?.(one);
    const path = isObjectUrl(input) ? input : resolve(cwd, input);
    if (files.length === 0 && !mayBeGone(path)) misses.push(`${looked}${describeSkipped(skipped)}`);
  }
  if (misses.length > 0) {
    throw new UsageError("input_not_found", `no input found: ${misses.join("; ")}`);
  }
  return (isUnique ? found : withoutCopies(found)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function withoutCopies(found: readonly FoundFile[]): FoundFile[] {
  const files = new Map<string, FoundFile>();
  for (const file of found) if (!files.has(file.real)) files.set(file.real, file);
  return [...files.values()];
}

/**
 * The files outside of `paths`, with symbolic links resolved on both sides. `paths` are absolute and
 * need not exist.
 */
export async function withoutPaths(
  files: readonly FoundFile[],
  paths: readonly string[],
): Promise<readonly FoundFile[]> {
  const real = await Promise.all(paths.map(realPathOf));
  const left = [...new Set([...paths, ...real])];
  const isLeft = (file: string) => left.some((one) => isBelow(file, one));
  return files.filter((file) => !isLeft(file.path) && !isLeft(file.real));
}

/** Returns true for a path and all paths below it. */
export function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory + sep);
}

/** Files of which the states are asked for at the same time. */
const STATES_MAX = 64;

/** Returns a digest of names, sizes and states of files and objects. Opens none. */
export async function digestFiles(files: readonly FoundFile[]): Promise<string> {
  const states = await mapBounded(files, STATES_MAX, async ({ path, stored }) => {
    if (stored !== undefined) return `${stored.size} ${stored.etag}`;
    // Opening a file that cannot be asked, such as a broken link, reports the error.
    const found = await stat(path, { bigint: true }).catch(() => undefined);
    return found === undefined ? "" : `${found.size} ${found.mtimeNs} ${found.ino}`;
  });
  const digest = createHash("sha256");
  for (const [index, file] of files.entries()) digest.update(`${file.path}\0${states[index]}\n`);
  return digest.digest("hex");
}

/** The path without symbolic links; what does not exist keeps its name below the part that does. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPathOf(parent), basename(path));
  }
}

interface FoundInput extends FoundFiles {
  /** The searched path and the result, in words. */
  readonly looked: string;
}

const noFiles = { files: [], skipped: [], isUnique: true };

async function findInput(input: string, cwd: string, options: InputListing): Promise<FoundInput> {
  const url = parseObjectUrl(input);
  if (url !== undefined) {
    // Most runs read files and need no object store.
    const { findObjects } = await import("./object-inputs.js");
    return findObjects(url, options, options.table ?? new SourceTable());
  }
  const place = { name: slashes(input), path: resolve(cwd, input) };
  const stats = await statIfThere(place);
  if (stats?.isDirectory()) {
    return { ...(await walkDirectory(place)), looked: `no file in directory ${place.path}` };
  }
  if (stats?.isFile()) {
    const files = [{ ...place, real: await realpath(place.path) }];
    return { files, skipped: [], isUnique: true, looked: place.path };
  }
  if (stats !== null) {
    const looked = `${place.path} is neither file nor directory, ${READ_AGAIN}`;
    return { ...noFiles, looked };
  }
  if (input === "-") {
    return { ...noFiles, looked: `- means a file of that name, ${READ_AGAIN}` };
  }
  return findPattern(place, cwd);
}

/** A directory that matches the pattern counts with everything below, as in a shell. */
async function findPattern({ name: pattern, path }: InputFile, cwd: string): Promise<FoundInput> {
  // Most inputs are paths and need no patterns.
  const { glob, isDynamicPattern } = await import("tinyglobby");
  if (!isDynamicPattern(pattern)) {
    const why = isUndecodable(path) ? `: ${NOT_UTF8.replace(/\.$/, "")}` : " does not exist";
    return { ...noFiles, looked: `${path}${why}` };
  }
  const matches = await glob(pattern, {
    cwd,
    absolute: isAbsolute(pattern),
    dot: true,
    expandDirectories: false,
    onlyFiles: false,
  });
  const isNamed = await createNamedCheck(pattern);
  const names = matches.map((match) => match.replace(/\/$/, "")).sort();
  const skipped = names
    .filter((name) => !isNamed(name))
    .map((name) => ({ name, path: resolve(cwd, name) }));
  const found = await mapBounded(names.filter(isNamed), DISCOVERY_MAX, async (name) => {
    const place = { name, path: resolve(cwd, name) };
    if ((await statIfThere(place))?.isDirectory()) return walkDirectory(place);
    // A broken link is kept: opening it reports the error.
    const real = await realpath(place.path).catch(() => place.path);
    return { files: [{ ...place, real }], skipped: [], isUnique: true };
  });
  return {
    files: found.flatMap(({ files }) => files),
    isUnique: false,
    skipped: [...skipped, ...found.flatMap((below) => below.skipped)],
    looked: `nothing in ${cwd} matches the pattern ${pattern}`,
  };
}

async function statIfThere({ name, path }: InputFile): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    const detail = error instanceof Error ? error.message : String(error);
    const message = `${name}: cannot be read (${detail}). Check its permissions.`;
    throw new UsageError("input_unreadable", message, { cause: error });
  }
}

function describeSkipped(skipped: readonly NamedPath[]): string {
  if (skipped.length === 0) return "";
  const shown = skipped
    .slice(0, NAMES_SHOWN)
    .map(({ name }) => name)
    .join(", ");
  const more = skipped.length > NAMES_SHOWN ? ` and ${skipped.length - NAMES_SHOWN} more` : "";
  return ` (skipped, as names that begin with . or _ are hidden: ${shown}${more})`;
}

function slashes(path: string): string {
  return sep === "\\" ? path.replaceAll("\\", "/") : path;
}
