import type { LimitUse } from "./request-limit.js";
import type { WindowRecord } from "./window-files.js";

/** How far a fetch is. */
interface FetchStanding {
  /** The window in words. */
  readonly what: string;
  /** The time of the vendor's events that nobody has asked for yet, in ms. */
  readonly unaskedMs: number;
  /** How much of the vendor's longest limit is used; absent if it has none. */
  readonly limit?: LimitUse;
}

/** Told of each step of a fetch. */
export interface FetchObserver {
  /** A window is done. */
  readonly done?: (record: WindowRecord, standing: FetchStanding) => void;
  readonly note?: (text: string) => void;
}
