import { formatCount } from "../../base/format-count.js";
import { type AppliedImport, isImportWork } from "../../console/entities/apply-import.js";
import type { ImportItem, ImportPlan } from "../../console/entities/import-plan.js";
import { line, shorten, UNKNOWN_ADVICE } from "../qualify/qualify-summary.js";

type Lines = readonly string[];

/** A plan, and what became of it unless it was only shown. */
export interface ImportResult {
  readonly mode: "dryRun" | "apply";
  readonly console: string;
  /** The directory or the file. */
  readonly source: string;
  readonly plan: ImportPlan;
  readonly applied?: AppliedImport;
}

/** Returns the plan and the outcome as text. Control characters from data are escaped. */
export function summarizeImport(result: ImportResult): string {
  const { plan, console, source } = result;
  const count = (action: ImportItem["action"]) =>
    formatCount(plan.filter((item) => item.action === action).length);
  const shown = plan.filter(({ action }) => action !== "unchanged");
  return [
    `Entities of ${line(source)} at ${line(console)}`,
    ...shorten(shown.map(linesOf)),
    `${count("create")} to create, ${count("change")} to change, ${count("remove")} to remove, ${count("unchanged")} unchanged, ${count("refused")} refused`,
    ...outcomeOf(result),
  ].join("\n");
}

function linesOf(item: ImportItem): Lines {
  const head = `  ${item.action.padEnd(9)} ${item.kind} ${item.name}`;
  switch (item.action) {
    case "change":
      return [
        head,
        ...item.differences.map(
          ({ field, before, after }) =>
            `            ${field}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
        ),
      ];
    case "refused": {
      const place = item.file === item.name ? "" : ` (${item.file})`;
      return [`${head}${place}: ${item.reasons.join("; ")}`];
    }
    default:
      return [head];
  }
}

function outcomeOf({ mode, plan, applied }: ImportResult): Lines {
  const work = plan.filter(isImportWork).length;
  if (work === 0) return ["Nothing to do."];
  if (mode === "dryRun" || applied === undefined) {
    return ["Nothing was sent. Run the same command without --dry-run to apply it."];
  }
  const { done, failed, uncertain, notTried, stopped } = applied;
  return [
    `${formatCount(done.length)} of ${formatCount(work)} applied.`,
    ...shorten(failed.map(({ kind, name, message }) => `  failed    ${kind} ${name}: ${message}`)),
    ...shorten(
      uncertain.map(({ kind, name }) => `  unknown   ${kind} ${name}: the console gave no answer`),
    ),
    ...shorten(notTried.map(({ kind, name }) => `  not tried ${kind} ${name}`)),
    ...(stopped === undefined ? [] : [line(stopped.message)]),
    ...(uncertain.length > 0 && stopped === undefined ? [UNKNOWN_ADVICE] : []),
  ];
}
