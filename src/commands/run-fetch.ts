import { DAY_MS } from "../base/day.js";
import { exitCodes } from "../base/errors.js";
import { formatCount } from "../base/format-count.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { createVendor } from "../fetch/create-vendor.js";
import {
  type ExportPlan,
  type ExportRequest,
  fetchExport,
  planExport,
} from "../fetch/fetch-export.js";
import type { FetchObserver } from "../fetch/fetch-observer.js";
import type { FetchedSpan } from "../fetch/fetch-span.js";
import type { LimitUse, RequestsPerTime } from "../fetch/request-limit.js";
import { bytesOf, type FetchResult, rowsOf } from "../fetch/run-fetch.js";
import type { Window } from "../fetch/windows.js";
import type { Configuration } from "../options/configuration.js";
import { resolveFetch } from "../options/fetch-options.js";
import { NOW } from "../options/fetch-rows.js";
import type { Environment } from "../options/secrets.js";
import { pathInOutput } from "../output/output-place.js";
import { logLine } from "../report/progress.js";
import { formatBytes, formatDuration, formatNumberOf } from "../report/quantities.js";
import { line } from "../report/summary-parts.js";
import { harmless } from "../report/terminal-text.js";
import type { CommandContext, OutputForm } from "./context.js";
import { printResult } from "./print-result.js";
import { type CommandLine, runConfigured } from "./run-configured.js";

/** Fetches the export of a vendor, and returns the exit code; never throws. */
export function runFetchCommand(
  { dryRun, ...given }: CommandLine & { readonly dryRun: boolean },
  context: CommandContext,
): Promise<number> {
  return runConfigured("fetch", given, context, async (configuration, output) => {
    const asked = await exportAskedFor(configuration, context.environment);
    return dryRun ? printPlan(asked, output, context) : fetchAndPrint(asked, output, context);
  });
}

/** An export that was fetched, whole or in part. */
export interface FetchedExport extends FetchedSpan {
  readonly asked: ExportRequest;
  readonly durationMs: number;
}

/** Returns the export that the section `fetch` asks for. */
export async function exportAskedFor(
  configuration: Configuration,
  environment: Environment,
): Promise<ExportRequest> {
  const request = await resolveFetch(configuration, environment);
  const { from, until, place, recheck } = request;
  const limits = omitUndefined({
    until: until === NOW ? undefined : until,
    recheckMs: recheck === undefined ? undefined : recheck * DAY_MS,
  });
  return { vendor: createVendor(request), place, from, ...limits };
}

async function printPlan(
  asked: ExportRequest,
  output: OutputForm,
  context: CommandContext,
): Promise<number> {
  const plan = await planExport(asked, context.signal);
  const exitCode = exitCodes.done;
  if (output.json) {
    const { vendor, span, present, least, most } = plan;
    const [windows, again] = [plan.missing, plan.again].map((all) =>
      all.map(({ start, end }) => ({ start: isoOf(start), end: isoOf(end) })),
    );
    const requests = { requests: least.requests, requestsMax: most.requests };
    const times = { limitsMs: least.ms, limitsMsMax: most.ms };
    const facts = { present, ...requests, ...times, billsRows: vendor.billsRows === true };
    const json = { command: "fetch", exitCode, dryRun: true, ...spanFacts(asked, span), ...facts };
    context.stdout.write(`${JSON.stringify({ ...json, windows, again })}\n`);
  } else if (!output.quiet) {
    printResult(summarizePlan(plan), output, context);
  }
  return exitCode;
}

/** Returns a plan for people. */
function summarizePlan({ vendor, span, present, again, least, most }: ExportPlan): string {
  const { title, limits, concurrency, windowRequests, billsRows } = vendor;
  const isExact = least.windows === most.windows;
  const orMore = isExact ? "" : " or more";
  const upTo = isExact ? "" : `, up to ${formatCount(most.windows)} if their answers are large`;
  const recheck = again.length === 0 ? "" : `; there and asked again: ${formatCount(again.length)}`;
  const each = windowRequests === 1 ? "" : `, ${windowRequests} for a window with events`;
  const longest = isExact
    ? ""
    : `, ${formatDuration(most.ms)} for ${formatCount(most.windows)} windows`;
  return [
    `What ${title} would be asked for`,
    line("span", spanText(span)),
    line("there", formatNumberOf(present, "window")),
    line("windows", `${formatCount(least.windows)}${orMore}${upTo}${recheck}`),
    line("requests", `${formatCount(least.requests)}${orMore}${each}`),
    line("at a time", formatNumberOf(concurrency, "window")),
    ...(limits.length === 0 || least.windows === 0
      ? []
      : [
          line("limits", limits.map(limitOf).join(", ")),
          line("time", `at least ${formatDuration(least.ms)} by these limits${longest}`),
        ]),
    ...(billsRows === true
      ? [line("billed", `${title} bills each exported row. It counts them only when it exports`)]
      : []),
  ].join("\n");
}

