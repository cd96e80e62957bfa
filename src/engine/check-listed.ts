import { createHash } from "node:crypto";
import type { SourceError } from "../base/errors.js";
import { LISTED_BYTES_CHECKED_MAX } from "../base/limits.js";
import { inTemporaryDirectory } from "../base/temporary-directory.js";
import type { RunOptions } from "../options/options.js";
import { openCounter } from "../run/count-rows.js";
import { discoverFiles } from "../run/run-inputs.js";
import type { FoundFile } from "../sources/directory-walk.js";
import {
  compareListed,
  differs,
  type Expected,
  readBytes,
  sizeOf,
} from "../sources/listed-files.js";

/** The comparison of files with the manifests and checksum files that list them. */
export interface ListedCheck {
  /** Manifests and checksum files. */
  readonly lists: number;
  /** Files that they list. */
  readonly files: number;
  readonly digests: Compared;
  readonly counts: Compared;
  /** One for each file that is missing, or not as listed. */
  readonly faults: readonly SourceError[];
}

interface Compared {
  readonly checked: number;
  readonly of: number;
}

type Options = RunOptions & { readonly temporaryDirectory: string; readonly signal: AbortSignal };

/**
 * Compares the inputs with the manifests and checksum files among them: names and sizes of all, and the
 * digests and rows of files as long as there are not too many bytes to read. Undefined without a list.
 */
export function checkListed(
  options: RunOptions,
  files: readonly FoundFile[],
  signal: AbortSignal,
): Promise<ListedCheck | undefined> {
  return inTemporaryDirectory("switchyard-lists", (temporaryDirectory) =>
    compare({ ...options, temporaryDirectory, signal }, files),
  );
}

async function compare(
  options: Options,
  files: readonly FoundFile[],
): Promise<ListedCheck | undefined> {
  const { lists, sound, faults: found } = await compareListed(files, options);
  if (lists === 0) return undefined;
  const faults = [...found];
  const budget = { bytes: LISTED_BYTES_CHECKED_MAX };
  const digests = await each(sound, "digest", budget, faults, (one) => checkDigest(one, options));
  const counts = await each(sound, "rows", budget, faults, (one) => checkRows(one, options));
  return { lists, files: sound.length + found.length, digests, counts, faults };
}

/** Checks a fact of all files that have it, until the bytes to read are used up. */
async function each(
  listed: readonly Expected[],
  fact: "digest" | "rows",
  budget: { bytes: number },
  faults: SourceError[],
  check: (one: Expected) => Promise<SourceError | undefined>,
): Promise<Compared> {
  const own = listed.filter((one) => one[fact] !== undefined);
  let checked = 0;
  for (const one of own) {
    budget.bytes -= await sizeOf(one.found);
    if (budget.bytes < 0) break;
    checked++;
    const fault = await check(one);
    if (fault !== undefined) faults.push(fault);
  }
  return { checked, of: own.length };
}

async function checkDigest(one: Expected, options: Options): Promise<SourceError | undefined> {
  const { algorithm, hex } = one.digest!;
  const hash = createHash(algorithm);
  await readBytes(one.found, options, (bytes) => {
    hash.update(bytes);
    return true;
  });
  const digest = hash.digest("hex");
  if (digest === hex) return undefined;
  const name = algorithm.toUpperCase();
  return differs(one, `its ${name} is ${digest}, and ${hex} is listed`);
}

async function checkRows(one: Expected, options: Options): Promise<SourceError | undefined> {
  const { signal } = options;
  const { sources, failures } = await discoverFiles([one.found], options, signal);
  // The check of the inputs says why a file cannot be read.
  if (failures.length > 0) return undefined;
  const count = openCounter(options, options);
  let rows = 0;
  for (const source of sources) {
    rows += (await count({ source, start: 0, end: null }, Number.POSITIVE_INFINITY)).rows;
  }
  if (rows === one.rows) return undefined;
  return differs(one, `${rows} rows were read of it, and ${one.rows} are listed`);
}
