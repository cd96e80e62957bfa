import { setImmediate as nextTurn } from "node:timers/promises";
import { type EntityState, SpecCatalogue } from "../evaluation/catalogue.js";
import type { EntityKey, EntityStore } from "../storage/store.js";

/** Entities that are read at once: a few milliseconds. */
const READ_AT_ONCE = 200;

/** Changes that are read at once. */
const CHANGES_AT_ONCE = 1_000;

/** The specifications of the stored entities, with the time of the newest change. */
export interface CurrentCatalogue {
  readonly catalogue: SpecCatalogue;
  /** ms since the epoch; greater after each change. At least 1: SDKs take 0 for nothing. */
  readonly time: number;
}

/**
 * Follows the entities of a store. The first question reads all of them, in slices; later ones read what
 * was written since, by this process or another one.
 */
export class LiveCatalogue {
  readonly #catalogue: SpecCatalogue;
  /** The newest write that the catalogue has; undefined before the first question. */
  #sequence: number | undefined;
  #time = 1;
  #reading: Promise<void> | undefined;
  /** True if this turn of the event loop has looked for writes: its requests share the look. */
  #isCurrent = false;

  constructor(private readonly entities: EntityStore) {
    this.#catalogue = new SpecCatalogue((id, unit) =>
      entities.isListed({ kind: "segment", id }, unit),
    );
  }

  /** Returns the catalogue with every write that was acknowledged when it was asked. */
  async current(): Promise<CurrentCatalogue> {
    while (!this.#isCurrent) {
      if (this.entities.latestChange().sequence === this.#sequence) this.#holdForTurn();
      else await this.#readOnce();
    }
    return { catalogue: this.#catalogue, time: this.#time };
  }

  /** No client can know of a write that becomes durable within this turn. */
  #holdForTurn(): void {
    this.#isCurrent = true;
    setImmediate(() => {
      this.#isCurrent = false;
    });
  }

  #readOnce(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    if (this.#sequence === undefined) await this.#readAll();
    else await this.#follow(this.#sequence);
  }

  async #readAll(): Promise<void> {
    // Read first: what is written meanwhile is read again.
    const { sequence, time } = this.entities.latestChange();
    let newest = time;
    let after: number | undefined = 0;
    while (after !== undefined) {
      const scan = await this.entities.scan(after, READ_AT_ONCE);
      this.#catalogue.apply(scan.records);
      for (const { body } of scan.records) {
        // Entities that are older than the log of changes.
        newest = Math.max(newest, Number(body["lastModifiedTime"] ?? 0));
      }
      after = scan.next;
      await nextTurn();
    }
    this.#time = Math.max(this.#time, newest);
    this.#sequence = sequence;
  }

  async #follow(since: number): Promise<void> {
    const changes = await this.entities.changesAfter(since, CHANGES_AT_ONCE);
    const changed = new Map<string, EntityKey>();
    for (const { kind, id } of changes) {
      // No evaluation depends on keys.
      if (kind !== "key") changed.set(`${kind} ${id}`, { kind, id });
    }
    const states: EntityState[] = [];
    for (const key of changed.values()) {
      states.push({ ...key, body: (await this.entities.get(key))?.body });
    }
    this.#catalogue.apply(states);
    const last = changes.at(-1);
    if (last === undefined) return;
    if (changed.size > 0) this.#time = Math.max(this.#time + 1, last.time);
    this.#sequence = last.sequence;
  }
}
