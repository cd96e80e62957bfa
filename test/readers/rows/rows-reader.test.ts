import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { BATCH_ROWS_MAX } from "../../../src/base/limits.js";
import { rejectCodeName } from "../../../src/base/reject-codes.js";
import type { FieldRequest } from "../../../src/batch/batch.js";
import { openRange } from "../../../src/formats/input-formats.js";
import { fileState, fingerprintFile } from "../../../src/sources/fingerprint.js";
import type { Format } from "../../../src/sources/source.js";
import { propertyRuns } from "../../support/property-runs.js";
import { scratchDirectory } from "../../support/scratch.js";
import { usedKernel } from "../../support/used-kernel.js";

const kernel = usedKernel();
const scratch = scratchDirectory("rows-reader");

interface ReadRow {
  readonly cells: readonly (string | undefined)[];
  readonly fault?: string;
  readonly place: string;
  readonly position: number | undefined;
  readonly raw: string;
}

interface Reading {
  readonly format?: Format;
  /** Offsets at which the source is cut into ranges. */
  readonly cuts?: readonly number[];
}

async function read(
  text: string,
  rows: readonly string[],
  fields: readonly FieldRequest[],
  { format = { kind: "ndjson" }, cuts = [] }: Reading = {},
) {
  const path = join(scratch, "in.json");
  writeFileSync(path, text);
  const size = Buffer.byteLength(text);
  const fingerprint = fingerprintFile(fileState(statSync(path)), []);
  const source = { name: path, path, codecs: [], size, fingerprint, format };
  const found: ReadRow[] = [];
  let without = 0;
  for (const [index, start] of [0, ...cuts].entries()) {
    const range = { source, start, end: cuts[index] ?? null };
    const reader = await openRange(kernel, range, fields, {
      rowBytesMax: 1 << 24,
      ratioMax: 100,
      temporaryDirectory: scratch,
      signal: new AbortController().signal,
      rows,
    });
    for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
      for (let row = 0; row < batch.rows; row++) {
        const fault = kernel.bytes[batch.faults + row] as number;
        const origin = batch.raw.origin?.(row);
        found.push({
          cells: batch.columns.map((column) => column.text(row)),
          ...(fault === 0 ? {} : { fault: rejectCodeName(fault) }),
          place: `${origin?.row}:${origin?.element}`,
          position: batch.raw.offset(row),
          raw: Buffer.from(batch.raw.bytes(row)).toString(),
        });
      }
    }
    without += reader.notices?.row_without_elements ?? 0;
    await reader.close();
  }
  return { rows: found, without };
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const name = fc.constantFrom("a", "b", "list", "in", "^", "é", 'q"\\', "");
const value = fc.letrec<{ any: Json }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string({ unit: "grapheme" })),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(name, tie("any"), { maxKeys: 5 }),
  ),
})).any as fc.Arbitrary<Json>;

const record = fc.dictionary(name, value, { maxKeys: 4 });
const listOf = (element: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.array(element, { maxLength: 5 }) },
    { weight: 2, arbitrary: asText(fc.array(element, { maxLength: 5 })) },
    value,
  );
