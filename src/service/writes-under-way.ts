import type { ReplaceOutcome } from "../storage/store.js";

/**
 * States that are about to be stored, by entity: the next change is made on them without waiting for
 * the disk. The store compares versions, so a change on a state that was not stored in the end is
 * refused and made anew; nothing here decides what is kept.
 */
export class WritesUnderWay<State> {
  readonly #states = new Map<string, State>();

  get(name: string): State | undefined {
    return this.#states.get(name);
  }

  /** Holds `state` until its write has come to an end. */
  add(name: string, state: State, outcome: Promise<ReplaceOutcome>): void {
    this.#states.set(name, state);
    outcome.then(
      (result) => {
        if (result !== "replaced") this.#states.delete(name);
        else if (this.#states.get(name) === state) this.#states.delete(name);
      },
      // What follows stands on this write: it begins again from what is stored.
      () => this.#states.delete(name),
    );
  }
}
