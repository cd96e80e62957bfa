import { isUtf8 } from "node:buffer";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { moveDurably, syncFile } from "../../base/durable-file.js";
import { REJECT_BUFFER_BYTES } from "../../base/limits.js";
import { toOutputError } from "../../base/output-error.js";
import { rejectCodeName } from "../../base/reject-codes.js";
import type { RowOrigin } from "../../batch/batch.js";
import type { EventBatch } from "../../batch/event-batch.js";
import type { Kernel } from "../../batch/kernel.js";
import type { RejectSummary } from "../../ledger/manifest.js";
import { type Layout, rejectsNameOf } from "../../output/layout.js";
import type { Source } from "../../sources/source.js";
import { originOf, RejectCounts } from "./reject-counts.js";
import type { SplitRejects } from "./split-rejects.js";

/** Writes the rejected rows of one split to a file; without rejects there is no file. */
export class RejectFile implements SplitRejects {
  readonly #path: string;
  readonly #counts = new RejectCounts();
  #file: number | undefined;
  #lines: RejectLines | undefined;
  readonly #source = new LastJson();
  readonly #format = new LastJson();

  constructor(
    private readonly kernel: Kernel,
    private readonly layout: Layout,
    private readonly splitId: string,
  ) {
    this.#path = join(layout.temporaryDirectory, `rejects-${rejectsNameOf(splitId)}`);
  }

  add(source: Source, events: EventBatch, row: number, code: number): void {
    const { raw } = events.batch;
    const sourceRow = events.sourceRow(row);
    // Before `raw.bytes`: an allocation may move kernel memory and leave the view behind.
    const lines = this.#openLines();
    const origin = originOf(source, raw, sourceRow);
    this.#append(lines, code, origin, events.explain(row), raw.bytes(sourceRow));
  }

  keep(source: Source, events: EventBatch, row: number, code: number): (message: string) => void {
    const { raw } = events.batch;
    const sourceRow = events.sourceRow(row);
    const origin = originOf(source, raw, sourceRow);
    const bytes = raw.bytes(sourceRow).slice();
    return (message) => this.#append(this.#openLines(), code, origin, message, bytes);
  }

  summary(): readonly RejectSummary[] {
    return this.#counts.summary();
  }

  async commit(): Promise<void> {
    this.#lines?.flush();
    if (this.#file === undefined) return;
    try {
      this.#close();
      await syncFile(this.#path);
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

  /**
   * Appends a line: the position of the row, code and message, its bytes (`raw` if they are UTF-8, else
   * `rawBase64`), and the format to read them again.
   */
  #append(
    lines: RejectLines,
    code: number,
    origin: RowOrigin,
    message: string,
    raw: Uint8Array,
  ): void {
    this.#counts.count(code, origin, message);
    const isText = isUtf8(raw);
    const { row, byte, element } = origin;
    const words = JSON.stringify(message);
    lines.addText(
      `{"source":${this.#source.textOf(origin.source)}` +
        (row === undefined ? "" : `,"row":${row}`) +
        (byte === undefined ? "" : `,"byte":${byte}`) +
        (element === undefined ? "" : `,"element":"${element}"`) +
        `,"code":"${rejectCodeName(code)}","message":${words},"${isText ? "raw" : "rawBase64"}":"`,
    );
    if (isText) lines.addEscaped(raw);
    else lines.addText(Buffer.from(raw).toString("base64"));
    lines.addText(`","format":${this.#format.textOf(origin.format)}}\n`);
  }

  #openLines(): RejectLines {
    this.#lines ??= new RejectLines(this.kernel, (bytes) => this.#write(bytes));
    return this.#lines;
  }

  #write(bytes: Uint8Array): void {
    try {
      this.#file ??= openSync(this.#path, "w");
      for (let start = 0; start < bytes.length; ) start += writeSync(this.#file, bytes, start);
    } catch (error) {
      throw toOutputError(this.#path, error);
    }
  }

  #close(): void {
    this.#lines?.free();
    this.#lines = undefined;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/**
 * Caches the JSON of the last value: values mostly repeat, and a format can name thousands of
 * columns.
 */
class LastJson {
  #value: unknown = null;
  #text = "null";

  textOf(value: unknown): string {
    if (this.#value !== value) {
      this.#value = value;
      this.#text = JSON.stringify(value);
    }
    return this.#text;
  }
}

/** Most bytes that `escapeString` writes for one byte, and its overrun after the last one. */
const ESCAPED_BYTES_MAX = 6;
const LOOSE_BYTES = 16;
/** Most bytes of UTF-8 that one UTF-16 unit becomes. */
const ENCODED_BYTES_MAX = 3;
/** Bytes of a row that are escaped at a time; most rows are shorter. */
const PIECE_BYTES = 16_384;

/**
 * Gathers text for a file in kernel memory. Escaping and joining JavaScript strings and encoding
 * them again took 21 µs for a reject of 1.3 KB instead of 8.
 */
class RejectLines {
  readonly #address: number;
  readonly #piece: number;
  #length = 0;

  /** `write` receives the gathered bytes in pieces; they are valid until it returns. */
  constructor(
    private readonly kernel: Kernel,
    private readonly write: (bytes: Uint8Array) => void,
  ) {
    this.#address = kernel.allocate(REJECT_BUFFER_BYTES);
    this.#piece = kernel.allocate(PIECE_BYTES);
  }

  addText(text: string): void {
    const bytesMax = text.length * ENCODED_BYTES_MAX;
    if (bytesMax > REJECT_BUFFER_BYTES) {
      this.flush();
      this.write(encoder.encode(text));
      return;
    }
    this.#makeRoom(bytesMax);
    const top = this.#address + this.#length;
    const room = this.kernel.bytes.subarray(top, top + bytesMax);
    this.#length += encoder.encodeInto(text, room).written;
  }

  /**
   * Adds the inside of a JSON string, as `JSON.stringify` writes it. `utf8` may be in kernel
   * memory.
   */
  addEscaped(utf8: Uint8Array): void {
    const { kernel } = this;
    for (let start = 0; start < utf8.length; start += PIECE_BYTES) {
      const piece = utf8.subarray(start, start + PIECE_BYTES);
      this.#makeRoom(piece.length * ESCAPED_BYTES_MAX + LOOSE_BYTES);
      kernel.bytes.set(piece, this.#piece);
      const top = this.#address + this.#length;
      this.#length = kernel.run.escapeString(this.#piece, piece.length, top) - this.#address;
    }
  }

  flush(): void {
    if (this.#length === 0) return;
    const end = this.#address + this.#length;
    this.#length = 0;
    this.write(this.kernel.bytes.subarray(this.#address, end));
  }

  free(): void {
    this.kernel.free(this.#address);
    this.kernel.free(this.#piece);
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes > REJECT_BUFFER_BYTES) this.flush();
  }
}

const encoder = new TextEncoder();
