import type { WindowRecord } from "./window-files.js";

/** Told of each step of a fetch. */
export interface FetchObserver {
  /** A window is done; `left`: windows that are not. */
  readonly done?: (record: WindowRecord, left: number) => void;
  readonly note?: (text: string) => void;
}
