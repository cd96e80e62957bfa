import { DAY_MS, formatDay, HOUR_MS } from "../base/day.js";
import type { EventStore } from "../storage/event-store.js";

interface OldEventsOptions {
  readonly events: Pick<EventStore, "removeBefore">;
  /** Days that events are kept, counted from the UTC day of their timestamp. */
  readonly keptDays: number;
  /** Returns ms since the epoch. */
  now(): number;
  /** Gets the number of events that were removed, if any. */
  onRemoved(events: number, before: string): void;
  /** Gets errors of the store; the next look tries again. */
  onFailed(error: unknown): void;
}

/** Removes old events, once at the start and each hour. */
export class OldEvents {
  #timer: NodeJS.Timeout | undefined;
  #removed: Promise<void> | undefined;
  #isClosed = false;

  constructor(private readonly options: OldEventsOptions) {}

  begin(): void {
    const look = () => {
      this.#removed ??= this.remove().finally(() => {
        this.#removed = undefined;
      });
    };
    look();
    this.#timer = setInterval(look, HOUR_MS).unref();
  }

  /** The store stops what runs, when it closes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  /** Removes what is old now. Never rejects. */
  async remove(): Promise<void> {
    const { events, keptDays, now, onRemoved, onFailed } = this.options;
    const before = formatDay(Math.floor(now() / DAY_MS) - keptDays);
    try {
      const count = await events.removeBefore(before);
      if (count > 0) onRemoved(count, before);
    } catch (error) {
      if (!this.#isClosed) onFailed(error);
    }
  }
}
