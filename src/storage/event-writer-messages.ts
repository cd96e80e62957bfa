import type { EventCommit } from "./event-store.js";
import type { PackedIntake } from "./packed-events.js";

/** What the writer's thread is started with. */
export interface EventWriterSetup {
  /** Path of the database's file. */
  readonly path: string;
}

/** `close` ends the thread; what was sent before is written first. */
export type ToEventWriter =
  | { readonly kind: "write"; readonly batch: readonly PackedIntake[] }
  | { readonly kind: "close" };

/** An error as it crosses the thread. */
export interface EventWriterFailure {
  readonly code: string;
  readonly message: string;
}

/** `ready` once after the start, then one answer for each `write`. A thread that dies gives none. */
export type FromEventWriter =
  | { readonly kind: "ready" }
  | { readonly kind: "stored"; readonly commit: EventCommit }
  | { readonly kind: "failed"; readonly failure: EventWriterFailure };
