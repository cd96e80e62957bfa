import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Kernel } from "../../src/batch/kernel.js";
import {
  PageCursor,
  type PageLayout,
  pageFaults,
  valueForms,
} from "../../src/batch/page-cursor.js";
import { RowWindow } from "../../src/batch/row-window.js";
import { propertyRuns } from "../support/property-runs.js";

const kernel = new Kernel();
const RUNS = propertyRuns(200);

interface Run {
  readonly packed: boolean;
  readonly values: readonly number[];
}

/** Some values in runs, equal or packed, `width` bits each, as the format's hybrid has them. */
function encodeHybrid(runs: readonly Run[], width: number): number[] {
  return runs.flatMap(({ packed, values }) => {
    if (!packed) {
      const [value = 0] = values;
      return [...varint(values.length * 2), ...bytesOf(BigInt(value), Math.ceil(width / 8))];
    }
    const groups = Math.ceil(values.length / 8);
    let bits = 0n;
    for (const [index, value] of values.entries()) bits |= BigInt(value) << BigInt(index * width);
    return [...varint(groups * 2 + 1), ...bytesOf(bits, groups * width)];
  });
}

const bytesOf = (value: bigint, count: number) =>
  Array.from({ length: count }, (_, index) => Number((value >> BigInt(8 * index)) & 255n));

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

/** Runs of values with at most `width` bits; packed ones are whole groups but the last. */
function runsOf(width: number, maxValue = 2 ** width - 1): fc.Arbitrary<readonly Run[]> {
  const value = fc.oneof(
    fc.integer({ min: 0, max: maxValue }),
    fc.integer({ min: 0, max: Math.min(1, maxValue) }),
  );
  const equal = fc
    .tuple(value, fc.integer({ min: 0, max: 300 }))
    .map(([one, count]): Run => ({ packed: false, values: new Array<number>(count).fill(one) }));
  const packed = fc
    .integer({ min: 1, max: 12 })
    .chain((groups) =>
      fc
        .array(value, { minLength: groups * 8, maxLength: groups * 8 })
        .map((values): Run => ({ packed: true, values })),
    );
  return fc.array(fc.oneof(equal, packed), { maxLength: 8 });
}

function place(bytes: readonly number[]): { start: number; end: number } {
  const start = kernel.allocate(bytes.length);
  kernel.bytes.set(bytes, start);
  // Values must not be taken from behind the end.
  kernel.bytes.fill(0xff, start + bytes.length, start + bytes.length + 64);
  return { start, end: start + bytes.length };
}

const nothing = {
  rows: 100_000,
  next: 0,
  end: 0,
  width: 1,
  entries: 0,
  entryCount: 0,
  texts: false,
};

/** Reads a page, some rows at a time, up to the first fault. */
function read(layout: PageLayout, counts: readonly number[]) {
  const window = new RowWindow(kernel);
  const cursor = new PageCursor(kernel);
  cursor.open(layout);
  let fault = 0;
  let rows = 0;
  for (const count of counts) {
    fault = window.add(cursor, count);
    if (fault !== 0) break;
    rows += count;
  }
  const { starts, lengths, levels } = window.views(0);
  const result = {
    fault: pageFaults[fault],
    malformed: cursor.malformed,
    starts: Array.from(kernel.u32.slice(starts / 4, starts / 4 + rows)),
    lengths: Array.from(kernel.u32.slice(lengths / 4, lengths / 4 + rows)),
    levels: Array.from(kernel.bytes.slice(levels, levels + rows)),
  };
  window.free();
  cursor.free();
  return result;
}

/** The values as the addresses of entries of one byte from address 0 on: so the indexes themselves. */
function readIndexes(bytes: readonly number[], width: number, counts: readonly number[]) {
  const { start, end } = place(bytes);
  const indexes = { start, end, width };
  const entryCount = 2 ** 32 - 1;
  const result = read(
    { ...nothing, form: valueForms.indexedFixed, levelMax: 0, indexes, entryCount },
    counts,
  );
  kernel.free(start);
  return result;
}

/** Cuts a count into some parts. */
function partsOf(count: number, steps: readonly number[]): number[] {
  const parts: number[] = [];
  let left = count;
  for (let index = 0; left > 0; index++) {
    const part = Math.min(left, steps[index % steps.length] ?? 1);
    parts.push(part);
    left -= part;
  }
  return parts;
}

