import type { WindowRecord } from "./window-files.js";

/** Told of each step of a fetch. */
export interface FetchObserver {
  /** A window is done; `leftMs`: the time that nobody has asked for yet. */
  readonly done?: (record: WindowRecord, leftMs: number) => void;
  readonly note?: (text: string) => void;
}
