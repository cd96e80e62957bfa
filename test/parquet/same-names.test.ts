import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { physicalTypes } from "../../src/parquet/value-type.js";
import { PLAIN, page, RLE, unnamed } from "./list-file.js";
import { assemblePageFile } from "./page-file.js";
import { json, readRows, temporaryFile } from "./parquet-files.js";

const ROWS = 50;
const WIDTH = 4_000;

/** Assembles a struct `s` of two members `a`, whose bytes are the member's number. */
function structFile(): Uint8Array {
  const members = [1, 2].map((byte) => {
    const body = new Uint8Array(ROWS * WIDTH).fill(byte);
    const data = page(0, body, 5, [ROWS, PLAIN, RLE, RLE]);
    const size = data.bytes.length;
    const place = { type: physicalTypes.fixedBytes, codec: 0, path: ["s", "a"], start: 4 };
    const chunk = { ...place, values: ROWS, uncompressedSize: size, compressedSize: size };
    const element = { ...unnamed, name: "a", type: physicalTypes.fixedBytes, typeLength: WIDTH };
    const node = { element, children: [] };
    return { node, pages: { chunk, pages: [data] } };
  });
  const column = {
    element: { ...unnamed, name: "s", childCount: 2 },
    children: members.map(({ node }) => node),
  };
  return assemblePageFile(
    column,
    members.map(({ pages }) => pages),
    ROWS,
  );
}

test("the first of several members with the same name counts, and gets the memory that it needs", async () => {
  const path = temporaryFile();
  writeFileSync(path, structFile());
  const first = `{"a":"${"01".repeat(WIDTH)}"}`;
  // Twice: a cell without enough memory is overwritten by the next.
  const rows = await readRows(path, [json("s"), json("s")]);
  expect(rows.map(({ cells }) => cells)).toEqual(new Array(ROWS).fill([first, first]));
});
