import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SplitRecord } from "../ledger/ledger-records.js";
import type { Layout } from "../output/layout.js";
import type { Split } from "../plan/plan.js";
import { contentOf } from "../sources/fingerprint.js";

/** The paths of `--dedupe`, below those of a run; all absolute. */
export interface KeyLayout {
  /** The layout for workers that read keys: with its own records and temporary files. */
  readonly layout: Layout;
  /** Key files, one for each split. */
  readonly keysDirectory: string;
  /** Drop lists, one for each split with repeated events. */
  readonly dropsDirectory: string;
  /** Files of the match in progress. */
  readonly matchDirectory: string;
}

export function keyLayoutOf(layout: Layout): KeyLayout {
  const directory = layout.keysDirectory;
  const temporaryDirectory = join(directory, "tmp");
  return {
    layout: { ...layout, splitsDirectory: join(directory, "splits"), temporaryDirectory },
    keysDirectory: join(directory, "files"),
    dropsDirectory: join(directory, "drops"),
    matchDirectory: join(directory, "match"),
  };
}

/**
 * Returns the split for workers that read keys. Its id contains a digest of its ranges: for other
 * content, the key file has another name.
 */
export function keySplitOf(split: Split): Split {
  const facts = split.ranges.map(({ source, start, end, first }) => [
    source.name,
    contentOf(source.fingerprint),
    start,
    end,
    ...(first === undefined ? [] : [first.rows]),
  ]);
  const digest = createHash("sha256").update(JSON.stringify(facts)).digest("hex");
  return { ...split, id: `${split.id}-${digest.slice(0, 16)}` };
}

export function keyFileOf({ keysDirectory }: KeyLayout, keyId: string): string {
  return join(keysDirectory, `${keyId}.keys`);
}

export function dropFileOf({ dropsDirectory }: KeyLayout, keyId: string): string {
  return join(dropsDirectory, `${keyId}.drops`);
}

/** Returns the record of a split's keys; undefined if it is missing or damaged. */
export async function readKeyRecord(
  { layout }: KeyLayout,
  keyId: string,
): Promise<Pick<SplitRecord, "status" | "failures"> | undefined> {
  try {
    return JSON.parse(await readFile(join(layout.splitsDirectory, `${keyId}.json`), "utf8"));
  } catch {
    return undefined;
  }
}