async function fetchAndPrint(
  asked: ExportRequest,
  output: OutputForm,
  context: CommandContext,
): Promise<number> {
  const started = context.clock.now();
  const observer = observerOf(output, context);
  const result = await fetchExport(asked, { signal: context.signal, observer });
  const durationMs = Math.round(context.clock.now() - started);
  const fetched = { ...result, asked, durationMs };
  const exitCode = fetchExitCode(fetched);
  if (output.json) context.stdout.write(`${JSON.stringify(jsonOfFetch(fetched))}\n`);
  else if (!output.quiet || exitCode !== exitCodes.done)
    printResult(summarizeFetch(fetched), output, context);
  return exitCode;
}

export function fetchExitCode({ failed }: FetchResult): number {
  return failed.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** Returns the result as `--json` prints it. */
export function jsonOfFetch(result: FetchedExport) {
  const { asked, span, records, failed, durationMs, ...counts } = result;
  const exitCode = fetchExitCode(result);
  const totals = { windows: records.length, rows: rowsOf(records), bytes: bytesOf(records) };
  const faults = failed.map(({ code, message }) => ({ code, message }));
  const facts = { ...spanFacts(asked, span), ...counts, ...totals, failed: faults, durationMs };
  return { command: "fetch", exitCode, ...facts };
}

/** Prints a line for each window. */
function observerOf({ quiet, log }: OutputForm, { stderr, clock }: CommandContext): FetchObserver {
  const started = clock.now();
  let doneMs = 0;
  if (quiet && !log) return {};
  const say = (name: string, text: string, facts: object) =>
    void stderr.write(log ? logLine("info", name, facts) : `${harmless(text)}\n`);
  return {
    note: (message) => say("note", message, { message }),
    done: (record, { what, unaskedMs, limit }) => {
      const { start, end } = record;
      doneMs += end - start;
      const leftMs = Math.round(((clock.now() - started) / doneMs) * unaskedMs);
      const [rows, bytes] = [rowsOf([record]), bytesOf([record])];
      const events =
        rows === 0 ? "no events" : `${formatNumberOf(rows, "event")}, ${formatBytes(bytes)}`;
      const parts = [
        `${what}: ${events}`,
        ...(limit === undefined ? [] : [limitText(limit)]),
        ...(unaskedMs === 0 ? [] : [`about ${formatDuration(leftMs)} left`]),
      ];
      const facts = { start: isoOf(start), end: isoOf(end), rows, bytes, leftMs };
      say("fetched", parts.join("; "), { ...facts, ...omitUndefined({ limit }) });
    },
  };
}

/** `14 of 60 requests in 1:00:00 h used`. */
function limitText({ used, ...limit }: LimitUse): string {
  return `${used} of ${limitOf(limit)} used`;
}

function limitOf({ requests, ms }: RequestsPerTime): string {
  return `${formatNumberOf(requests, "request")} in ${formatDuration(ms)}`;
}

/** Returns the result for people. */
export function summarizeFetch(result: FetchedExport): string {
  const { asked, span, records, fetched, lateRows, requests, failed, durationMs } = result;
  const { vendor, place, until } = asked;
  const directory = harmless(pathInOutput(place.directory, ""));
  return [
    failed.length === 0
      ? `Fetched from ${vendor.title}: ${directory}`
      : `Failed in part: ${formatNumberOf(failed.length, "window")} of ${vendor.title} cannot be fetched`,
    line("span", spanText(span)),
    line("events", `${formatNumberOf(rowsOf(records), "event")}, ${formatBytes(bytesOf(records))}`),
    line("windows", `${records.length}, ${fetched} of them new`),
    ...(lateRows === 0
      ? []
      : [line("late", `${formatNumberOf(lateRows, "event")} of earlier days`)]),
    line("time", `${formatDuration(durationMs)}, ${formatNumberOf(requests, "request")}`),
    ...(until !== undefined && span.end < until
      ? ["", `${vendor.title} promises no later events yet. Run the same command again later.`]
      : []),
    ...failed.flatMap(({ message }) => ["", harmless(message)]),
  ].join("\n");
}

function spanFacts({ vendor, place }: ExportRequest, span: Window) {
  const { directory } = place;
  return { vendor: vendor.name, directory, from: isoOf(span.start), until: isoOf(span.end) };
}

function spanText({ start, end }: Window): string {
  return start === end
    ? "nothing is complete yet"
    : `${isoOf(start)} up to ${isoOf(end)}, not included`;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString().replace(":00.000Z", "Z");
}
