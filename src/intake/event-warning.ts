/** A likely mistake in the stored events of a request. */
export interface EventWarning {
  readonly property: string;
  readonly message: string;
  /** Events of the request that have it. */
  readonly events: number;
}

export type WarningKind =
  | "unknown_field"
  | "timestamp_in_seconds"
  /** The rehearsed platform would drop the event, or change or not find a part of it. */
  | "target_dropped"
  | "target_changed";

/** Warnings of one answer. */
export const WARNINGS_MAX = 20;
