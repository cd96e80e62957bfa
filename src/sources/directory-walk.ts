import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../base/errors.js";
import type { ObjectState } from "./fingerprint.js";
import { isHiddenPart } from "./skipped-names.js";
import type { Source } from "./source.js";
import { isUndecodable, NOT_UTF8 } from "./source-errors.js";

/** A file that may become an input. */
export interface FoundFile {
  readonly name: string;
  readonly path: string;
  /** The path without symbolic links; it shows when two names mean one file. */
  readonly real: string;
  /** The facts of an object, as it was listed. */
  readonly stored?: ObjectState;
  /** The same as a source of the table of the run, which only lacks codecs and format. */
  readonly listed?: Source;
}

export interface FoundFiles {
  readonly files: readonly FoundFile[];
  /** True if no two of the files can be the same one. */
  readonly isUnique: boolean;
  /** Names that were skipped: hidden, or neither file nor directory. */
  readonly skipped: readonly NamedPath[];
}

/** A file or a directory by its name in messages and its absolute path. */
export interface NamedPath {
  readonly name: string;
  readonly path: string;
}

type Directory = NamedPath;

interface EnteredDirectory extends Directory {
  /** The path without symbolic links. */
  readonly real: string;
}

/** A file in a directory. There can be millions, so its names are made when they are asked for. */
class WalkedFile implements FoundFile {
  constructor(
    private readonly directory: EnteredDirectory,
    private readonly baseName: string,
  ) {}

  get name(): string {
    return joinName(this.directory.name, this.baseName);
  }

  get path(): string {
    return join(this.directory.path, this.baseName);
  }

  get real(): string {
    return join(this.directory.real, this.baseName);
  }
}

/**
 * Lists all files below a directory except hidden ones. Links are followed last and no directory is
 * entered twice, so loops end and a file keeps its own name. A broken link is listed: opening it reports
 * the error. Throws `UsageError` for an unreadable directory.
 */
export async function walkDirectory(root: Directory): Promise<FoundFiles> {
  const files: FoundFile[] = [];
  const skipped: NamedPath[] = [];
  const links: Directory[] = [];
  const entered = new Set<string>();

  const enter = async (directory: Directory, real: string): Promise<void> => {
    if (entered.has(real)) return;
    entered.add(real);
    const here = { ...directory, real };
    for (const entry of await readSorted(directory)) {
      if (entry.isFile() && !isHiddenPart(entry.name)) {
        files.push(new WalkedFile(here, entry.name));
        continue;
      }
      const child = {
        name: joinName(directory.name, entry.name),
        path: join(directory.path, entry.name),
      };
      if (isHiddenPart(entry.name)) skipped.push(child);
      else if (entry.isDirectory()) await enter(child, join(real, entry.name));
      else if (entry.isSymbolicLink()) links.push(child);
      else skipped.push(child);
    }
  };

  await enter(root, await realpath(root.path));
  // The list grows while links lead to directories with links.
  for (const link of links) {
    const target = await followLink(link);
    if (target.isDirectory) await enter(link, target.real);
    else files.push({ ...link, real: target.real });
  }
  return { files, skipped, isUnique: links.length === 0 };
}

async function readSorted({ name, path }: Directory): Promise<Dirent[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const message = isUndecodable(name)
      ? `${name}: ${NOT_UTF8}`
      : `${name}: the directory cannot be read (${detail}). Check its permissions.`;
    throw new UsageError("input_unreadable", message, { cause: error });
  }
}

async function followLink({ path }: Directory): Promise<{ real: string; isDirectory: boolean }> {
  try {
    return { real: await realpath(path), isDirectory: (await stat(path)).isDirectory() };
  } catch {
    return { real: path, isDirectory: false };
  }
}

function joinName(directory: string, name: string): string {
  if (directory === ".") return name;
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}
