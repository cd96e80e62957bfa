import { corrupt, truncated } from "./source-errors.js";

/** What is decoded as zlib does it. `deflate` is the bare stream of a zip entry. */
export type ZlibCodec = "gzip" | "deflate" | "brotli";

/**
 * The compressed bytes end too early, are not what the codec says (what the decoder gave out last
 * may be missing), or are followed by something else.
 */
export class ZlibFailure extends Error {
  constructor(
    readonly kind: "truncated" | "corrupt" | "trailing",
    detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}

/** The failure as an error of its source. `byte`: decompressed bytes before it. */
export function describeFailure(
  source: string,
  codec: ZlibCodec,
  failure: ZlibFailure,
  byte: number,
): Error {
  const facts = { byte, cause: failure };
  const what = `the ${codec} data`;
  switch (failure.kind) {
    case "truncated":
      return truncated(source, what, facts);
    case "corrupt":
      return corrupt(source, `${what} is damaged (${failure.message})`, facts);
    case "trailing":
      return corrupt(source, `other bytes follow after the end of ${what}`, facts);
  }
}
