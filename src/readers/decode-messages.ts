import type { SourceError } from "../base/errors.js";
import type { SourceBytes } from "./source.js";

/** What the thread decodes: a whole source. */
export interface DecodeTask {
  readonly source: SourceBytes;
  readonly ratioMax: number;
}

/** What it answers: chunks in their order, then the end or what broke the source. */
export type FromDecoder =
  | {
      readonly kind: "chunk";
      readonly buffer: ArrayBuffer;
      readonly length: number;
      /** Compressed bytes consumed so far. */
      readonly consumed: number;
    }
  | { readonly kind: "end"; readonly consumed: number }
  | { readonly kind: "broken"; readonly error: Pick<SourceError, "code" | "place" | "reason"> };
