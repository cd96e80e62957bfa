import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SourceError } from "../../src/base/errors.js";
import { BATCH_ROWS_MAX, MIB } from "../../src/base/limits.js";
import { rejectCodes } from "../../src/base/reject-codes.js";
import type { Batch } from "../../src/batch/batch.js";
import type { Kernel } from "../../src/batch/kernel.js";
import type { Reader } from "../../src/readers/reader.js";
import type { ByteSource } from "../../src/sources/byte-source.js";
import { usedKernel } from "../support/used-kernel.js";

/** A source and the rows that are in it: for each row the text of each requested field. */
export interface Sample {
  readonly content: Uint8Array;
  readonly rows: readonly (readonly (string | null)[])[];
}

export interface ReaderInput {
  readonly kernel: Kernel;
  /** The whole source. Formats that are read as a stream take `openBytes` instead. */
  readonly content: Uint8Array;
  /** Opens the source from an offset on, delivered and broken as the test wants it. */
  readonly openBytes: (start: number) => ByteSource;
  readonly start: number;
  readonly end: number | null;
  readonly rowBytesMax: number;
  /** Bytes of the window before long rows grow it; undefined is the reader's own. */
  readonly windowBytes: number | undefined;
  readonly signal: AbortSignal;
}

/** A reader under test. Everything is asked in the same fields, form `text`. */
export interface ReaderSubject {
  readonly name: string;
  readonly open: (input: ReaderInput) => Reader | Promise<Reader>;
  /** A well-formed source with one row for each number, of that many bytes or a few more. */
  readonly make: (rowBytes: readonly number[]) => Sample | Promise<Sample>;
  /** Cases of formats that are read as a stream; absent for others. */
  readonly stream?: {
    /** Matches exactly what may stand between two rows, before the first and after the last. */
    readonly gap: RegExp;
    /** Bytes before the first row that `gap` does not match: a header. */
    readonly headBytes: (sample: Sample) => number;
    /** True if a source that is cut off behind its head may end in a SourceError. */
    readonly mayEndInError: boolean;
  };
  /** Ranges of about `splitBytes` that cover the source, for formats that can be split. */
  readonly plan?: (
    content: Uint8Array,
    splitBytes: number,
  ) => Promise<readonly { readonly start: number; readonly end: number | null }[]>;
}

export interface PlainRow {
  readonly number: number | undefined;
  readonly offset: number | undefined;
  readonly fault: number;
  readonly cells: readonly (string | null)[];
  readonly raw: string;
}

/** The rows of a batch as plain values, raw bytes as binary text. */
export function renderBatch(batch: Batch): PlainRow[] {
  return Array.from({ length: batch.rows }, (_, row) => ({
    number: batch.raw.number(row),
    offset: batch.raw.offset(row),
    fault: batch.kernel.bytes[batch.faults + row] ?? -1,
    cells: batch.columns.map((column) => column.text(row) ?? null),
    raw: Buffer.from(batch.raw.bytes(row)).toString("latin1"),
  }));
}

/** The arrival of a source's bytes: chunk sizes in turn, and the place where it breaks. */
export interface Delivery {
  readonly chunks?: readonly number[];
  readonly failAt?: number;
  readonly failure?: Error;
}

/** Bytes in memory as a source; every second read is asynchronous. */
export function deliverBytes(content: Uint8Array, start: number, delivery: Delivery): ByteSource {
  const { chunks = [MIB], failAt = Number.POSITIVE_INFINITY, failure } = delivery;
  let offset = start;
  let reads = 0;
  const read = (target: Uint8Array): number => {
    const chunk = chunks[reads % chunks.length] ?? 1;
    const end = Math.min(content.length, failAt, offset + Math.min(chunk, target.length));
    if (end === offset && failure !== undefined && offset >= failAt) throw failure;
    target.set(content.subarray(offset, end));
    const count = end - offset;
    offset = end;
    return count;
  };
  return {
    get consumed() {
      return offset - start;
    },
    read(target) {
      reads++;
      return reads % 2 === 0 ? read(target) : Promise.resolve().then(() => read(target));
    },
    close: async () => {},
  };
}

interface Run {
  readonly content: Uint8Array;
  readonly delivery?: Delivery;
  readonly start?: number;
  readonly end?: number | null;
  readonly rowBytesMax?: number;
  readonly windowBytes?: number | undefined;
  readonly signal?: AbortSignal;
}

interface Outcome {
  readonly rows: readonly PlainRow[];
  readonly batchRows: readonly number[];
  readonly error: unknown;
}

