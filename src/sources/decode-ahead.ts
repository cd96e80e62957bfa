import { SourceError } from "../base/errors.js";
import { MIB } from "../base/limits.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { type Remote, startThread } from "../base/thread-call.js";
import { Kernel } from "../batch/kernel.js";
import type { ByteSource } from "./byte-source.js";
import { openBytes } from "./open-bytes.js";
import type { OpenAhead, ReaderOptions } from "./read-options.js";
import type { SourceBytes } from "./source.js";

/** Blocks of decompressed bytes that the thread fills before they are read. */
const BLOCKS = 3;
const BLOCK_BYTES = 4 * MIB;

/** A smaller source is decompressed before the thread has started. */
const SOURCE_BYTES_MIN = 1 * MIB;

interface BlockFacts {
  /** Decompressed bytes in the block; 0 at the end. */
  readonly length: number;
  /** Compressed bytes consumed so far. */
  readonly consumed: number;
  /** The error that ends the source, after the bytes of this block. */
  readonly failure?: Pick<SourceError, "code" | "position" | "reason" | "alteredFrom">;
}

type FilledBlock = readonly [block: ArrayBuffer, facts: BlockFacts];

/**
 * Decompresses one source after the other in a thread of its own, ahead of the reader. If a run has
 * fewer splits than threads, a lone compressed file keeps two of them busy.
 */
export class DecodeAhead {
  /** Blocks that no source uses. */
  readonly #blocks = Array.from({ length: BLOCKS }, () => new ArrayBuffer(BLOCK_BYTES));
  #thread: Remote<DecodeServer> | undefined;

  /** `entry`: the file of a thread that serves a `DecodeServer`. */
  constructor(private readonly entry: URL) {}

  /**
   * Opens a source, which is read to its end or closed before the next is opened. Returns undefined for a
   * small one, or if the system refuses a thread.
   */
  readonly open: OpenAhead = (source, { ratioMax }) => {
    if (source.size < SOURCE_BYTES_MIN) return undefined;
    this.#thread ??= startThread<DecodeServer>(this.entry);
    if (this.#thread.death !== undefined) return undefined;
    const { name, path, entry, codecs, size, fingerprint } = source;
    const plain = { name, path, entry, codecs, size, fingerprint };
    return new BlockBytes(this.#thread, this.#blocks, { source: plain, ratioMax });
  };
}

type Opening = Pick<ReaderOptions, "ratioMax"> & { readonly source: SourceBytes };

class BlockBytes implements ByteSource {
  readonly #filled: Promise<FilledBlock>[] = [];
  #consumed = 0;
  /** The block that is being read, and what of it is not read yet. */
  #block: ArrayBuffer | undefined;
  #rest = new Uint8Array();
  #failure: SourceError | undefined;
  #isLast = false;

  /** Takes the blocks; gives them back when it is closed. */
  constructor(
    private readonly thread: Remote<DecodeServer>,
    private readonly blocks: ArrayBuffer[],
    opening: Opening,
  ) {
    // If the thread dies, the first block tells.
    thread.call("open", opening).catch(() => undefined);
    for (const block of blocks.splice(0)) this.#fill(block);
  }

  get consumed(): number {
    return this.#consumed;
  }

  async read(target: Uint8Array): Promise<number> {
    while (this.#rest.length === 0) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isLast) return 0;
      await this.#next();
    }
    const count = Math.min(target.length, this.#rest.length);
    target.set(this.#rest.subarray(0, count));
    this.#rest = this.#rest.subarray(count);
    return count;
  }

  async close(): Promise<void> {
    const filled = await Promise.allSettled(this.#filled);
    for (const one of filled) if (one.status === "fulfilled") this.blocks.push(one.value[0]);
    if (this.#block !== undefined) this.blocks.push(this.#block);
    this.#block = undefined;
    await this.thread.call("close").catch(() => undefined);
  }

  async #next(): Promise<void> {
    if (this.#block !== undefined) this.#fill(this.#block);
    this.#block = undefined;
    const [block, { length, consumed, failure }] = await this.#filled[0]!;
    this.#filled.shift();
    this.#block = block;
    this.#consumed = consumed;
    this.#rest = new Uint8Array(block, 0, length);
    this.#isLast = length === 0 || failure !== undefined;
    if (failure === undefined) return;
    const { code, position, reason, alteredFrom } = failure;
    this.#failure = new SourceError(code, position, reason, { alteredFrom });
  }

  #fill(block: ArrayBuffer): void {
    const filled = this.thread.call("fill", block);
    // It is thrown when the block is read.
    filled.catch(() => undefined);
    this.#filled.push(filled);
  }
}

/** The calls of the thread; each waits for those before it. */
export class DecodeServer {
  readonly #kernel = new Kernel();
  readonly #stop = new AbortController();
  #bytes: ByteSource | undefined;
  #failure: BlockFacts["failure"];
  #last: Promise<unknown> = Promise.resolve();

  open({ source, ratioMax }: Opening): Promise<void> {
    const { signal } = this.#stop;
    return this.#inTurn(async () => {
      this.#failure = undefined;
      this.#bytes = await this.#keepFailure(() =>
        openBytes(source, 0, { ratioMax, signal, kernel: this.#kernel }),
      );
    });
  }

  /** Fills a block as far as there are bytes. */
  fill(block: ArrayBuffer): Promise<FilledBlock> {
    return this.#inTurn(async () => {
      const target = new Uint8Array(block);
      let length = 0;
      await this.#keepFailure(async () => {
        while (length < target.length && this.#bytes !== undefined && this.#failure === undefined) {
          const count = await this.#bytes.read(target.subarray(length));
          if (count === 0) break;
          length += count;
        }
      });
      const consumed = this.#bytes?.consumed ?? 0;
      return [block, { length, consumed, ...omitUndefined({ failure: this.#failure }) }];
    });
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#bytes?.close();
      this.#bytes = undefined;
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #keepFailure<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      const { code, position, alteredFrom } = error;
      this.#failure = { code, position, reason: error.toReason(), alteredFrom };
      return undefined;
    }
  }
}