const steps = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 });

describe("values in the hybrid of runs", () => {
  test.each(Array.from({ length: 33 }, (_, width) => width))(
    "of %d bits are read in any parts, and no further than they go",
    (width) => {
      // The largest index of 32 bits is never that of an entry.
      const runs = runsOf(width, width === 32 ? 2 ** 32 - 2 : 2 ** width - 1);
      fc.assert(
        fc.property(runs, steps, (given, sizes) => {
          const values = given.flatMap((run) => run.values);
          const bytes = encodeHybrid(given, width);
          const { starts, fault } = readIndexes(bytes, width, partsOf(values.length, sizes));
          expect(fault).toBe("");
          expect(starts).toEqual(values);
          const more = readIndexes(bytes, width, [values.length + 1]);
          expect(more.fault).toMatch(/values end before/);
        }),
        { numRuns: Math.ceil(RUNS / 10) },
      );
    },
  );

  test("may leave out what fills the last run up to a whole group", () => {
    const bytes = encodeHybrid([{ packed: true, values: [1, 2, 3, 4, 5, 0, 0, 0] }], 4);
    const cut = bytes.slice(0, 4);
    expect(readIndexes(cut, 4, [6]).starts).toEqual([1, 2, 3, 4, 5, 0]);
    expect(readIndexes(cut, 4, [7]).fault).toMatch(/values end before/);
  });

  test.each([
    ["a header that does not end", [0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 8],
    ["a run without its value", [0x10], 9],
    ["a packed run of more groups than memory has", [0xff, 0xff, 0xff, 0xff, 0x0f], 8],
    ["empty runs only", [0x00, 0x07, 0x00, 0x07], 8],
  ])("are not made up from %s", (_, bytes, width) => {
    expect(readIndexes(bytes, width, [1]).fault).toMatch(/values end before/);
  });
});

describe("rows of a page", () => {
  test("have the values where any levels put them", () => {
    const property = fc.integer({ min: 1, max: 9 }).chain((levelMax) =>
      fc.record({
        levelMax: fc.constant(levelMax),
        runs: runsOf(32 - Math.clz32(levelMax), levelMax),
        sizes: steps,
      }),
    );
    fc.assert(
      fc.property(property, ({ levelMax, runs, sizes }) => {
        const levels = runs.flatMap((run) => run.values);
        const width = 32 - Math.clz32(levelMax);
        const { start, end } = place(encodeHybrid(runs, width));
        const layout = { ...nothing, form: valueForms.plainFixed, levelMax, width: 3 };
        const values = levels.filter((level) => level === levelMax).length;
        const counts = partsOf(levels.length, sizes);
        const bytes = { levels: { start, end, width }, next: 1000, end: 1000 + values * 3 };
        const result = read({ ...layout, ...bytes }, counts);
        expect(result.fault).toBe("");
        expect(result.levels).toEqual(levels);
        let next = 1000;
        for (const [row, level] of levels.entries()) {
          if (level !== levelMax) continue;
          expect(result.starts[row]).toBe(next);
          next += 3;
        }
        if (values > 0) {
          const short = read({ ...layout, ...bytes, end: bytes.end - 1 }, counts);
          expect(short.fault).toMatch(/values end before/);
        }
        kernel.free(start);
      }),
      { numRuns: RUNS },
    );
  });

  test("are refused if a level is higher than the schema allows, or missing", () => {
    const { start, end } = place([...varint(10 * 2), 3]);
    const levels = { start, end, width: 2 };
    const layout = { ...nothing, form: valueForms.plainFixed, levelMax: 2, end: 1000, levels };
    expect(read(layout, [10]).fault).toMatch(/level is higher/);
    expect(read({ ...layout, levelMax: 3 }, [10]).fault).toBe("");
    expect(read({ ...layout, levelMax: 3 }, [11]).fault).toMatch(/levels end before/);
    kernel.free(start);
  });

  test("tell whether their texts are UTF-8, at any position of a text", () => {
    const texts = fc.array(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 40 }).map((text) => Buffer.from(text)),
        fc.string({ maxLength: 200 }).map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 24 }),
      ),
      { maxLength: 12 },
    );
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const isText = (bytes: Uint8Array) => {
      try {
        decoder.decode(bytes);
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(texts, (given) => {
        const bytes = given.flatMap((text) => [...bytesOf(BigInt(text.length), 4), ...text]);
        const { start, end } = place(bytes);
        const layout = { ...nothing, form: valueForms.plainBytes, levelMax: 0, texts: true };
        const result = read({ ...layout, next: start, end }, [given.length]);
        expect(result.fault).toBe("");
        expect(result.lengths).toEqual(given.map((text) => text.length));
        expect(result.malformed).toBe(!given.every(isText));
        expect(read({ ...layout, next: start, end }, [given.length + 1]).fault).not.toBe("");
        kernel.free(start);
      }),
      { numRuns: RUNS },
    );
  });

  test("are refused if a text goes beyond its page", () => {
    for (const bytes of [
      [4, 0, 0, 0, 1, 2, 3],
      [0xff, 0xff, 0xff, 0xff, 1],
      [0, 0, 0],
    ]) {
      const { start, end } = place(bytes);
      const layout = { ...nothing, form: valueForms.plainBytes, levelMax: 0, next: start, end };
      expect(read(layout, [1]).fault).toMatch(/values end before/);
      kernel.free(start);
    }
  });

  test("are refused if they refer to an entry that does not exist", () => {
    for (const form of [valueForms.indexedFixed, valueForms.indexedBytes]) {
      const { start, end } = place([...varint(2), 7]);
      const indexes = { start, end, width: 3 };
      const layout = { ...nothing, form, levelMax: 0, indexes };
      expect(read({ ...layout, entryCount: 7 }, [1]).fault).toMatch(/does not have/);
      expect(read({ ...layout, entryCount: 8 }, [1]).fault).toBe("");
      kernel.free(start);
    }
  });

  test("are refused if there are more or fewer values than the page's header says", () => {
    const { start, end } = place([...varint(10 * 2), 1, ...varint(5 * 2), 0]);
    const levels = { start, end, width: 1 };
    const layout = { ...nothing, form: valueForms.plainFixed, levelMax: 1, end: 1000, levels };
    expect(read({ ...layout, rows: 15, values: 10 }, [4, 11]).fault).toBe("");
    expect(read({ ...layout, rows: 15, values: 9 }, [4, 11]).fault).toMatch(/nulls/);
    expect(read({ ...layout, rows: 15, values: 11 }, [4, 11]).fault).toMatch(/nulls/);
    expect(read({ ...layout, rows: 16, values: 11 }, [4, 11]).fault).toBe("");
    kernel.free(start);
  });

  test("may be fewer in lists, as a list without elements need not count as a null", () => {
    const [levels, repeats] = [
      place([...varint(10 * 2), 1, ...varint(5 * 2), 0]),
      place([...varint(15 * 2), 0]),
    ];
    const layout = { ...nothing, form: valueForms.plainFixed, levelMax: 1, end: 1000, rows: 15 };
    const lists = {
      repeatMax: 1,
      levels: { ...levels, width: 1 },
      repeats: { ...repeats, width: 1 },
    };
    for (const values of [10, 11, 15]) {
      expect(read({ ...layout, ...lists, values }, [4, 11]).fault).toBe("");
    }
    expect(read({ ...layout, ...lists, values: 9 }, [4, 11]).fault).toMatch(/nulls/);
    for (const { start } of [levels, repeats]) kernel.free(start);
  });

  test("are taken from the front while others are added at the end", () => {
    const window = new RowWindow(kernel);
    const cursor = new PageCursor(kernel);
    const layout = { ...nothing, form: valueForms.plainFixed, levelMax: 0 };
    cursor.open({ ...layout, next: 0, end: 100_000 });
    let taken = 0;
    const all = window.room;
    for (const count of [10, 5, all, 1]) {
      window.compact();
      expect(window.add(cursor, window.room)).toBe(0);
      expect(window.count).toBe(all);
      const { starts } = window.views(0);
      expect(kernel.u32[starts / 4]).toBe(taken);
      expect(kernel.u32[starts / 4 + all - 1]).toBe(taken + all - 1);
      window.take(count);
      taken += count;
    }
    window.free();
    cursor.free();
  });
});
