import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { REJECT_BUFFER_BYTES } from "../base/limits.js";
import { type RejectCodeName, rejectCodeName } from "../base/reject-codes.js";
import type { RawRows, RowOrigin } from "../batch/batch.js";
import type { EventBatch } from "../batch/event-batch.js";
import type { Format, Source } from "../readers/source.js";
import { moveDurably } from "./durable-file.js";
import { type Layout, rejectsNameOf } from "./layout.js";
import type { RejectExample, RejectSummary } from "./manifest.js";
import { toOutputError } from "./output-error.js";

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

/**
 * The rejects of one split: lines in a temporary file, counts and one example for each code. Memory
 * does not grow with their number. Nothing is visible before `commit`.
 */
export class SplitRejects {
  readonly #path: string;
  #file: number | undefined;
  #lines: string[] = [];
  #bytes = 0;
  readonly #summaries = new Map<number, { rows: number; readonly example: RejectExample }>();

  constructor(
    private readonly layout: Layout,
    private readonly splitId: string,
  ) {
    this.#path = join(layout.temporaryDirectory, `rejects-${rejectsNameOf(splitId)}`);
  }

  /** Takes row `row` of `events`, which was rejected with `code`. */
  add(source: Source, events: EventBatch, row: number, code: number): void {
    this.keep(source, events, row, code)(events.explain(row));
  }

  /** Keeps the row beyond the life of its batch: it is taken once the result is called with a message. */
  keep(source: Source, events: EventBatch, row: number, code: number): (message: string) => void {
    const raw = events.batch.raw;
    const sourceRow = events.sourceRow(row);
    const { format, ...place } = raw.origin?.(sourceRow) ?? originIn(source, raw, sourceRow);
    const text = rawText(raw.bytes(sourceRow));
    return (message) => {
      this.#count(code, { ...place, message });
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

  /** By code, in the order of the codes' numbers. */
  summary(): readonly RejectSummary[] {
    return [...this.#summaries]
      .sort(([a], [b]) => a - b)
      .map(([code, { rows, example }]) => ({ code: rejectCodeName(code), rows, example }));
  }

  /** Makes the file durable and visible; there is none where nothing was rejected. */
  async commit(): Promise<void> {
    this.#flush();
    if (this.#file === undefined) return;
    try {
      fsyncSync(this.#file);
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

  #count(code: number, example: RejectExample): void {
    const summary = this.#summaries.get(code);
    if (summary === undefined) this.#summaries.set(code, { rows: 1, example });
    else summary.rows++;
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

function originIn(source: Source, raw: RawRows, row: number): RowOrigin {
  const number = raw.number(row);
  const byte = raw.offset(row);
  return {
    source: source.name,
    ...(number === undefined ? {} : { row: number }),
    ...(byte === undefined ? {} : { byte }),
    format: rowFormat(source.format),
  };
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function rawText(bytes: Uint8Array): Pick<RejectLine, "raw" | "rawBase64"> {
  try {
    return { raw: decoder.decode(bytes) };
  } catch {
    return { rawBase64: Buffer.from(bytes).toString("base64") };
  }
}

/** A row of Parquet is kept as JSON, a row of CSV comes without the header of its file. */
function rowFormat(format: Format): Format {
  switch (format.kind) {
    case "csv":
      return { ...format, header: false };
    case "parquet":
      return { kind: "ndjson" };
    case "ndjson":
    case "json":
    case "rejects":
      return format;
  }
}
