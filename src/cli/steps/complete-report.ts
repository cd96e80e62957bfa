import type { QualifyOptions } from "../../console/qualify-plan.js";
import { writtenFormOf } from "../../pipeline/configuration/configuration-export.js";
import type { OptionValues } from "../../pipeline/configuration/configuration-options.js";
import type { CountedReport } from "../../pipeline/report/fold-report.js";
import type { Report, ReportEstimates } from "../../profile/report.js";
import { estimateDelivery } from "../../report/estimates.js";
import { findFindings } from "../../report/findings/findings.js";
import { namingOptionsOf } from "../qualify/naming-options.js";

/**
 * A report with what is to be said about it: the qualifying events that its names would make, what
 * export and send will take, and the findings. `modulePath` is where the module of fixes will lie, as
 * the configuration has to name it. Throws `UsageError` for a template that cannot be filled.
 */
export async function completeReport(
  counted: CountedReport,
  values: OptionValues,
  modulePath: string,
): Promise<Report> {
  const delivery = estimateDelivery(counted, {
    ...writtenFormOf(values),
    rate: values.rate,
  });
  const qualifyingEvents = await planNames(counted, values);
  const facts = { ...counted, estimates: { ...delivery, qualifyingEvents } };
  return { ...facts, findings: findFindings(facts, modulePath) };
}

/** By the same rule as `qualify`, where the console has none yet. */
async function planNames(
  { events, otherEvents }: CountedReport,
  values: OptionValues,
): Promise<ReportEstimates["qualifyingEvents"]> {
  // The console's contract takes longer to load than most commands to run.
  const { planQualify } = await import("../../console/qualify-plan.js");
  const options: QualifyOptions = {
    // The inputs' own filters have been applied.
    ...{ includeEvents: [], excludeEvents: [] },
    ...namingOptionsOf(values),
    isExact: otherEvents.rows === 0,
  };
  return planQualify(events, [], options).map((item) => ({
    ...{ name: item.name, event: item.event },
    ...(item.action === "refused" ? { refused: item.reasons.join("; ") } : {}),
  }));
}
