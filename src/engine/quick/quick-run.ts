import type { QuickLimits } from "../../options/options.js";
import type { Plan } from "../../plan/plan.js";
import { inputReading } from "../../run/run-inputs.js";
import type { InputReading } from "../../run/run-spec.js";
import type { Source } from "../../sources/source.js";
import { QuickFold } from "./quick-fold.js";
import { drawQuickSample, type QuickSample } from "./quick-sample.js";
import type { SampleTools } from "./unit-kinds.js";

/** The sample of a quick dry run, from the discovery of its sources to its estimates. */
export class QuickRun {
  #sample: QuickSample | undefined;

  constructor(
    private readonly limits: QuickLimits,
    private readonly tools: SampleTools,
  ) {}

  /** Cuts the inputs: each drawn part is a split of its own. */
  readonly reading: Pick<InputReading, "planRanges" | "isAlone"> = {
    planRanges: async (source, splitBytes, options) =>
      this.#drawn().rangesOf(source) ?? inputReading.planRanges(source, splitBytes, options),
    isAlone: (range) => this.#drawn().unitOf(range) !== undefined,
  };

  async draw(sources: readonly Source[]): Promise<void> {
    this.#sample = await drawQuickSample(sources, this.limits, this.tools);
  }

  /** Returns the share of `bytes`, those of all sources, that is read. */
  shareOf(bytes: number): number {
    return this.#drawn().shareOf(bytes);
  }

  /** Returns what estimates the rows of all inputs from the splits of a plan. */
  fold(plan: Plan): QuickFold {
    return new QuickFold(this.#drawn(), plan);
  }

  #drawn(): QuickSample {
    if (this.#sample === undefined) throw new Error("a sample is used before it is drawn");
    return this.#sample;
  }
}
