import type { GivenFormat } from "./detect-format.js";
import type { Discovery } from "./discovery.js";
import type { InputFile } from "./inputs.js";

/** What a scout is started with: all that it needs to know beside the files. */
export interface ScoutTask {
  readonly given: GivenFormat;
  /** As in `ReaderOptions`. */
  readonly ratioMax: number;
}

/** One after the other; each is answered with a `FromScout`, in the same order. */
export type ToScout = readonly InputFile[];

export type FromScout = Discovery;
