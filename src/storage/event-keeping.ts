import { setTimeout as delay } from "node:timers/promises";
import { DAY_MS, parseDay } from "../base/day.js";
import type { EventRemover, Person, PersonSearch, RemovalStep } from "./event-removal.js";
import { EventsUnavailableError } from "./event-store.js";
import { EVENT_KEY_DAYS_MIN, EVENTS_REMOVED_PER_SLICE } from "./storage-limits.js";

interface EventKeepingOptions {
  readonly remover: EventRemover;
  /** Returns the events of a person after one event and up to another. */
  readonly find: (person: Person, after: number, last: number) => Promise<PersonSearch>;
  /** Returns the sequence of the newest event; 0 without events. */
  readonly lastSequence: () => number;
  /** Returns ms since the epoch. */
  readonly now: () => number;
}

/**
 * Removes events in slices, with pauses in which others write. What was removed before an interruption
 * stays removed; the same call removes the rest.
 */
export class EventKeeping {
  #isClosing = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: EventKeepingOptions) {}

  /**
   * Removes the events of the days before `day`, and the idempotency keys that arrived before it, and at
   * least a week ago. A request that is repeated after its key is gone stores events that are as old, and
   * the next call removes them.
   */
  removeBefore(day: string): Promise<number> {
    return this.#run(async () => {
      let events = 0;
      for (let isLast = false; !isLast; ) {
        const slice = await this.#remove({ what: "days", before: day });
        events += slice.events;
        isLast = slice.next === undefined;
      }
      const today = Math.floor(this.options.now() / DAY_MS);
      const arrivedBefore = Math.min(parseDay(day), today - EVENT_KEY_DAYS_MIN);
      for (let after: string | undefined = ""; after !== undefined; ) {
        const step: RemovalStep = { what: "keys", after, arrivedBefore, today };
        after = (await this.#remove(step)).next;
      }
      return events;
    });
  }

  /** Removes the events of a person that are stored now; counts them alone with `rehearse`. */
  removePerson(person: Person, rehearse: boolean): Promise<number> {
    return this.#run(async () => {
      const last = this.options.lastSequence();
      let events = 0;
      for (let after: number | undefined = 0; after !== undefined; ) {
        this.#requireOpen();
        const { sequences, next } = await this.options.find(person, after, last);
        if (rehearse) events += sequences.length;
        else events += await this.#removeSequences(person, sequences);
        after = next;
      }
      if (events > 0 && !rehearse) await this.#remove({ what: "log" });
      return events;
    });
  }

  /** Stops after the present slice. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#running;
  }

  async #removeSequences(person: Person, sequences: readonly number[]): Promise<number> {
    let events = 0;
    for (let start = 0; start < sequences.length; start += EVENTS_REMOVED_PER_SLICE) {
      const part = sequences.slice(start, start + EVENTS_REMOVED_PER_SLICE);
      events += (await this.#remove({ what: "person", person, sequences: part })).events;
    }
    return events;
  }

  /** Pauses as long as the slice took, so that events get at least half of the writer's time. */
  async #remove(step: RemovalStep) {
    this.#requireOpen();
    const begin = performance.now();
    const slice = await this.options.remover.remove(step);
    await delay(performance.now() - begin);
    return slice;
  }

  #requireOpen(): void {
    if (this.#isClosing) throw new EventsUnavailableError("the service is stopping");
  }

  /** One removal after the other. */
  #run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#running.then(work);
    this.#running = result.catch(() => undefined);
    return result;
  }
}
