import type { OptionValues } from "../pipeline/configuration-options.js";
import type { CountedReport } from "../pipeline/fold-report.js";
import type { Report } from "../profile/report.js";
import { estimateDelivery } from "../report/estimates.js";
import { findFindings } from "../report/findings/findings.js";

/** Adds to what was counted what is concluded from it. */
export function completeReport(counted: CountedReport, values: OptionValues): Report {
  const { format = "parquet", compression = "snappy", rate } = values;
  const delivery = estimateDelivery(counted, { format, compression, rate });
  const facts = { ...counted, estimates: { ...delivery, qualifyingEvents: [] } };
  return { ...facts, findings: findFindings(facts) };
}