/** Checks everything that every reader must do, whatever its format. */
export function describeReader(subject: ReaderSubject): void {
  const kernel = usedKernel();

  const open = async (run: Run): Promise<Reader> =>
    subject.open({
      kernel,
      content: run.content,
      openBytes: (start) => deliverBytes(run.content, start, run.delivery ?? {}),
      start: run.start ?? 0,
      end: run.end ?? null,
      rowBytesMax: run.rowBytesMax ?? MIB,
      windowBytes: run.windowBytes,
      signal: run.signal ?? new AbortController().signal,
    });

  const read = async (run: Run): Promise<Outcome> => {
    const rows: PlainRow[] = [];
    const batchRows: number[] = [];
    let error: unknown;
    let reader: Reader | undefined;
    try {
      reader = await open(run);
      for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
        rows.push(...renderBatch(batch));
        batchRows.push(batch.rows);
      }
    } catch (thrown) {
      error = thrown;
    }
    await reader?.close();
    return { rows, batchRows, error };
  };

  const readAll = async (run: Run): Promise<readonly PlainRow[]> => {
    const { rows, error } = await read(run);
    if (error !== undefined) throw error;
    return rows;
  };

  describe(`${subject.name} as a reader`, () => {
    test("gives every row with its cells, its number and no fault", async () => {
      const { content, rows } = await subject.make([40, 90, 60, 200, 40]);
      const read = await readAll({ content });
      expect(read.map(({ cells }) => cells)).toEqual(rows);
      expect(read.map(({ fault }) => fault)).toEqual(rows.map(() => 0));
      expect(read.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
    });

    test("gives nothing for a source without rows", async () => {
      const { content } = await subject.make([]);
      expect(await readAll({ content })).toEqual([]);
    });

    test("fills batches to their maximum and continues in the next one", async () => {
      const { content, rows } = await subject.make(new Array(BATCH_ROWS_MAX + 1).fill(0));
      const full = await subject.make(new Array(BATCH_ROWS_MAX).fill(0));
      const windowBytes = 2 * content.length + 1_000;
      const more = await read({ content, windowBytes });
      expect(more.batchRows).toEqual([BATCH_ROWS_MAX, 1]);
      expect(more.rows.map(({ cells }) => cells)).toEqual(rows);
      expect(more.rows.at(-1)?.number).toBe(BATCH_ROWS_MAX + 1);
      expect((await read({ content: full.content, windowBytes })).batchRows).toEqual([
        BATCH_ROWS_MAX,
      ]);
    });

    test("stops with the signal's reason, before the first batch and between batches", async () => {
      const { content } = await subject.make(new Array(BATCH_ROWS_MAX + 1).fill(0));
      const reason = new Error("stopped by the test");
      const before = await read({ content, signal: AbortSignal.abort(reason) });
      expect(before).toEqual({ rows: [], batchRows: [], error: reason });
      const controller = new AbortController();
      const reader = await open({ content, signal: controller.signal });
      expect(await reader.next()).not.toBeNull();
      controller.abort(reason);
      await expect(reader.next()).rejects.toBe(reason);
      await reader.close();
    });

    test("gives all its memory back when it is closed", async () => {
      const { content } = await subject.make([40, 5_000, 40]);
      const run = { content, windowBytes: 512 };
      await read(run);
      await read(run);
      const before = kernel.memory.buffer.byteLength;
      for (let round = 0; round < 50; round++) await read(run);
      expect(kernel.memory.buffer.byteLength).toBe(before);
    });
  });

  if (subject.stream !== undefined) describeStream(subject, subject.stream, { read, readAll });
  if (subject.plan !== undefined) describeSplits(subject, subject.plan, readAll);
}

interface Reading {
  readonly read: (run: Run) => Promise<Outcome>;
  readonly readAll: (run: Run) => Promise<readonly PlainRow[]>;
}

