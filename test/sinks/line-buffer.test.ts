import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ROW_BUFFER_ROWS_MAX } from "../../src/base/limits.js";
import { Kernel } from "../../src/batch/kernel.js";
import type { RowBuffer } from "../../src/sinks/row-buffer.js";
import { LineBuffer } from "../../src/sinks/row-buffer.js";
import { LineTexts } from "../../src/sinks/text-format.js";
import { propertyRuns } from "../support/property-runs.js";
import { type EventRow, eventBatch, eventRow } from "./event-rows.js";

/** The same line by JSON.stringify. Line ends in JSON texts can only be white space. */
function lineOf({ event, timestamp, user, metadata, value, insertID }: EventRow): string {
  const flat = (json: string) => json.replace(/[\r\n]/g, " ");
  const valueText = value === null ? "" : `,"value":${flat(value)}`;
  const end = valueText + (insertID === null ? "" : `,"insertID":${JSON.stringify(insertID)}`);
  return `{"event":${JSON.stringify(event)},"timestamp":${timestamp},"user":${flat(user)},"metadata":${flat(metadata)}${end}}\n`;
}

const deliver = 0;
const rejected = 4;

const text = fc.string({
  unit: fc.constantFrom('"', "\\", "\n", "\u0000", "\u001f", "\u007f", "a", "é", "☕", "😀"),
  maxLength: 90,
});
const object = fc.tuple(text, fc.constantFrom("", "\n", "\r")).map(([value, space]) => {
  return `{${space}"text":${JSON.stringify(value)}${space}}`;
});
const row: fc.Arbitrary<EventRow> = fc.record({
  event: text,
  timestamp: fc.maxSafeInteger(),
  userID: fc.constant(null),
  stableID: fc.constant(null),
  value: fc.option(
    fc.oneof(
      text.map((value) => JSON.stringify(value)),
      fc.integer().map(String),
    ),
  ),
  user: object,
  metadata: object,
  insertID: fc.option(text),
  outcome: fc.constantFrom(deliver, deliver, deliver, rejected),
});

/** All lines in one order, in pieces of at most `bytesMax` bytes. */
function textsOf(
  rowBuffer: RowBuffer,
  rows: readonly number[],
  bytesMax: number,
): { pieces: string[]; viewed: number } {
  const { kernel } = rowBuffer;
  const order = kernel.allocate(rows.length * 4 + 4);
  kernel.u32.set(rows, order / 4);
  const texts = new LineTexts(kernel, bytesMax);
  const pieces: string[] = [];
  let viewed = 0;
  for (let place = 0; place < rows.length; ) {
    place = texts.encode(rowBuffer, order, place, rows.length);
    pieces.push(Buffer.from(texts.bytes).toString());
    if (isInArena(rowBuffer, texts.bytes.byteOffset)) viewed++;
  }
  return { pieces, viewed };
}

function isInArena({ columns, rows, kernel }: RowBuffer, address: number): boolean {
  const starts = columns[0]!.starts / 4;
  return kernel.u32.subarray(starts, starts + rows).includes(address);
}

/**
 * Puts the rows into row buffers batch by batch; `done` sees each row buffer when it is full, or at
 * the end.
 */
function fill(
  rowBuffer: LineBuffer,
  batches: readonly (readonly EventRow[])[],
  done: () => void,
): void {
  for (const batch of batches) {
    const events = eventBatch(rowBuffer.kernel, batch);
    for (let next = rowBuffer.append(events, 0); next < events.rows; ) {
      done();
      rowBuffer.clear();
      next = rowBuffer.append(events, next);
      if (rowBuffer.rows === 0 && next < events.rows) throw new Error("it takes no row even empty");
    }
    // A batch is not needed any more once it is added.
    rowBuffer.kernel.bytes.fill(0xee, events.event.starts, events.event.starts + batch.length * 4);
    events.free();
  }
  done();
}

/** Returns the content of row buffers of `bytesMax` bytes: as many lines as fit, or one. */
function greedily(lines: readonly string[], bytesMax: number): string[][] {
  const segments: string[][] = [[]];
  let room = bytesMax;
  for (const line of lines) {
    const bytes = Buffer.byteLength(line);
    if (bytes > room && segments.at(-1)!.length > 0) {
      segments.push([]);
      room = bytesMax;
    }
    segments.at(-1)!.push(line);
    room -= bytes;
  }
  return segments;
}

describe("a row buffer of lines", () => {
  test("holds as many whole lines as fit to the byte, whatever batches they came in", () => {
    const batches = fc.array(fc.array(row, { maxLength: 12 }), { minLength: 1, maxLength: 6 });
    const fits = fc.record({ lines: fc.nat({ max: 10 }), over: fc.integer({ min: -1, max: 1 }) });
    fc.assert(
      fc.property(batches, fits, (batches, fit) => {
        const lines = batches
          .flat()
          .filter(({ outcome }) => outcome === deliver)
          .map(lineOf);
        const first = Buffer.byteLength(lines.slice(0, fit.lines).join(""));
        const bytesMax = Math.max(1, first + fit.over);
        const rowBuffer = new LineBuffer(new Kernel(), bytesMax, { withInsertID: true });
        const found: string[][] = [];
        fill(rowBuffer, batches, () => {
          const order = Array.from({ length: rowBuffer.rows }, (_, index) => index);
          found.push(textsOf(rowBuffer, order, 1).pieces);
        });
        expect(found).toEqual(greedily(lines, bytesMax));
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  test("gives its lines in any order, in pieces that are no longer than asked for", () => {
    const order = fc.array(fc.nat({ max: 19 }), { maxLength: 40 });
    const rows = fc.array(row, { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(rows, order, fc.integer({ min: 1, max: 2_000 }), (rows, order, bytesMax) => {
        const rowBuffer = new LineBuffer(new Kernel(), 1 << 20, { withInsertID: true });
        const delivered = rows.map((row) => ({ ...row, outcome: deliver }));
        rowBuffer.append(eventBatch(rowBuffer.kernel, delivered), 0);
        const { pieces } = textsOf(rowBuffer, order, bytesMax);
        expect(pieces.join("")).toBe(order.map((row) => lineOf(delivered[row]!)).join(""));
        const many = pieces.filter((piece) => piece.indexOf("\n") < piece.length - 1);
        for (const piece of many) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(bytesMax);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  test("does not copy contiguous lines", () => {
    const rowBuffer = new LineBuffer(new Kernel(), 1 << 20, { withInsertID: true });
    const rows = Array.from({ length: 100 }, (_, index) => eventRow({ event: `e${index}` }));
    rowBuffer.append(eventBatch(rowBuffer.kernel, rows), 0);
    const places = rows.map((_, index) => index);
    const straight = textsOf(rowBuffer, places, 500);
    expect(straight.viewed).toBe(straight.pieces.length);
    expect(textsOf(rowBuffer, places.toReversed(), 500).viewed).toBe(0);
  });

  test("ends with its last row, even if there are bytes left", () => {
    const rowBuffer = new LineBuffer(new Kernel(), 64 << 20, { withInsertID: true });
    const batch = eventBatch(
      rowBuffer.kernel,
      Array.from({ length: 10_000 }, () => eventRow({ user: "{}" })),
    );
    let next = 0;
    for (let taken = 0; taken < ROW_BUFFER_ROWS_MAX; taken += 10_000)
      next = rowBuffer.append(batch, 0);
    expect(rowBuffer.rows).toBe(ROW_BUFFER_ROWS_MAX);
    expect(next).toBe(ROW_BUFFER_ROWS_MAX % 10_000);
  });
});
