import { exitCodes } from "../base/errors.js";
import { sum } from "../base/sum.js";
import type { ReadyResult } from "../engine/run-ready.js";
import type { Configuration } from "../options/configuration.js";
import { resolveReady } from "../options/ready-options.js";
import { formatNumberOf } from "../report/quantities.js";
import { line } from "../report/summary-parts.js";
import { harmless } from "../report/terminal-text.js";
import type { StepContext, StepReport } from "./step.js";

export async function runReadyStep(
  configuration: Configuration,
  { runs, signal, observer }: StepContext,
): Promise<StepReport> {
  const request = resolveReady(configuration);
  const ready = await runs.ready(request, { signal, observer });
  const { title, isDryRun, days, ...facts } = ready;
  const head = isDryRun ? `What ${title} would be told` : `Told ${title}`;
  const exitCode = exitCodes.done;
  return {
    exitCode,
    summary: [head, ...readyLines(ready), ...reloadAdvice(ready, request.target.ready)].join("\n"),
    json: {
      command: "ready",
      exitCode,
      target: request.target.name,
      dryRun: isDryRun,
      days: days.map(({ day, rows, isReload }) => ({ day, rows, reload: isReload })),
      ...facts,
    },
    results: { ready },
  };
}

/** Returns the lines of a summary about the days that were announced. */
export function readyLines({
  isDryRun,
  days,
  unchanged,
  held,
  reloadRows,
  marker,
}: ReadyResult): readonly string[] {
  const again = days.filter(({ isReload }) => isReload).length;
  const events = formatNumberOf(
    sum(days, ({ rows }) => rows),
    "event",
  );
  const announced = isDryRun ? "to announce" : "announced";
  return [
    line(announced, days.length === 0 ? "no day" : `${daysText(days)}: ${events}`),
    ...(again === 0
      ? []
      : [
          line(
            "again",
            `${formatNumberOf(again, "changed day")} with ${formatNumberOf(reloadRows, "event")}`,
          ),
        ]),
    ...(unchanged === 0 ? [] : [line("unchanged", formatNumberOf(unchanged, "day"))]),
    ...(held.length === 0
      ? []
      : [
          line(
            "held back",
            `${daysText(held.map((day) => ({ day })))}: not over when the inputs were read`,
          ),
        ]),
    ...(marker === undefined ? [] : [line("file", harmless(marker))]),
  ];
}

function daysText(days: readonly { readonly day: string }[]): string {
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  return `${formatNumberOf(days.length, "day")}, ${first === last ? first : `${first} to ${last}`}`;
}

/** Changed days are not loaded again by an announcement alone. */
function reloadAdvice(
  { title, reloadRows }: ReadyResult,
  rules: { readonly reload: string } | undefined,
): readonly string[] {
  if (reloadRows === 0 || rules === undefined) return [];
  return ["", `  ${title} loads changed days again ${rules.reload}.`];
}
