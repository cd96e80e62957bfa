import type { RejectCodeName } from "../../base/reject-codes.js";
import type { Fix, Report } from "../../profile/report.js";
import { cutEnd } from "../terminal-text.js";
import type { FindingCode } from "./finding-codes.js";

/** The part of a report from which findings are derived. */
export type ReportedFacts = Omit<Report, "findings" | "verdict">;

/** A finding without its severity, before its fix is assembled. */
export interface Observation {
  readonly code: FindingCode;
  /** One sentence, no full stop. */
  readonly title: string;
  readonly detail: string;
  readonly rows: number;
  readonly event?: string | undefined;
  readonly property?: string | undefined;
  readonly day?: string | undefined;
  readonly rejectCode?: RejectCodeName;
  /** At most one of `fix` and `statements` is present. */
  readonly fix?: Fix | undefined;
  /** Statements of a transform module that fix it: they change `event`. */
  readonly statements?: string;
}

/** Looks for one kind of problem; pure. */
export type Finder = (facts: ReportedFacts) => Observation | readonly Observation[];

const QUOTED_COLUMNS_MAX = 80;

/** Quotes a name or value from data; the end of a long one is cut off. */
export function quoted(text: string): string {
  return JSON.stringify(cutEnd(text, QUOTED_COLUMNS_MAX));
}

/** `"a", "b" and 3 more`. */
export function quotedList(texts: readonly string[], shown = 5): string {
  const list = texts.slice(0, shown).map(quoted).join(", ");
  return texts.length > shown ? `${list} and ${texts.length - shown} more` : list;
}

/** Returns a value of a report as plain text, both if it is written as JSON and if it is not. */
export function plainText(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "string" ? parsed : value;
  } catch {
    return value.slice(1);
  }
}
