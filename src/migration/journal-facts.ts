import { exitCodes } from "../base/errors.js";
import type {
  MigrationAccounts,
  MigrationAttempt,
  MigrationFailure,
  MigrationProgress,
  MigrationReject,
  MigrationStep,
  MigrationValidation,
} from "../contract/migration.js";
import type { RowCounts, RunAccounts } from "../ledger/manifest.js";
import type { RunProgress } from "../ledger/run-observer.js";
import type { StepName } from "../options/configuration-schema.js";
import type { Report } from "../profile/report.js";
import { factsOf } from "../report/error-text.js";
import type { Speed } from "../report/progress.js";
import { rejectAdvice } from "../report/reject-advice.js";
import { isObjectUrl } from "../store/object-url.js";
import {
  DAYS_MAX,
  FINDINGS_MAX,
  SAMPLES_MAX,
  SUMMARY_CHARACTERS_MAX,
  TEXT_CHARACTERS_MAX,
} from "./journal-limits.js";
import { cutRaw, readRejectSamples } from "./journal-rejects.js";
import type { StepReport, StepResults } from "./step.js";

type StepFacts = Omit<MigrationStep, "name" | "startedTime" | "endedTime" | "progress" | "notes">;

export function emptyStep(name: StepName): MigrationStep {
  return {
    name,
    state: "waiting",
    startedTime: null,
    endedTime: null,
    progress: null,
    notes: [],
    summary: "",
    accounts: null,
    rejects: [],
    days: [],
    daysLeftOut: 0,
    error: null,
  };
}

