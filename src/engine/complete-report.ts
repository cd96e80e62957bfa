import { omitUndefined } from "../base/omit-undefined.js";
import type { QualifyOptions } from "../console/qualify-plan.js";
import type { RunOutcome } from "../ledger/run-observer.js";
import type { Configuration } from "../options/configuration.js";
import { type OptionValues, withDefaults } from "../options/option-names.js";
import {
  FIXES_MODULE_NAME,
  REPORT_PAGE_NAME,
  writeReport,
  writeReportFile,
} from "../output/write-report.js";
import type { Comparison, Report, ReportEstimates } from "../profile/report.js";
import { findFindings } from "../report/findings/findings.js";
import { renderReport } from "../report/render-report.js";
import { missingFieldsError } from "../report/summary-parts.js";
import {
  acceptFindings,
  checkAccepted,
  verdictOf,
  verdictOfInterrupted,
} from "../report/verdict.js";
import type { CountedReport } from "../run/report/fold-report.js";
import { repairName } from "../target/rename.js";
import { loadTarget } from "../target/targets.js";
import type { openReloads } from "./reloaded-events.js";

export { checkAccepted, missingFieldsError };

/**
 * Adds to a report the qualifying events for its names, the estimates for export and send, and the
 * findings. `modulePath` is the path of the module of fixes, as the configuration must name it.
 * Throws `UsageError` for a template that cannot be filled.
 */
export async function completeReport(
  counted: CountedReport,
  { values, rejectLimits }: Pick<Configuration, "values" | "rejectLimits">,
  modulePath: string,
  { outcome, compare, countReloaded }: ReportAdditions,
): Promise<Report> {
  const { rate, maxRejects: general } = withDefaults(values, ".");
  const { export: maxRejects = general } = rejectLimits;
  const delivery = estimateDelivery(counted, rate?.rate);
  const qualifyingEvents = await planNames(counted, values);
  const { partSizes: _, ...report } = counted;
  const reloaded = report.target && countReloaded?.(report);
  const target = report.target && { ...report.target, ...omitUndefined({ reloaded }) };
  const facts = {
    ...report,
    ...omitUndefined({ target }),
    estimates: { ...delivery, qualifyingEvents },
  };
  const found = findFindings(facts, modulePath);
  const findings = acceptFindings(found, facts.rows, { codes: values.acceptFindings, maxRejects });
  const verdict =
    outcome === "interrupted"
      ? verdictOfInterrupted(facts.rows)
      : verdictOf({ ...facts, findings }, maxRejects);
  const complete = { ...facts, findings, verdict };
  return compare === undefined ? complete : { ...complete, comparison: compare(complete) };
}

/** How the run ended, and facts that were read before it, for a report. */
interface ReportAdditions {
  readonly outcome: RunOutcome;
  readonly compare?: CompareReport | undefined;
  readonly countReloaded?: Awaited<ReturnType<typeof openReloads>>;
}

/** Compares a report with an earlier one. */
type CompareReport = (report: Report) => Comparison;

/**
 * Returns the comparison with the report of `compare`; undefined without one. Reads it, so that a file
 * that cannot be compared with fails before the run, and the new report can replace it.
 */
export async function openComparison(file: string | undefined): Promise<CompareReport | undefined> {
  if (file === undefined) return undefined;
  const [{ readEarlierReport }, { compareReports }] = await Promise.all([
    import("../report/comparison/earlier-report.js"),
    import("../report/comparison/compare-reports.js"),
  ]);
  const earlier = await readEarlierReport(file);
  return (report) => compareReports(earlier, report);
}

/** Plans names like `qualify`, for a console without names. */
async function planNames(
  { events, otherEvents }: CountedReport,
  values: OptionValues,
): Promise<ReportEstimates["qualifyingEvents"]> {
  // The console's contract takes longer to load than most commands to run.
  const { planQualify } = await import("../console/qualify-plan.js");
  const options: QualifyOptions = {
    // The filters of the inputs have been applied.
    includeEvents: [],
    excludeEvents: [],
    ...namingOptionsOf(values),
    isExact: otherEvents.rows === 0,
  };
  const { target, repair } = withDefaults(values, ".");
  const { names } = loadTarget(target);
  const isRepaired = repair.includes("names") && names !== undefined;
  const delivered = isRepaired
    ? events.map((one) => ({ ...one, event: repairName(one.event, names) }))
    : events;
  return planQualify(delivered, [], options).map((item) => ({
    name: item.name,
    event: item.event,
    ...(item.action === "refused" ? { refused: item.reasons.join("; ") } : {}),
  }));
}

/** Returns how qualifying events are named, and their SQL, with defaults. */
export function namingOptionsOf(
  values: OptionValues,
): Pick<QualifyOptions, "nameTemplate" | "sqlTemplate" | "table" | "timestampColumn" | "tags"> {
  const { nameTemplate, sqlTemplate, table, timestampColumn } = withDefaults(values, ".");
  return { nameTemplate, sqlTemplate, table, timestampColumn, tags: values.tag };
}

/** Absolute paths of the files of a report. */
interface ReportFiles {
  readonly htmlPath: string;
  readonly reportPath: string;
  /** The module with fixes in code; absent if there are none. */
  readonly modulePath?: string;
}

/** Writes the files of a report, the page for people first. */
export async function writeReportFiles(directory: string, report: Report): Promise<ReportFiles> {
  const htmlPath = await writeReportFile(directory, REPORT_PAGE_NAME, renderReport(report));
  const reportPath = await writeReport(directory, report);
  const module = report.findings.find(({ fix }) => fix?.module !== undefined)?.fix?.module;
  if (module === undefined) return { htmlPath, reportPath };
  return {
    htmlPath,
    reportPath,
    modulePath: await writeReportFile(directory, FIXES_MODULE_NAME, module.text),
  };
}

/** A rate in events per second that most services accept; used if none is configured. */
const USUAL_EVENTS_PER_SECOND = 1_000;

/** Time that a run takes to start, for any number of rows. */
const START_MS = 500;

/**
 * Estimates size and time of an export and of a send from a dry run; a sample is scaled to all rows.
 * Reading and mapping take most of an export's time, and a dry run does both. `eventsPerSecond` is the
 * rate of sending.
 */
export function estimateDelivery(
  {
    rows,
    run,
    sample,
    sizes,
    days,
    partSizes,
  }: Pick<CountedReport, "rows" | "run" | "sample" | "sizes" | "days" | "partSizes">,
  eventsPerSecond = USUAL_EVENTS_PER_SECOND,
): Omit<ReportEstimates, "qualifyingEvents"> {
  const whole = (part: number) => Math.round(part / sample.share);
  const startMs = Math.min(run.durationMs, START_MS);
  const daysWithEvents = days.filter(({ events }) => events > 0).length;
  return {
    export: {
      bytes: Math.round(partSizes.estimate(sizes.total / sample.share, daysWithEvents)),
      durationMs: startMs + whole(run.durationMs - startMs),
    },
    send: {
      eventsPerSecond,
      durationMs: Math.round((whole(rows.mapped) / eventsPerSecond) * 1000),
    },
  };
}
