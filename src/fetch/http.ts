/** A request to a vendor. */
export interface VendorRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  /** With the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer, of which the body is still to be read. The body is as it came, without any decoding. */
export interface VendorAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Throws if the connection ends before the body does. Must be read to its end, or left. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends a request once. Throws an `Error` if there is no answer. Redirects are answers. */
export type Send = (request: VendorRequest, signal: AbortSignal) => Promise<VendorAnswer>;

/** Characters of a vendor's refusal that messages have. */
const WORDS_MAX = 300;

/**
 * Returns the first words of a body on one line, and without what looks like markup. `mask` gets all that was
 * read: half of a key would not be found.
 */
export async function wordsOf(
  { body }: VendorAnswer,
  mask: (text: string) => string,
): Promise<string> {
  let text = "";
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString("utf8");
    if (text.length > 8 * WORDS_MAX) break;
  }
  const words = mask(text)
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return words.length > WORDS_MAX ? `${words.slice(0, WORDS_MAX)}…` : words;
}