const withList = (step: string, element: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc
    .tuple(record, listOf(element), record)
    .map(([before, list, after]) => ({ ...before, [step]: list, ...after }));
/** A list as CSV and some Parquet have it: as JSON text. */
const asText = (list: fc.Arbitrary<Json>) => list.map((one): Json => JSON.stringify(one));

/** The list that a text contains; the value itself otherwise. */
function readText(list: Json): Json {
  if (typeof list !== "string" || !list.trim().startsWith("[")) return list;
  try {
    return JSON.parse(list) as Json;
  } catch {
    return list;
  }
}

const isRecord = (one: Json | undefined): one is { readonly [name: string]: Json } =>
  typeof one === "object" && one !== null && !Array.isArray(one);

interface FlatRow {
  readonly place: string;
  readonly fault?: string;
  /** The element, and the objects around it from the innermost on. */
  readonly around?: readonly Json[];
}

/** A plain flattening. Returns rows, and the objects without elements. */
function flatten(
  outer: Json,
  path: readonly string[],
  place: string,
  around: readonly Json[] = [],
) {
  const rows: FlatRow[] = [];
  let without = 0;
  if (!isRecord(outer)) {
    const fault = place.endsWith(":undefined") ? "row_not_object" : "element_not_object";
    return { rows: [{ place, fault }], without };
  }
  const [step = "", ...rest] = path;
  if (path.length === 0) return { rows: [{ place, around: [outer, ...around] }], without };
  const list = readText(outer[step] ?? []);
  const isAlone = rest.length > 0 && isRecord(list);
  const elements = isAlone ? [list] : list;
  if (!Array.isArray(elements)) return { rows: [{ place, fault: "rows_not_list" }], without };
  if (elements.length === 0) without++;
  for (const [index, element] of (elements as readonly Json[]).entries()) {
    const inner = place.endsWith(":undefined")
      ? place.replace("undefined", `${index + 1}`)
      : `${place}.${index + 1}`;
    const more = flatten(element, rest, inner, [outer, ...around]);
    rows.push(...more.rows);
    without += more.without;
  }
  return { rows, without };
}

function flattenAll(outers: readonly Json[], path: readonly string[]) {
  const all = outers.map((outer, index) => flatten(outer, path, `${index + 1}:undefined`));
  return {
    rows: all.flatMap(({ rows }) => rows),
    without: all.reduce((sum, one) => sum + one.without, 0),
  };
}

const text = (...path: string[]): FieldRequest => ({ path, form: "text" });
const rest = (except: readonly string[], ...path: string[]): FieldRequest => ({
  path,
  form: "rest",
  except,
});

/** The cells that fields of the element, and of the objects around it, must have. */
function cellsOf({ around = [] }: FlatRow, path: readonly string[]) {
  return around.map((one, level) => {
    const { [path.at(-level) ?? ""]: list, ...others } = one as { readonly [name: string]: Json };
    return level === 0 ? one : others;
  });
}

function checkRows(
  found: readonly ReadRow[],
  expected: readonly FlatRow[],
  path: readonly string[],
) {
  expect(found.map(({ place, fault }) => ({ place, fault }))).toEqual(
    expected.map(({ place, fault }) => ({ place, fault })),
  );
  for (const [index, row] of found.entries()) {
    const flat = expected[index] as FlatRow;
    if (flat.around === undefined) {
      expect(row.cells.every((cell) => cell === undefined)).toBe(true);
      continue;
    }
    expect(row.cells.map((cell) => JSON.parse(cell ?? "null"))).toEqual(cellsOf(flat, path));
  }
}

const around = (path: readonly string[]) =>
  [0, ...path.keys()].map((_, level) =>
    rest(level === 0 ? [] : [path.at(-level) ?? ""], ...Array.from({ length: level }, () => "^")),
  );

const paths = [["list"], ["list", "in"], ["a", "list", "in"]] as const;

test("rows are those of a plain flattening, with their places and what is around them", async () => {
  const cases = fc.constantFrom(...paths).chain((path) => {
    const outer = path.reduceRight(
      (inner: fc.Arbitrary<Json>, step, index) => {
        const any = index === 0 ? inner : fc.oneof({ weight: 6, arbitrary: inner }, value);
        return withList(step, any);
      },
      fc.oneof({ weight: 6, arbitrary: record as fc.Arbitrary<Json> }, value),
    );
    return fc.record({
      path: fc.constant(path),
      outers: fc.array(outer, { minLength: 1, maxLength: 8 }),
      indent: fc.boolean(),
      cuts: fc.array(fc.integer({ min: 1, max: 600 }), { maxLength: 3 }),
    });
  });
  const property = fc.asyncProperty(cases, async ({ path, outers, indent, cuts }) => {
    const expected = flattenAll(outers, path);
    const fields = around(path);
    const array = JSON.stringify(outers, null, indent ? 1 : 0);
    const whole = await read(array, path, fields, { format: { kind: "json" } });
    checkRows(whole.rows, expected.rows, path);
    expect(whole.without).toBe(expected.without);

    const lines = outers.map((outer) => `${JSON.stringify(outer)}\n`).join("");
    const ends = [...new Set(cuts)].filter((cut) => cut < lines.length).sort((a, b) => a - b);
    const cut = await read(lines, path, fields, { cuts: ends });
    const { rows } = await read(lines, path, fields);
    expect(
      cut.rows.map(({ cells, fault, raw, position }) => [cells, fault, raw, position]),
    ).toEqual(rows.map(({ cells, fault, raw, position }) => [cells, fault, raw, position]));
    checkRows(rows, expected.rows, path);
    // Positions tell rows apart and are in order.
    const positions = rows.map(({ position }) => position as number);
    expect(positions.every((one, index) => index === 0 || one > positions[index - 1]!)).toBe(true);

    // Every row that is kept is read again as itself, and as nothing else.
    const kept = rows.map(({ raw }) => `${raw}\n`).join("");
    const again = await read(kept, path, fields);
    expect(again.rows.map(({ cells, fault }) => [cells, fault])).toEqual(
      rows.map(({ cells, fault }) => [cells, fault]),
    );
    expect(again.without).toBe(0);
  });
  await fc.assert(property, { numRuns: propertyRuns(600) });
});

test("digits, escapes and white space of elements stay", async () => {
  const line =
    '{"u":1.0,"list":[ {"v" : 9007199254740993, "s":"\\u00e9"} ,\t{"v":1.50}],"list2":[]}\n';
  const fields = [rest([]), text("v"), text("^", "u"), rest(["list"], "^")];
  const { rows } = await read(line, ["list"], fields);
  expect(rows.map(({ cells }) => cells)).toEqual([
    ['{"v" : 9007199254740993, "s":"\\u00e9"}', "9007199254740993", "1.0", '{"u":1.0,"list2":[]}'],
    ['{"v":1.50}', "1.50", "1.0", '{"u":1.0,"list2":[]}'],
  ]);
  expect(rows.map(({ raw }) => raw)).toEqual([
    '{"u":1.0,"list":[{"v" : 9007199254740993, "s":"\\u00e9"}],"list2":[]}',
    '{"u":1.0,"list":[{"v":1.50}],"list2":[]}',
  ]);
});

test("of lists with one name the last counts", async () => {
  const line = '{"list":[{"v":1}],"list":[{"v":2},{"v":3}]}\n';
  const { rows } = await read(line, ["list"], [text("v")]);
  expect(rows.map(({ cells, raw }) => [cells[0], raw])).toEqual([
    ["2", '{"list":[{"v":1}],"list":[{"v":2}]}'],
    ["3", '{"list":[{"v":1}],"list":[{"v":3}]}'],
  ]);
});

test("lists may be longer than a batch and than the window", async () => {
  const count = BATCH_ROWS_MAX + 100;
  const long = (user: string) => {
    const list = Array.from({ length: count }, (_, v) => ({ v, text: "x".repeat(100) }));
    return `${JSON.stringify({ user, list })}\n`;
  };
  const fields = [text("v"), text("^", "user")];
  const { rows } = await read(`${long("a")}{"list":0}\n${long("b")}`, ["list"], fields);
  const listOf = (outer: number, user: string) =>
    Array.from({ length: count }, (_, v) => ({ place: `${outer}:${v + 1}`, v: String(v), user }));
  const rejected = { place: "2:undefined", v: undefined, user: undefined };
  const expected = [...listOf(1, "a"), rejected, ...listOf(3, "b")];
  expect(rows.map(({ place, cells: [v, user] }) => ({ place, v, user }))).toEqual(expected);
});

test("a list in a text is read, and its elements are kept as a list", async () => {
  const list = '[{"a":"é\\n"},{"a":9007199254740993},7]';
  const line = `${JSON.stringify({ u: "mina", list })}\n${JSON.stringify({ list: "[1" })}\n`;
  const { rows } = await read(line, ["list"], [text("a"), text("^", "u")]);
  expect(rows.map(({ cells, fault, place }) => fault ?? [place, ...cells])).toEqual([
    ["1:1", "é\n", "mina"],
    ["1:2", "9007199254740993", "mina"],
    "element_not_object",
    "rows_not_list",
  ]);
  expect(rows[0]?.raw).toBe('{"u":"mina","list":[{"a":"é\\n"}]}');
});
