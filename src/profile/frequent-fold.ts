import { Registers } from "./registers.js";
import type { Estimate } from "./report.js";
import type { FrequentText, SplitFrequent } from "./split-profile.js";

const REGISTERS = 256;

/** A text over all splits. */
export interface FoldedText {
  readonly text: string;
  readonly length: number;
  rows: number;
  others: Registers | undefined;
}

/**
 * Adds up the most frequent texts of splits, within the same number of texts (Agarwal et al., "Mergeable
 * summaries", 2012). To be added in the order of the splits: what is taken from whom depends on it.
 */
export class FrequentFold {
  readonly #texts = new Map<number, FoldedText>();
  #taken = 0;
  #registers: Registers | undefined;

  constructor(private readonly textsMax: number) {}

  /** Rows that a text can have beside those that it says, or that a missing one can have. */
  get taken(): number {
    return this.#taken;
  }

  add({ entries, taken, registers }: SplitFrequent): void {
    this.#taken += taken;
    if (registers !== undefined) this.#saturate().merge(registers);
    for (const entry of entries) this.#addText(entry);
    if (this.#texts.size > this.textsMax) this.#cut();
  }

  /** How many distinct texts there are: exact as long as nothing was taken. */
  distinct(): Estimate {
    if (this.#taken === 0) return { count: this.#texts.size, error: 0 };
    return this.#saturate().estimate();
  }

  /** Most frequent first. */
  top(count: number): readonly FoldedText[] {
    return [...this.#texts.values()]
      .sort((a, b) => b.rows - a.rows || (a.text < b.text ? -1 : 1))
      .slice(0, count);
  }

  #addText({ hash, rows, text, length, others }: FrequentText): void {
    this.#registers?.add(hash);
    const known = this.#texts.get(hash);
    if (known === undefined) {
      const registers = others === undefined ? undefined : new Registers(64, others);
      this.#texts.set(hash, { text, length, rows, others: registers });
      return;
    }
    known.rows += rows;
    if (others !== undefined) known.others?.merge(others);
  }

  /** Takes the rows of the most frequent text that finds no place from all. */
  #cut(): void {
    this.#saturate();
    const rows = [...this.#texts.values()].map((one) => one.rows).sort((a, b) => b - a);
    const least = rows[this.textsMax] as number;
    this.#taken += least;
    for (const [hash, text] of this.#texts) {
      text.rows -= least;
      if (text.rows <= 0) this.#texts.delete(hash);
    }
  }

  #saturate(): Registers {
    if (this.#registers !== undefined) return this.#registers;
    const registers = new Registers(REGISTERS);
    for (const hash of this.#texts.keys()) registers.add(hash);
    this.#registers = registers;
    return registers;
  }
}
