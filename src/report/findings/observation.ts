import type { RejectCodeName } from "../../base/reject-codes.js";
import type { Fix, Report } from "../../profile/report.js";
import type { FindingCode } from "./finding-codes.js";

/** What findings are found in. */
export type Facts = Omit<Report, "findings">;

/** A finding before it has its severity, and before what mends it is put together. */
export interface Observation {
  readonly code: FindingCode;
  /** One sentence, no full stop. */
  readonly title: string;
  readonly detail: string;
  readonly rows: number;
  readonly event?: string;
  readonly property?: string;
  readonly day?: string;
  readonly rejectCode?: RejectCodeName;
  /** At most one of these two. */
  readonly fix?: Fix;
  /** Statements of a transform module that mend it: they change `event`, or give nothing back. */
  readonly mend?: string;
}

/** Finds what there is to say about one subject; pure. */
export type Finder = (facts: Facts) => readonly Observation[];
