import { effect, signal } from "@preact/signals";
import { readSession, session } from "./session.js";

/** An event as it arrived. */
interface LiveEvent {
  readonly event: string;
  readonly userID?: string | null;
  /** ms since the epoch. */
  readonly time: number;
}

/** The newest events, newest first, and how many are stored. */
export const liveEvents = signal<{
  readonly stored: number;
  readonly latest: readonly LiveEvent[];
}>();

/** Grows with every write that the service accepts, of anybody. Lists are read again then. */
export const changes = signal(0);

/** Follows the service while somebody is signed in. The browser reconnects by itself. */
export function followService(): void {
  let source: EventSource | undefined;
  effect(() => {
    source?.close();
    source = undefined;
    if (session.value === null || session.value === undefined) return;
    source = new EventSource("/console/v1/live");
    source.addEventListener("error", () => {
      // The browser reconnects, unless it was refused: the key may have been revoked.
      if (source?.readyState === EventSource.CLOSED) void readSession();
    });
    source.addEventListener("events", ({ data }) => {
      liveEvents.value = JSON.parse(data);
    });
    source.addEventListener("change", () => {
      changes.value++;
    });
  });
}
