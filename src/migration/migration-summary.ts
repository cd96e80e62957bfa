import { pathToFileURL } from "node:url";
import { exitCodes } from "../base/errors.js";
import { formatCount } from "../base/format-count.js";
import { rowsOf } from "../fetch/run-fetch.js";
import type { Manifest } from "../ledger/manifest.js";
import type { StepName } from "../options/configuration-schema.js";
import { formatNumberOf } from "../report/quantities.js";
import { limitText, line } from "../report/summary-parts.js";
import { harmless, shellWord } from "../report/terminal-text.js";
import { readyLines } from "./ready-step.js";
import { type CommandOutcome, notRunOf, resultsOf, type StepResults, stoppedAt } from "./step.js";

const RUN_AGAIN = "  Run the same command again to resume; nothing is done twice.";

/** Summarizes a migration on one screen. */
export function summarizeMigration(outcome: CommandOutcome, program: string): string {
  const { names, reports, service } = outcome;
  const results = resultsOf(reports);
  const stop = stoppedAt(outcome);
  const isDone = outcome.exitCode === exitCodes.done;
  const notRun = notRunOf(outcome);
  return [
    isDone ? "Migration done" : `Migration stopped${stop === undefined ? "" : ` at ${stop}`}`,
    ...names.flatMap((name) => describeStep[name](results)),
    ...(notRun.length === 0 ? [] : [line("not run", notRun.join(", "))]),
    ...(isDone && service !== undefined ? waysToLook(service.dataDirectory, program) : []),
    ...(endsToRunAgain.has(outcome.exitCode) ? ["", RUN_AGAIN] : []),
    ...pageToOpen(results.validate?.htmlPath),
  ].join("\n");
}

/** After rejects or a configuration error, running it again changes nothing. */
const endsToRunAgain: ReadonlySet<number> = new Set([exitCodes.failed, exitCodes.interrupted]);

/** Returns no lines for a step without a result. */
const describeStep: Readonly<Record<StepName, (results: StepResults) => readonly string[]>> = {
  fetch({ fetch: result }) {
    if (result === undefined) return [];
    const { asked, records, fetched } = result;
    const windows = `${formatNumberOf(fetched, "window")} of ${records.length} new`;
    const text = `${formatNumberOf(rowsOf(records), "event")} of ${asked.vendor.title}, ${windows}`;
    return [line("fetched", text)];
  },
  validate({ validate: result }) {
    if (result === undefined) return [];
    const { rows, findings } = result.report;
    const found = formatNumberOf(findings.length, "finding");
    return [line("validated", `${formatNumberOf(rows.read, "row")}, ${found}`)];
  },
  export({ export: result }) {
    if (result === undefined) return [];
    const { rows, totals, inputs } = result.manifest;
    return [
      line(
        "read",
        `${formatNumberOf(rows.read, "row")} of ${formatNumberOf(inputs.count, "source")}`,
      ),
      ...leftOut(result.manifest),
      line(
        "exported",
        `${formatNumberOf(totals.rows, "event")} of ${formatNumberOf(totals.days, "day")}${periodOf(result.manifest)}`,
      ),
    ];
  },
  send({ send: result }) {
    if (result === undefined) return [];
    const { destination, sent, manifest } = result;
    const refused = manifest.rejects.find(({ code }) => code === "destination_refused")?.rows ?? 0;
    return [
      line("sent", `${formatNumberOf(sent.delivered, "event")} to ${harmless(destination)}`),
      ...(refused === 0 ? [] : [line("refused", `${formatNumberOf(refused, "event")} by it`)]),
    ];
  },
  qualify({ qualify: result }) {
    if (result === undefined) return [];
    const { plan, applied, mode } = result;
    const unchanged = plan.filter(({ action }) => action === "unchanged").length;
    const done = mode === "apply" ? (applied?.done.length ?? 0) : 0;
    const open = plan.length - unchanged - done;
    return [
      line(
        "qualified",
        `${formatNumberOf(unchanged + done, "event name")}, ${formatCount(done)} of them new or changed` +
          (open === 0 ? "" : `; ${formatCount(open)} are not`),
      ),
    ];
  },
  verify({ verify, stored }) {
    if (verify === undefined) return [];
    const files = `${formatNumberOf(verify.files, "file")}`;
    const isGood = verify.outcome === "verified";
    const service =
      stored === undefined
        ? []
        : [
            line(
              "",
              stored.outcome === "verified"
                ? `the service has each of these events: ${formatNumberOf(stored.counts, "count")} by ` +
                    `${stored.countedBy} agree, and ${formatNumberOf(stored.sampled, "event")} field by field`
                : "the service has not stored what was exported",
            ),
          ];
    return [
      line(
        "verified",
        isGood ? `${files}, read back: all as written` : `${files} read back: not as written`,
      ),
      ...service,
    ];
  },
  ready({ ready: result }) {
    return result === undefined ? [] : readyLines(result);
  },
};

/** Counts rows that did not become events, and tells the limit. */
function leftOut({ rows, limit }: Manifest): readonly string[] {
  const parts = [
    [rows.rejected, "rejected"],
    [rows.filtered, "filtered"],
    [rows.duplicates ?? 0, "removed as duplicates"],
  ] as const;
  const counts = parts.filter(([count]) => count > 0);
  const limited = limit === undefined ? [] : [line("limit", limitText(limit))];
  if (counts.length === 0) return limited;
  return [
    ...limited,
    line("left out", counts.map(([count, word]) => `${formatCount(count)} ${word}`).join(", ")),
  ];
}

function periodOf({ days }: Manifest): string {
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  if (first === undefined) return "";
  return first === last ? `, ${first}` : `, ${first} to ${last}`;
}

/** Tells how to look at the events in the service. */
function waysToLook(dataDirectory: string, program: string): readonly string[] {
  return [
    "",
    "  Look at the result in a browser (serve prints a link, and keys on its first start):",
    `    ${program} serve --data ${shellWord(dataDirectory)}`,
    '    curl -H "SERVICE-API-KEY: $SWITCHYARD_CONSOLE_KEY" http://127.0.0.1:8080/v1/events/summary',
  ];
}

/** Returns the report's page as an address, which terminals open with a click. */
function pageToOpen(htmlPath: string | undefined): readonly string[] {
  if (htmlPath === undefined) return [];
  return ["", "  Open the report in a browser:", `    ${pathToFileURL(htmlPath).href}`];
}
