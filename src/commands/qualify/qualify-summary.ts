import { formatCount } from "../../base/format-count.js";
import type { Applied } from "../../console/qualify.js";
import type { PlanItem } from "../../console/qualify-plan.js";
import { formatNumberOf } from "../../report/quantities.js";
import { describeFailed, describeReasons } from "../../report/summary-parts.js";
import { cutEnd, harmless } from "../../report/terminal-text.js";
import type { KnownEvents } from "./known-events.js";
import type { QualifyResult } from "./run-qualify.js";

const ITEMS_SHOWN_MAX = 40;
const LINE_COLUMNS_MAX = 400;

/** Advice after calls without an answer. */
export const UNKNOWN_ADVICE =
  "Run the same command again: its plan shows if unknown calls were made.";

type Lines = readonly string[];

/** Returns the plan and the outcome as text. Control characters from data are escaped. */
export function summarizeQualify(result: QualifyResult): string {
  const { plan, console, known } = result;
  const count = (action: PlanItem["action"]) =>
    formatCount(plan.filter((item) => item.action === action).length);
  const shown = plan.filter(({ action }) => action !== "unchanged");
  return [
    `Qualifying events of ${line(nameOf(known.origin))} at ${line(console)}`,
    ...shorten(shown.map(linesOf)),
    `${count("create")} to create, ${count("change")} to change, ${count("unchanged")} unchanged, ${count("refused")} refused`,
    ...missing(known),
    ...outcomeOf(result),
  ].join("\n");
}

function nameOf(origin: KnownEvents["origin"]): string {
  if ("inputs" in origin) return origin.inputs.join(" ");
  return "reportPath" in origin ? origin.reportPath : origin.manifestPath;
}

/** Events that the plan may lack. */
function missing({ isComplete, otherRows, origin }: Omit<KnownEvents, "events">): Lines {
  const others =
    otherRows === 0
      ? []
      : [`${formatNumberOf(otherRows, "event")} with other names have no qualifying event.`];
  if (!("inputs" in origin)) {
    const advice =
      "reportPath" in origin
        ? "The report covers part of the inputs: there may be other names."
        : "The export is not complete: counts and names are preliminary.";
    return [...(isComplete ? [] : [advice]), ...others];
  }
  const { rows, rejects, failures } = origin;
  const place = "which --json lists";
  return [
    ...others,
    ...(rows.rejected === 0
      ? []
      : [
          `Rejected: ${formatCount(rows.rejected)} of ${formatNumberOf(rows.read, "row")}; their events are not counted`,
          ...describeReasons(rejects, place),
        ]),
    ...(failures.length === 0 ? [] : describeFailed(failures, place)),
  ];
}

function linesOf(item: PlanItem): Lines {
  const head = `  ${item.action.padEnd(9)} ${item.name}`;
  switch (item.action) {
    case "create":
      return [`${head}: ${item.body.description ?? ""}`];
    case "change":
      return [
        head,
        ...item.differences.map(
          ({ field, before, after }) =>
            `            ${field}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
        ),
      ];
    case "refused":
      return [`${head}: ${item.reasons.join("; ")}`];
    case "unchanged":
      return [];
  }
}

function outcomeOf(result: QualifyResult): Lines {
  const { mode, plan, applied } = result;
  const work = plan.filter(({ action }) => action === "create" || action === "change").length;
  const advice =
    plan.some(({ action }) => action === "refused") && mode !== "plan"
      ? ["Exclude refused events with --exclude-event, or rename them with --name-template."]
      : [];
  if (work === 0) return ["Nothing to do.", ...advice];
  if (applied === undefined) {
    return ["Nothing was sent. Run the same command with --yes to apply it."];
  }
  const { done, failed, uncertain, stopped } = applied;
  const verb = mode === "dryRun" ? "would be accepted; nothing was stored" : "applied";
  return [
    `${formatCount(done.length)} of ${formatCount(work)} ${verb}.`,
    ...(stopped === undefined ? [] : shorten(doneLines(result, applied))),
    ...shorten(failed.map(({ name, message }) => `  failed    ${name}: ${message}`)),
    ...shorten(leftLines(applied)),
    ...(stopped === undefined ? [] : [line(stopped.message)]),
    ...(uncertain.length > 0 && stopped === undefined ? [UNKNOWN_ADVICE] : []),
    ...advice,
  ];
}

/** Lists the applied names after an early end. Otherwise the plan lists them. */
function doneLines({ mode, plan }: QualifyResult, { done }: Applied): Lines {
  const actions = new Map(plan.map(({ name, action }) => [name, action]));
  const verbOf = (name: string) => (actions.get(name) === "create" ? "created" : "changed");
  return done.map(
    (name) => `  ${(mode === "dryRun" ? "checked" : verbOf(name)).padEnd(9)} ${name}`,
  );
}

function leftLines({ uncertain, notTried }: Applied): Lines {
  return [
    ...uncertain.map((name) => `  unknown   ${name}: the console gave no answer`),
    ...notTried.map((name) => `  not tried ${name}`),
  ];
}

/** Returns the first items, and the number of the others. */
export function shorten(items: readonly (string | Lines)[]): Lines {
  const hidden = items.length - ITEMS_SHOWN_MAX;
  return [
    ...items.slice(0, ITEMS_SHOWN_MAX).flat().map(line),
    ...(hidden > 0 ? [`  and ${formatCount(hidden)} more; --json lists them all`] : []),
  ];
}

/** Returns a text for one line of a terminal. */
export function line(text: string): string {
  return cutEnd(harmless(text), LINE_COLUMNS_MAX);
}
