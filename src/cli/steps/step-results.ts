import type { ExportResult } from "../../pipeline/export-result.js";
import type { SendResult } from "../../pipeline/send-result.js";
import type { VerifyResult } from "../../pipeline/verify/verify.js";
import type { StoredResult } from "../../pipeline/verify/verify-stored.js";
import type { Report } from "../../profile/report.js";
import type { QualifyResult } from "../qualify/run-qualify.js";

/** What the steps of a migration came to, for those after them and for its summary. */
export interface StepResults {
  /** Without a page where the dry run was interrupted. */
  readonly validate?: { readonly report: Report; readonly htmlPath?: string };
  readonly export?: ExportResult;
  readonly send?: SendResult;
  readonly qualify?: QualifyResult;
  readonly verify?: VerifyResult;
  /** Only where the service is embedded and events were sent to it. */
  readonly stored?: StoredResult;
}

export function resultsOf(reports: readonly { readonly results: StepResults }[]): StepResults {
  return Object.assign({}, ...reports.map(({ results }) => results)) as StepResults;
}
