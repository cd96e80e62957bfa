import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Report } from "../../profile/report.js";
import { writeDurably } from "../ledger/durable-file.js";
import { asOutput } from "../ledger/output-error.js";

export const REPORT_NAME = "report.json";
export const REPORT_PAGE_NAME = "report.html";
/** What the module of fixes is called. */
export const MEND_MODULE_NAME = "mend.mjs";

/** Replaces a file of the report's directory, which is made where it is missing; gives its path. */
export async function writeReportFile(
  directory: string,
  name: string,
  text: string,
): Promise<string> {
  const path = join(directory, name);
  await asOutput(path, async () => {
    await mkdir(directory, { recursive: true });
    await writeDurably(path, text, directory);
  });
  return path;
}

/** Writes `report.json`; gives its path. */
export function writeReport(directory: string, report: Report): Promise<string> {
  return writeReportFile(directory, REPORT_NAME, `${JSON.stringify(report, null, 1)}\n`);
}
