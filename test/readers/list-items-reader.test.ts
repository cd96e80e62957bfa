import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BATCH_ROWS_MAX } from "../../src/base/limits.js";
import type { FieldRequest } from "../../src/batch/batch.js";
import { openRange } from "../../src/formats/input-formats.js";
import { fileState, fingerprintFile } from "../../src/sources/fingerprint.js";
import { scratchDirectory } from "../support/scratch.js";
import { usedKernel } from "../support/used-kernel.js";

const kernel = usedKernel();
const scratch = scratchDirectory("list-items");

async function read(lines: readonly string[], fields: readonly FieldRequest[], rows?: string[]) {
  const path = join(scratch, "in.json");
  const text = `${lines.join("\n")}\n`;
  writeFileSync(path, text);
  const fingerprint = fingerprintFile(fileState(statSync(path)), []);
  const format = { kind: "ndjson" } as const;
  const source = { name: path, path, codecs: [], size: text.length, fingerprint, format };
  const reader = await openRange(kernel, { source, start: 0, end: null }, fields, {
    rowBytesMax: 1 << 24,
    ratioMax: 100,
    temporaryDirectory: scratch,
    signal: new AbortController().signal,
    ...(rows === undefined ? {} : { rows }),
  });
  const found: (string | undefined)[][] = [];
  for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
    for (let row = 0; row < batch.rows; row++) {
      found.push(batch.columns.map((column) => column.text(row)));
    }
  }
  await reader.close();
  return found;
}

const idOf = (...more: readonly string[]): FieldRequest => ({
  path: [...more, "ids", "[kind=user]", "id"],
  form: "text",
});
const other: FieldRequest = { path: ["n"], form: "text" };

describe("a step [member=text]", () => {
  test("chooses the first object of a list whose member has the text", async () => {
    const lines = [
      '{"n":1,"ids":[{"kind":"mail","id":"m"},{"kind":"user","id":"mina \\"x\\""},{"kind":"user","id":"z"}]}',
      '{"n":2,"ids":[3,"user",null,{"id":"no kind"},{"kind":"users","id":"other"}]}',
      '{"n":3,"ids":[]}',
      '{"n":4,"ids":null}',
      '{"n":5}',
      '{"n":6,"ids":{"kind":"user","id":"no list"}}',
      '{"n":7,"ids":"[{\\"kind\\":\\"user\\",\\"id\\":9007199254740993}]"}',
      '{"n":8,"ids":"[{\\"kind\\":\\"user\\""}',
      "broken",
      '{"n":9,"ids":[{"id":"last","kind":"user"}]}',
    ];
    const nothing = ["2", "3", "4", "5", "6"].map((n) => [undefined, n]);
    expect(await read(lines, [idOf(), other])).toEqual([
      ['mina "x"', "1"],
      ...nothing,
      ["9007199254740993", "7"],
      [undefined, "8"],
      [undefined, undefined],
      ["last", "9"],
    ]);
  });

  test("chooses from a list around the elements that are rows", async () => {
    const lines = [
      '{"ids":[{"kind":"user","id":"a"}],"events":[{"n":1},{"n":2}]}',
      '{"ids":[{"kind":"mail","id":"b"}],"events":[{"n":3}]}',
      '{"ids":[{"kind":"user","id":"c"}],"events":[{"n":4}]}',
    ];
    const cells = await read(lines, [other, idOf("^")], ["events"]);
    expect(cells).toEqual([
      ["1", "a"],
      ["2", "a"],
      ["3", undefined],
      ["4", "c"],
    ]);
  });

  test("chooses from more objects than a batch has rows", async () => {
    const many = Array.from({ length: BATCH_ROWS_MAX + 10 }, () => '{"kind":"mail","id":1}');
    const list = (id: string) => `{"ids":[${[...many, `{"kind":"user","id":"${id}"}`].join(",")}]}`;
    expect(await read([list("a"), list("b")], [idOf()])).toEqual([["a"], ["b"]]);
  });
});
