import type { Batch } from "../batch/batch.js";
import type { ReadDigest } from "../sources/digested-bytes.js";
import type { Source } from "../sources/source.js";
import type { MisplacedCommas, Reader, ReaderNotices } from "./reader.js";

/** A reader that changes the batches of another one, which it closes. */
export abstract class WrappedReader implements Reader {
  source?: Source;
  readonly digest?: () => ReadDigest;

  constructor(protected readonly reader: Reader) {
    const { digest } = reader;
    if (digest !== undefined) this.digest = digest;
  }

  abstract next(): Promise<Batch | null>;

  get consumed(): number {
    return this.reader.consumed;
  }

  get misplacedCommas(): MisplacedCommas | undefined {
    return this.reader.misplacedCommas;
  }

  get notices(): ReaderNotices {
    return this.reader.notices ?? {};
  }

  close(): Promise<void> {
    return this.reader.close();
  }
}
