import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

/** A file that a Delta log adds. */
export interface DeltaFile {
  readonly path: string;
  readonly size: number;
  readonly partitionValues: Readonly<Record<string, string>>;
  readonly stats: string;
}

/** An action of a commit. */
export interface DeltaAction {
  readonly commitInfo?: { readonly operation: string };
  readonly protocol?: { readonly minReaderVersion: number };
  readonly metaData?: { readonly schemaString: string; readonly partitionColumns: string[] };
  readonly add?: DeltaFile & { readonly dataChange: boolean };
  readonly remove?: { readonly path: string; readonly dataChange: boolean };
}

/** Reads the commits of a table by the protocol: in order, without a gap, each of whole lines. */
export function readCommits(table: string): readonly (readonly DeltaAction[])[] {
  const log = join(table, "_delta_log");
  const names = readdirSync(log).filter((name) => !name.startsWith("."));
  return names.sort().map((name, version) => {
    expect(name).toBe(`${String(version).padStart(20, "0")}.json`);
    const lines = readFileSync(join(log, name), "utf8").trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line) as DeltaAction);
  });
}

/** Returns the files of a table after all commits. A file is added once, and removed while it is there. */
export function liveFiles(table: string): readonly DeltaFile[] {
  const files = new Map<string, DeltaFile>();
  for (const { add, remove } of readCommits(table).flat()) {
    if (remove !== undefined) expect(files.delete(remove.path), remove.path).toBe(true);
    if (add === undefined) continue;
    expect(files.has(add.path), add.path).toBe(false);
    files.set(add.path, { ...add, path: decodeURI(add.path) });
  }
  return [...files.values()];
}
