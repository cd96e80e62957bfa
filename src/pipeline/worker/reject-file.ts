import { closeSync, fsync, openSync, rmSync, writeSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { REJECT_BUFFER_BYTES } from "../../base/limits.js";
import { type RejectCodeName, rejectCodeName } from "../../base/reject-codes.js";
import type { EventBatch } from "../../batch/event-batch.js";
import type { Source } from "../../readers/source.js";
import { moveDurably } from "../ledger/durable-file.js";
import { type Layout, rejectsNameOf } from "../ledger/layout.js";
import { toOutputError } from "../ledger/output-error.js";
import type { RejectExample, RejectSummary } from "../manifest.js";
import { originOf, RejectCounts } from "./reject-counts.js";
import type { SplitRejects } from "./split-rejects.js";

const fsyncFile = promisify(fsync);

/** One line of a rejects file: enough to find the row, and to read it again. */
export interface RejectLine extends RejectExample {
  readonly code: RejectCodeName;
  /** The row's bytes, where they are UTF-8. */
  readonly raw?: string;
  /** The row's bytes, where they are not. */
  readonly rawBase64?: string;
  /** How `raw` is to be read: the format of one row on its own. */
  readonly format: unknown;
}

/** The rejected rows of one split, in a file of their own; there is none where nothing was rejected. */
export class RejectFile implements SplitRejects {
  readonly #path: string;
  readonly #counts = new RejectCounts();
  #file: number | undefined;
  #lines: string[] = [];
  #bytes = 0;

  constructor(
    private readonly layout: Layout,
    private readonly splitId: string,
  ) {
    this.#path = join(layout.temporaryDirectory, `rejects-${rejectsNameOf(splitId)}`);
  }

  add(source: Source, events: EventBatch, row: number, code: number): void {
    this.keep(source, events, row, code)(events.explain(row));
  }

  keep(source: Source, events: EventBatch, row: number, code: number): (message: string) => void {
    const { raw } = events.batch;
    const sourceRow = events.sourceRow(row);
    const { format, ...place } = originOf(source, raw, sourceRow);
    const text = rawText(raw.bytes(sourceRow));
    return (message) => {
      this.#counts.count(code, { ...place, message });
      const line = {
        ...place,
        code: rejectCodeName(code),
        message,
        ...text,
        format,
      } satisfies RejectLine;
      this.#append(`${JSON.stringify(line)}\n`);
    };
  }

  summary(): readonly RejectSummary[] {
    return this.#counts.summary();
  }

  async commit(): Promise<void> {
    this.#flush();
    if (this.#file === undefined) return;
    try {
      await fsyncFile(this.#file);
      this.#close();
      await mkdir(this.layout.rejectsDirectory, { recursive: true });
      await moveDurably(
        this.#path,
        join(this.layout.rejectsDirectory, rejectsNameOf(this.splitId)),
      );
    } catch (error) {
      throw toOutputError(this.layout.rejectsDirectory, error);
    }
  }

  abort(): void {
    this.#close();
    rmSync(this.#path, { force: true });
  }

  #append(line: string): void {
    this.#lines.push(line);
    this.#bytes += line.length;
    if (this.#bytes >= REJECT_BUFFER_BYTES) this.#flush();
  }

  #flush(): void {
    if (this.#lines.length === 0) return;
    const bytes = Buffer.from(this.#lines.join(""));
    this.#lines = [];
    this.#bytes = 0;
    try {
      this.#file ??= openSync(this.#path, "w");
      for (let start = 0; start < bytes.length; ) start += writeSync(this.#file, bytes, start);
    } catch (error) {
      throw toOutputError(this.#path, error);
    }
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function rawText(bytes: Uint8Array): Pick<RejectLine, "raw" | "rawBase64"> {
  try {
    return { raw: decoder.decode(bytes) };
  } catch {
    return { rawBase64: Buffer.from(bytes).toString("base64") };
  }
}
