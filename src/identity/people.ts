import { levels } from "./link-file.js";
import { evidences } from "./link-rules.js";
import { TextIndex } from "./text-index.js";

/** The results of `People.userOf` that are not the number of an id. */
export const NOBODY = -1;
export const SEVERAL = -2;

const MAX_MS = Number.POSITIVE_INFINITY;

/**
 * The ids that statements about two ids name, and who of them is one person: a union of sets in the order of
 * time, then of the ids. Of two united ids, the user that is named last stands for both, unless only the
 * other one is known as a user. Memory: about 80 bytes and the text of each id, and 24 for each link.
 */
export class People {
  readonly ids = new TextIndex();
  #parents = new Int32Array(1024);
  #levels = new Uint8Array(1024);
  /** The user that the devices of a set were seen with, for a set without a user. */
  #seen = new Int32Array(1024);
  /** The earliest time, and its evidence, of the links of each id. */
  #times = new Float64Array(1024);
  #evidences = new Uint8Array(1024);
  readonly #statements = new LinkList();
  readonly #sightings = new LinkList();
  #count = 0;
  #isSettled = false;

  get memoryBytes(): number {
    return (
      this.ids.memoryBytes +
      18 * this.#parents.length +
      this.#statements.memoryBytes +
      this.#sightings.memoryBytes
    );
  }

  /** Links two ids by a statement that they are one person. */
  unite(from: Uint8Array, to: Uint8Array, timeMs: number, evidence: number): void {
    const [one, other] = [this.#add(from), this.#add(to)];
    this.#note(one, timeMs, evidence);
    this.#note(other, timeMs, evidence);
    this.#statements.add(one, other, timeMs);
  }

  /** Adds a user that an id was seen with, which counts if no statement gives it one. */
  see(from: Uint8Array, user: Uint8Array, timeMs: number, evidence: number): void {
    const id = this.#add(from);
    this.#note(id, timeMs, evidence);
    this.#sightings.add(id, this.#add(user), timeMs);
  }

  /** Raises the level of an id, if it is one of these. */
  raise(id: Uint8Array, level: number): void {
    const number = this.ids.find(id);
    if (number >= 0 && level > this.#levels[number]!) this.#levels[number] = level;
  }

  /** Unites all ids. Call it once, after all links and levels are known. */
  settle(): void {
    for (const link of this.#inOrder(this.#statements)) {
      const from = this.#find(this.#statements.from(link));
      const to = this.#find(this.#statements.to(link));
      if (from === to) continue;
      const fromStays = this.#levels[from]! > this.#levels[to]!;
      this.#parents[fromStays ? to : from] = fromStays ? from : to;
    }
    for (let link = 0; link < this.#sightings.size; link++) {
      const set = this.#find(this.#sightings.from(link));
      const user = this.#find(this.#sightings.to(link));
      if (set === user || this.#levels[set]! >= levels.user) continue;
      const known = this.#seen[set]!;
      this.#seen[set] = known === NOBODY || known === user ? user : SEVERAL;
    }
    this.#isSettled = true;
  }

  /** Returns the number of the user of an id; `NOBODY`, or `SEVERAL` for an id of several people. */
  userOf(number: number): number {
    if (!this.#isSettled) throw new Error("people are not settled");
    const set = this.#find(number);
    if (this.#levels[set]! >= levels.user) return set;
    const seen = this.#seen[set]!;
    if (seen === NOBODY) return this.#levels[set]! >= levels.named ? set : NOBODY;
    return seen === SEVERAL ? SEVERAL : this.#find(seen);
  }

  /** Returns the earliest time of the links of an id, and the index of its evidence. */
  firstOf(number: number): readonly [timeMs: number, evidence: number] {
    return [this.#times[number]!, this.#evidences[number]!];
  }

  #add(id: Uint8Array): number {
    const number = this.ids.add(id);
    if (number < this.#count) return number;
    this.#count++;
    if (number === this.#parents.length) this.#grow();
    this.#parents[number] = number;
    this.#seen[number] = NOBODY;
    this.#times[number] = MAX_MS;
    this.#evidences[number] = evidences.length;
    return number;
  }

  #note(id: number, timeMs: number, evidence: number): void {
    const [known, by] = [this.#times[id]!, this.#evidences[id]!];
    if (timeMs > known || (timeMs === known && evidence >= by)) return;
    this.#times[id] = timeMs;
    this.#evidences[id] = evidence;
  }

  #find(id: number): number {
    const parents = this.#parents;
    let root = id;
    while (parents[root] !== root) root = parents[root]!;
    for (let at = id; parents[at] !== root; ) {
      const next = parents[at]!;
      parents[at] = root;
      at = next;
    }
    return root;
  }

  /** Returns the indexes of links by time, then by ids. */
  #inOrder(links: LinkList): Uint32Array {
    const { ids } = this;
    const compare = (one: number, other: number) => Buffer.compare(ids.text(one), ids.text(other));
    return Uint32Array.from({ length: links.size }, (_, index) => index).sort(
      (a, b) =>
        links.time(a) - links.time(b) ||
        compare(links.from(a), links.from(b)) ||
        compare(links.to(a), links.to(b)),
    );
  }

  #grow(): void {
    const length = 2 * this.#parents.length;
    const grown = <List extends Int32Array | Uint8Array | Float64Array>(next: List, old: List) => {
      next.set(old as never);
      return next;
    };
    this.#parents = grown(new Int32Array(length), this.#parents);
    this.#levels = grown(new Uint8Array(length), this.#levels);
    this.#seen = grown(new Int32Array(length), this.#seen);
    this.#times = grown(new Float64Array(length), this.#times);
    this.#evidences = grown(new Uint8Array(length), this.#evidences);
  }
}

/** Links between numbers of ids. */
class LinkList {
  size = 0;
  #ids = new Uint32Array(1024);
  #times = new Float64Array(512);

  get memoryBytes(): number {
    return this.#ids.byteLength + this.#times.byteLength;
  }

  add(from: number, to: number, timeMs: number): void {
    if (this.size === this.#times.length) {
      const [ids, times] = [this.#ids, this.#times];
      this.#ids = new Uint32Array(2 * ids.length);
      this.#ids.set(ids);
      this.#times = new Float64Array(2 * times.length);
      this.#times.set(times);
    }
    this.#ids[2 * this.size] = from;
    this.#ids[2 * this.size + 1] = to;
    this.#times[this.size++] = timeMs;
  }

  from(link: number): number {
    return this.#ids[2 * link]!;
  }

  to(link: number): number {
    return this.#ids[2 * link + 1]!;
  }

  time(link: number): number {
    return this.#times[link]!;
  }
}
