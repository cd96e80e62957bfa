import { studentQuantile } from "../../base/student.js";

/** A number of rows in all inputs. */
export interface Figure {
  readonly count: number;
  /** Half of the confidence interval; null if the sample cannot tell it. */
  readonly error: number | null;
}

/** The draws of a class of units. */
export interface ClassSize {
  /** Size of all units. */
  readonly total: number;
  readonly draws: number;
  /** Different units that were drawn. */
  readonly units: number;
  /** Relative error of the sizes of units, for those whose size is estimated. */
  readonly slack: number;
}

/** A class's part of a figure. */
interface Part {
  readonly count: number;
  /** Null for a single unit, which has no differences. */
  readonly variance: number | null;
  readonly freedom: number;
  readonly slack: number;
}

/**
 * The rows of one kind in the drawn units of a class, by their density r = rows / size. The estimate is
 * X · mean(r) over the draws, and its variance is from the differences of successive units:
 * X² / n · Σ (rᵢ − rᵢ₋₁)² / (2 (n − 1)), for n different units. Add units in order; those without rows may
 * be left out.
 */
export class DensityTally {
  #sum = 0;
  #squares = 0;
  #fourth = 0;
  #differences = 0;
  #last = 0;
  /** Index of the next unit. */
  #next = 0;

  /** `index`: among the drawn units of the class. */
  add(index: number, draws: number, density: number): void {
    if (index > this.#next) this.#step(this.#next, 0);
    this.#step(index, density);
    this.#next = index + 1;
    this.#sum += draws * density;
    this.#squares += density ** 2;
    this.#fourth += density ** 4;
  }

  part({ total, draws, units, slack }: ClassSize): Part {
    const differences = this.#differences + (this.#next < units ? this.#last ** 2 : 0);
    // Rows that few units have are less certain than their variance says.
    const effective = this.#fourth === 0 ? 0 : this.#squares ** 2 / this.#fourth;
    return {
      count: (total * this.#sum) / draws,
      variance: units < 2 ? null : (total ** 2 * differences) / (2 * units * (units - 1)),
      freedom: Math.min((2 * (units - 1)) / 3, effective + 1),
      slack,
    };
  }

  #step(index: number, density: number): void {
    if (index > 0) this.#differences += (density - this.#last) ** 2;
    this.#last = density;
  }
}

/**
 * Adds up the parts of a figure, with rows that were all read. The degrees of freedom are Satterthwaite's.
 * `alpha`: the probability that the exact number is beyond the error.
 */
export function figureOf(exact: number, parts: readonly Part[], alpha: number): Figure {
  let [count, variance, spread, slack] = [exact, 0, 0, 0];
  let isKnown = true;
  for (const part of parts) {
    count += part.count;
    slack += part.count * part.slack;
    if (part.variance === null) isKnown = false;
    else if (part.variance > 0) {
      variance += part.variance;
      spread += part.variance ** 2 / part.freedom;
    }
  }
  const deviation =
    variance === 0 ? 0 : studentQuantile(variance ** 2 / spread, alpha) * Math.sqrt(variance);
  return {
    count: Math.round(count),
    error: isKnown ? Math.max(0, Math.ceil(deviation + slack - ROUNDING)) : null,
  };
}

/** Errors of floating-point numbers, which must not become a whole row. */
const ROUNDING = 1e-6;
