/** Something in kernel memory that can be used again. */
export interface Spare {
  free(): void;
}

/**
 * What costs much to set up and has no user at present: who is done with it leaves it to the next one
 * that needs the same. To set everything up anew took 0.1 ms for each JSON source. One of each class
 * is kept; its owner lets go of it with `keep`.
 */
export class Spares {
  readonly #kept = new Map<unknown, Spare>();

  /** The one of a class that was left, for the caller alone. What does not fit is freed. */
  take<Left extends Spare>(
    kind: abstract new (...parameters: never[]) => Left,
    fits: (left: Left) => boolean,
  ): Left | undefined {
    const left = this.#kept.get(kind) as Left | undefined;
    if (left === undefined) return undefined;
    this.#kept.delete(kind);
    if (fits(left)) return left;
    left.free();
    return undefined;
  }

  /** Takes over what `take` with its class is to give out. */
  keep(spare: Spare): void {
    const kind = spare.constructor;
    this.#kept.get(kind)?.free();
    this.#kept.set(kind, spare);
  }
}
