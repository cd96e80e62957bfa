import { access, constants } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeDurably } from "../base/durable-file.js";
import { hasCode } from "../base/errors.js";
import { makeDirectory } from "../base/make-directory.js";
import { asOutput } from "../base/output-error.js";
import type { Report } from "../profile/report.js";

export const REPORT_NAME = "report.json";
export const REPORT_PAGE_NAME = "report.html";
/** Name of the directory with the keys of a dry run, for the export that follows. */
export const KEPT_KEYS_NAME = "keys";
/** Name of the transform module that findings suggest. */
export const FIXES_MODULE_NAME = "fixes.mjs";

/**
 * Throws if the directory is not writable, so that a dry run does not fail after hours. Creates nothing.
 */
export async function checkReportDirectory(directory: string): Promise<void> {
  await asOutput(directory, () => checkWritable(directory));
}

async function checkWritable(directory: string): Promise<void> {
  try {
    // The dot makes this fail for a file that is not a directory.
    await access(`${directory}/.`, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    await checkWritable(dirname(directory));
  }
}

/** Replaces a file in the directory of the report, which is created if missing. Returns its path. */
export async function writeReportFile(
  directory: string,
  name: string,
  text: string,
): Promise<string> {
  const path = join(directory, name);
  await asOutput(path, async () => {
    await makeDirectory(directory);
    await writeDurably(path, text);
  });
  return path;
}

/** Writes `report.json` and returns its path. */
export function writeReport(directory: string, report: Report): Promise<string> {
  return writeReportFile(directory, REPORT_NAME, `${JSON.stringify(report, null, 1)}\n`);
}
