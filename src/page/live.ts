import { computed, effect, signal } from "@preact/signals";
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

/** Milliseconds before a stream that was refused is asked for again. */
const RETRY_MS = 3_000;

/** Follows the service while somebody is signed in, also across its restarts. */
export function followService(): void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const signedIn = computed(() => session.value?.keyID);

  const follow = (isAgain: boolean) => {
    const stream = new EventSource("/console/v1/live");
    source = stream;
    stream.addEventListener("error", () => {
      // The browser reconnects, unless it was refused: the key is revoked, or the service starts.
      if (stream.readyState !== EventSource.CLOSED) return;
      void readSession();
      timer = setTimeout(() => follow(true), RETRY_MS);
    });
    stream.addEventListener("events", ({ data }) => {
      liveEvents.value = JSON.parse(data);
    });
    stream.addEventListener("change", () => {
      changes.value++;
    });
    // A new stream does not tell what was written before it.
    if (isAgain) stream.addEventListener("open", () => changes.value++, { once: true });
  };
  effect(() => {
    source?.close();
    clearTimeout(timer);
    if (signedIn.value !== undefined) follow(false);
  });
}
