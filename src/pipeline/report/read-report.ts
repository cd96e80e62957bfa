import { readFile } from "node:fs/promises";
import { REPORT_VERSION, type Report } from "../../profile/report.js";
import { reportSchema } from "../../profile/report-schema.js";
import type { JsonObject, JsonValue } from "../configuration/configuration-types.js";
import { createValidator } from "../configuration/configuration-validation.js";
import { ManifestError } from "../verify/verify-manifest.js";

/** Problems of a malformed report that a message names. */
const PROBLEMS_MAX = 5;

/** Throws `ManifestError` for a report that is missing, unreadable or of another version. */
export async function readReport(file: string): Promise<Report> {
  let content: JsonValue;
  try {
    content = JSON.parse(await readFile(file, "utf8")) as JsonValue;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ManifestError("report_unreadable", `${file} cannot be read: ${reason}`, {
      cause: error,
    });
  }
  const version = (content as JsonObject | null)?.["reportVersion"];
  if (version !== REPORT_VERSION) {
    throw new ManifestError(
      "report_version",
      `${file} has version ${JSON.stringify(version)}, this Switchyard reads version ${REPORT_VERSION}. Run \`switchyard validate\` again.`,
    );
  }
  const problems = createValidator(reportSchema as unknown as JsonObject)(content);
  if (problems.length > 0) {
    const told = problems
      .slice(0, PROBLEMS_MAX)
      .map(({ path, message }) => `${path.join(".") || "the whole"}: ${message}`);
    throw new ManifestError(
      "report_malformed",
      `${file} is no report of a dry run: ${told.join("; ")}.`,
    );
  }
  return content as unknown as Report;
}
