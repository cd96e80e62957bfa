import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MIB, REJECT_BYTES_MAX } from "../../src/base/limits.js";
import { type ListEntries, listFile } from "./list-file.js";
import { batchesOf, kernel, openFile, readRows, temporaryFile, text } from "./parquet-files.js";

/** Three rows; the second has the second text of the dictionary `count` times. */
const between = (count: number): ListEntries => ({
  repeats: [
    [2, 0],
    [count - 1, 1],
    [1, 0],
  ],
  levels: [[count + 2, 2]],
  indexes: [
    [1, 0],
    [count, 1],
    [1, 0],
  ],
});

function write(content: Uint8Array): string {
  const path = temporaryFile();
  writeFileSync(path, content);
  return path;
}

// Sizes beyond 31 bits, 32 bits and multiples of these must not be truncated.
test.each([
  ["2 GiB as JSON", 350, 1],
  ["4 GiB as JSON", 700, 1],
  ["2 GiB", 2_048, 0x61],
  ["4 GiB", 4_096, 0x61],
  ["4 GiB and a little", 4_097, 0x61],
  ["500 GiB", 500_000, 0x61],
])(
  "a list that repeats one text until it takes %s is too long, and no other row is",
  async (_, count, byte) => {
    const long = new Uint8Array(MIB).fill(byte);
    const path = write(listFile([Buffer.from("a"), long], [between(count)], 3));
    const rows = await readRows(path, [text("l")]);
    expect(rows.map(({ fault }) => fault)).toEqual([undefined, "row_too_long", undefined]);
    expect(rows.map(({ cells }) => cells[0])).toEqual(['["a"]', undefined, '["a"]']);
  },
);

/** Returns the bytes that are kept of rejected rows. */
async function rejected(
  path: string,
  ...fields: Parameters<typeof openFile>[1]
): Promise<string[]> {
  const kept: string[] = [];
  for await (const { rows, faults, raw } of batchesOf(await openFile(path, fields))) {
    for (let row = 0; row < rows; row++) {
      if (kernel.bytes[faults + row] !== 0) kept.push(Buffer.from(raw.bytes(row)).toString());
    }
  }
  return kept;
}

test("the first bytes of a list that is too long are kept", async () => {
  const long = new Uint8Array(400_000).fill(1);
  const path = write(listFile([Buffer.from("a"), long], [between(60)], 3));
  const [kept = "", ...others] = await rejected(path, text("l"));
  const expected = `{"l":["${"\\u0001".repeat(400_000)}",`.slice(0, REJECT_BYTES_MAX);
  expect(others).toEqual([]);
  expect(kept === expected).toBe(true);
});

test("no more of a list that is too long is kept if its row has another fault", async () => {
  const long = new Uint8Array(MIB).fill(0x61);
  const texts = [Buffer.from("fine"), Uint8Array.of(0xff), Buffer.from("fine")];
  const path = write(listFile([Buffer.from("a"), long], [between(4_096)], 3, texts));
  const fields = [text("s", "l"), text("s", "t")];
  const faults = (await readRows(path, fields)).map(({ fault }) => fault);
  expect(faults).toEqual([undefined, "invalid_utf8", undefined]);
  const [kept = "", ...others] = await rejected(path, ...fields);
  expect(others).toEqual([]);
  expect(kept === `{"s":{"l":["${"a".repeat(MIB)}`.slice(0, REJECT_BYTES_MAX)).toBe(true);
});

test.each([
  ["none", 0, 2],
  ["one without elements", 1, 2],
  ["one with an element, by none", 2, 0],
  ["one with an element, by one without", 2, 1],
])(
  "a list that continues behind %s is damage: its values would get lost",
  async (_, first, then) => {
    const entries: ListEntries = {
      repeats: [
        [1, 0],
        [1, 1],
      ],
      levels: [
        [1, first],
        [1, then],
      ],
      indexes: [[1, 0]],
    };
    const path = write(listFile([Buffer.from("a")], [entries], 1));
    await expect(readRows(path, [text("l")])).rejects.toThrow(/continues/);
  },
);

test("lists of more rows than their row group has are damage, wherever the last one ends", async () => {
  const one: ListEntries = { repeats: [[1, 0]], levels: [[1, 2]], indexes: [[1, 0]] };
  const file = (pages: number, rows: number) =>
    write(listFile([Buffer.from("a")], new Array<ListEntries>(pages).fill(one), rows));
  expect(await readRows(file(3, 3), [text("l")])).toHaveLength(3);
  for (const [pages, rows] of [
    [4, 3],
    [2, 3],
    [20_000, 16_384],
  ] as const) {
    await expect(readRows(file(pages, rows), [text("l")])).rejects.toThrow(/row group's rows/);
  }
});
