import { access, constants, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeDurably } from "../../base/durable-file.js";
import { hasCode } from "../../base/error-code.js";
import { asOutput } from "../../base/output-error.js";
import type { Report } from "../../profile/report.js";

export const REPORT_NAME = "report.json";
export const REPORT_PAGE_NAME = "report.html";
/** The transform module that findings suggest. */
export const FIXES_MODULE_NAME = "fixes.mjs";

/**
 * Throws what writing into the directory would, as far as it can be told beforehand: a dry run of hours
 * is not to end with it. Makes nothing.
 */
export async function checkReportDirectory(directory: string): Promise<void> {
  await asOutput(directory, () => checkWritable(directory));
}

async function checkWritable(directory: string): Promise<void> {
  try {
    // With the dot it has to be a directory.
    await access(`${directory}/.`, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    await checkWritable(dirname(directory));
  }
}

/** Replaces a file of the report's directory, which is made where it is missing; gives its path. */
export async function writeReportFile(
  directory: string,
  name: string,
  text: string,
): Promise<string> {
  const path = join(directory, name);
  await asOutput(path, async () => {
    await mkdir(directory, { recursive: true });
    await writeDurably(path, text);
  });
  return path;
}

/** Writes `report.json`; gives its path. */
export function writeReport(directory: string, report: Report): Promise<string> {
  return writeReportFile(directory, REPORT_NAME, `${JSON.stringify(report, null, 1)}\n`);
}
