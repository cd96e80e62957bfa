import type { ReportSample } from "../../profile/report.js";
import type { RowMember, TextToken } from "./text-tokens.js";

type LinkStep = ReportSample["trace"][number];

/** A value of the source and the value of the event that the mapping makes of it. */
export interface TraceLink {
  readonly from: TextToken;
  readonly to: TextToken;
  readonly target: LinkStep["target"];
  /** True if the texts differ, as for times. */
  readonly isConverted: boolean;
}

/** Finds the pieces that the steps of a trace link. A piece that was cut off, or dropped, has no link. */
export function traceLinks(
  source: readonly RowMember[],
  event: readonly RowMember[],
  trace: readonly LinkStep[],
): readonly TraceLink[] {
  const steps = new Map(trace.map((step) => [keyOf(step.to), step]));
  const values = valuesOf(source);
  return [...valuesOf(event).values()].flatMap((to) => {
    const end = lastIndexOf(to.path, steps);
    const step = steps.get(keyOf(to.path.slice(0, end)));
    const from = step && values.get(keyOf([...step.from, ...to.path.slice(end)]));
    if (step === undefined || from === undefined) return [];
    return [{ from, to, target: step.target, isConverted: from.value !== to.value }];
  });
}

/** Finds the value that the filter reads. */
export function filterToken(
  source: readonly RowMember[],
  trace: readonly LinkStep[],
): TextToken | undefined {
  const step = trace.find(({ target }) => target === "filter");
  return step && valuesOf(source).get(keyOf(step.from));
}

/** Returns the length of the longest beginning of a path that has a step; 0 if there is none. */
function lastIndexOf(path: readonly string[], steps: ReadonlyMap<string, LinkStep>): number {
  let end = path.length;
  while (end > 0 && !steps.has(keyOf(path.slice(0, end)))) end--;
  return end;
}

/** Values by path. Of repeated names the last one counts, as for readers. */
function valuesOf(members: readonly RowMember[]): ReadonlyMap<string, TextToken> {
  const tokens = members.flatMap((member) => member.tokens);
  const values = tokens.filter(({ kind }) => kind === "value" || kind === "null");
  return new Map(values.map((token) => [keyOf(token.path), token]));
}

function keyOf(path: readonly string[]): string {
  return JSON.stringify(path);
}