/** Returns a text that fits; a longer one ends in `…`. */
export function shortened(text: string, charactersMax = TEXT_CHARACTERS_MAX): string {
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 1)}…`;
}

export function failureOf(error: unknown): MigrationFailure {
  const { code, message } = factsOf(error);
  return { code, message: shortened(message) };
}

export function attemptStateOf(exitCode: number): Exclude<MigrationAttempt["state"], "running"> {
  if (exitCode === exitCodes.done) return "done";
  return exitCode === exitCodes.interrupted ? "interrupted" : "failed";
}

export function progressOf(
  { phase, rows, rejects, delivered = 0, waiting, ...progress }: RunProgress,
  { rowsPerSecond, bytesPerSecond, leftMs }: Speed,
): MigrationProgress {
  return {
    phase: phase ?? "reading",
    rows,
    rejected: rejects,
    delivered,
    rowsPerSecond: Math.max(0, Math.round(rowsPerSecond)),
    bytesPerSecond: Math.max(0, Math.round(bytesPerSecond)),
    // A part of a request batch is a part of its bytes.
    bytesDone: Math.round(progress.bytesDone),
    bytesTotal: progress.bytesTotal,
    leftMs: leftMs === undefined ? null : Math.max(0, Math.round(leftMs)),
    waiting:
      waiting === undefined
        ? null
        : {
            reason: shortened(waiting.reason),
            attempts: waiting.attempts,
            leftMs: Math.max(0, Math.round(waiting.leftMs)),
          },
  };
}

/** Returns what a step found: in its accounts, and in its rejects files where these are local. */
export async function factsOfStep({
  exitCode,
  summary,
  error,
  results,
}: StepReport): Promise<StepFacts> {
  const own = await countsOf(results);
  const isRefused = exitCode === exitCodes.tooManyRejects;
  return {
    state: attemptStateOf(exitCode),
    summary: shortened(summary, SUMMARY_CHARACTERS_MAX),
    ...own,
    error: error !== undefined ? failureOf(error) : isRefused ? tooManyRejects : null,
  };
}

const tooManyRejects: MigrationFailure = {
  code: "rejects_exceeded",
  message: "More rows were rejected than maxRejects allows. Fix the cause, or raise maxRejects.",
};

type Counts = Pick<StepFacts, "accounts" | "rejects" | "days" | "daysLeftOut">;

async function countsOf({ validate, export: exported, send }: StepResults): Promise<Counts> {
  if (validate !== undefined) return countsOfReport(validate.report);
  if (exported !== undefined) {
    const { manifest, manifestPath } = exported;
    const days = manifest.days.map(({ day, rows: events }) => ({ day, events }));
    return { ...(await countsOfRun(manifest, manifestPath)), ...listedDays(days) };
  }
  if (send !== undefined) {
    return { ...(await countsOfRun(send.manifest, send.manifestPath)), ...listedDays([]) };
  }
  return { accounts: null, rejects: [], ...listedDays([]) };
}

function countsOfReport({ rows, rejects, days }: Report): Counts {
  const { read, added, mapped: delivered, rejected, filtered, duplicates } = rows;
  const removed = duplicates.exact?.removed === true ? duplicates.exact.rows : 0;
  return {
    accounts: { read, added, delivered, rejected, filtered, duplicates: removed },
    rejects: rejects.map(({ code, rows, advice, samples }) => ({
      code,
      rows,
      advice,
      samples: samples
        .slice(0, SAMPLES_MAX)
        .map(({ source, row, byte, message, raw, isBase64 }) => ({
          source: shortened(source),
          row: row ?? null,
          byte: byte ?? null,
          message: shortened(message),
          ...cutRaw(raw, isBase64),
        })),
    })),
    ...listedDays(days.map(({ day, events }) => ({ day, events }))),
  };
}

async function countsOfRun(
  { rows, rejects }: Pick<RunAccounts, "rows" | "rejects">,
  manifestPath: string,
): Promise<Pick<Counts, "accounts" | "rejects">> {
  const samples = isObjectUrl(manifestPath)
    ? new Map<string, MigrationReject["samples"]>()
    : await readRejectSamples(
        manifestPath,
        rejects.map(({ code }) => code),
      );
  return {
    accounts: accountsOf(rows),
    rejects: rejects.map(({ code, rows, example }) => ({
      code,
      rows,
      advice: rejectAdvice[code] ?? "",
      samples: samples.get(code) ?? [
        {
          source: shortened(example.source),
          row: example.row ?? null,
          byte: example.byte ?? null,
          message: shortened(example.message),
          raw: null,
          isBase64: false,
          isCut: false,
        },
      ],
    })),
  };
}

function accountsOf({
  read,
  added,
  delivered,
  rejected,
  filtered,
  duplicates,
}: RowCounts): MigrationAccounts {
  return { read, added, delivered, rejected, filtered, duplicates: duplicates ?? 0 };
}

/** Lists the last days with events. */
function listedDays(days: Counts["days"]): Pick<Counts, "days" | "daysLeftOut"> {
  const filled = days.filter(({ events }) => events > 0);
  return { days: filled.slice(-DAYS_MAX), daysLeftOut: Math.max(0, filled.length - DAYS_MAX) };
}

/** Returns what a dry run found; undefined if the step was none. */
export function validationOf({ validate }: StepResults): MigrationValidation | undefined {
  if (validate === undefined) return undefined;
  const { report, htmlPath } = validate;
  const { verdict, findings, sample, target } = report;
  return {
    tone: verdict.tone,
    verdict: shortened(verdict.sentence),
    sampleShare: sample.share,
    findings: findings.slice(0, FINDINGS_MAX).map((finding) => ({
      code: finding.code,
      severity: finding.severity,
      title: shortened(finding.title),
      detail: shortened(finding.detail),
      rows: finding.rows,
      event: finding.event === undefined ? null : shortened(finding.event),
      line: finding.fix === undefined ? null : shortened(finding.fix.line),
      isAccepted: finding.acceptedBecause !== undefined,
    })),
    findingsLeftOut: Math.max(0, findings.length - FINDINGS_MAX),
    target: target === undefined ? null : targetOf(target),
    reportPath: htmlPath ?? null,
  };
}

function targetOf({
  title,
  events,
  lost,
  changed,
  rules,
}: NonNullable<Report["target"]>): NonNullable<MigrationValidation["target"]> {
  return {
    title,
    events,
    lost,
    changed,
    rules: rules.map(({ rule, isRepaired, events, names, otherNames, moreNames, sources }) => ({
      rule,
      isRepaired,
      events,
      names: names.map((name) => ({
        old: shortened(name.old),
        new: shortened(name.new),
        events: name.events,
      })),
      otherNames,
      ...(moreNames && { moreNames }),
      sources: [...sources],
    })),
  };
}