function describeStream(
  subject: ReaderSubject,
  stream: NonNullable<ReaderSubject["stream"]>,
  { read, readAll }: Reading,
): void {
  const small = () => subject.make([40, 90, 0, 200, 60, 40]);

  describe(`${subject.name} as a stream`, () => {
    test("gives no rows for an empty source", async () => {
      expect(await readAll({ content: new Uint8Array() })).toEqual([]);
    });

    test("does not depend on the chunks that the bytes arrive in", async () => {
      const { content } = await small();
      const whole = await readAll({ content });
      expect(await readAll({ content, delivery: { chunks: [1] } })).toEqual(whole);
      const chunks = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(chunks, fc.integer({ min: 1, max: 400 }), async (sizes, windowBytes) => {
          const delivery = { chunks: sizes };
          expect(await readAll({ content, delivery, windowBytes })).toEqual(whole);
        }),
      );
    });

    test("finds rows wherever the window's end falls, and grows it for long ones", async () => {
      const { content } = await subject.make([40, 90, 3_000, 60, 40, 700, 40]);
      const whole = await readAll({ content });
      for (let windowBytes = 1; windowBytes < 300; windowBytes++) {
        expect(await readAll({ content, windowBytes }), `${windowBytes} bytes`).toEqual(whole);
      }
    });

    test("rejects rows beyond the limit, keeps their first bytes and reads on", async () => {
      const { content, rows } = await subject.make([60, 1_300, 60, 50_000, 5_000, 60]);
      for (const windowBytes of [1, 100, 1_000, 1_200, 8_000, undefined]) {
        const read = await readAll({ content, windowBytes, rowBytesMax: 1_000 });
        const long = rejectCodes.row_too_long;
        expect(read.map(({ fault }) => fault)).toEqual([0, long, 0, long, long, 0]);
        read.forEach(({ cells, raw, offset = -1, fault }, index) => {
          expect(cells).toEqual(fault === 0 ? rows[index] : cells.map(() => null));
          if (fault !== 0) expect(raw.length).toBeGreaterThanOrEqual(1_000);
          const place = content.subarray(offset, offset + raw.length);
          expect(raw).toBe(Buffer.from(place).toString("latin1"));
        });
      }
    });

    test("accounts for every byte of a source that is cut off anywhere", async () => {
      const sample = await small();
      const headBytes = stream.headBytes(sample);
      for (let length = 0; length <= sample.content.length; length++) {
        const content = sample.content.subarray(0, length);
        const { rows, error } = await read({ content, windowBytes: 128 });
        if (error !== undefined) {
          if (!stream.mayEndInError && length >= headBytes) throw error;
          expect(error).toBeInstanceOf(SourceError);
        }
        if (length < headBytes) continue;
        const gaps = gapsBetween(rows, content, headBytes);
        if (error !== undefined) gaps.pop();
        for (const gap of gaps) expect(gap, `cut after ${length} bytes`).toMatch(stream.gap);
      }
    });

    test("gives all whole rows before a break, then the source's own error", async () => {
      const { content } = await small();
      const whole = await readAll({ content });
      const failure = new SourceError("source_broken", {}, "broken by the test");
      for (let failAt = 0; failAt < content.length; failAt++) {
        const delivery = { failAt, failure, chunks: [37] };
        const { rows, error } = await read({ content, delivery, windowBytes: 256 });
        expect(error, `broken after ${failAt} bytes`).toBe(failure);
        expect(rows).toEqual(whole.slice(0, rows.length));
        const ends = whole.map(({ offset = 0, raw }) => offset + raw.length);
        const sure = ends.filter((end) => end + 1 <= failAt).length;
        const possible = ends.filter((end) => end <= failAt).length;
        expect(rows.length, `broken after ${failAt} bytes`).toBeGreaterThanOrEqual(sure);
        expect(rows.length, `broken after ${failAt} bytes`).toBeLessThanOrEqual(possible);
      }
    });
  });
}

/** The texts before, between and after the rows. */
function gapsBetween(rows: readonly PlainRow[], content: Uint8Array, headBytes: number): string[] {
  const text = Buffer.from(content).toString("latin1");
  const gaps: string[] = [];
  let end = headBytes;
  for (const { offset = 0, raw } of rows) {
    gaps.push(text.slice(end, offset));
    expect(text.slice(offset, offset + raw.length)).toBe(raw);
    end = offset + raw.length;
  }
  return [...gaps, text.slice(end)];
}

function describeSplits(
  subject: ReaderSubject,
  plan: NonNullable<ReaderSubject["plan"]>,
  readAll: Reading["readAll"],
): void {
  describe(`${subject.name} in splits`, () => {
    test("gives the rows of the whole, wherever it is split", async () => {
      const { content } = await subject.make([40, 90, 0, 400, 60, 40, 50, 70, 300, 40]);
      const whole = await readAll({ content });
      let cuts = 0;
      for (let splitBytes = 1; splitBytes <= content.length; splitBytes++) {
        const ranges = await plan(content, splitBytes);
        cuts += ranges.length - 1;
        expect(ranges[0]?.start).toBe(0);
        const rows: PlainRow[] = [];
        for (const [index, { start, end }] of ranges.entries()) {
          const next = ranges[index + 1];
          expect(end).toBe(next === undefined ? end : next.start);
          rows.push(...(await readAll({ content, start, end, windowBytes: 256 })));
        }
        expect(rows.map(({ number: _, ...row }) => row)).toEqual(
          whole.map(({ number: _, ...row }) => row),
        );
        expect([null, content.length]).toContain(ranges.at(-1)?.end);
      }
      expect(cuts).toBeGreaterThan(content.length / 50);
    });
  });
}
