import { readFile } from "node:fs/promises";
import { checkValue, faultLines } from "../../base/schema.js";
import { REPORT_VERSION, type Report, reportSchema } from "../../profile/report.js";
import { ManifestError } from "../verify/verify-manifest.js";

/** Faults of a malformed report that a message names. */
const FAULTS_MAX = 5;

/** Reads `report.json`. Throws `ManifestError` if it is unreadable, malformed or of another version. */
export async function readReport(file: string): Promise<Report> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ManifestError("report_unreadable", `${file} cannot be read: ${reason}`, { cause });
  }
  const version = (content as { readonly reportVersion?: unknown } | null)?.reportVersion;
  if (version !== REPORT_VERSION) {
    throw new ManifestError(
      "report_version",
      `${file} has version ${JSON.stringify(version)}, this Switchyard reads version ${REPORT_VERSION}. Run \`switchyard validate\` again.`,
    );
  }
  const { faults } = checkValue(reportSchema, content);
  if (faults === undefined) return content as Report;
  const words = faultLines(faults.slice(0, FAULTS_MAX)).join("; ");
  throw new ManifestError(
    "report_malformed",
    `${file} is not a valid report: ${words}. Run \`switchyard validate\` again.`,
  );
}
