import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FieldRequest } from "../../../src/batch/batch.js";
import { plainToken } from "../../support/json-tokens.js";
import { propertyRuns } from "../../support/property-runs.js";
import { json, type Row, readJson as read, text } from "./read-json.js";

const jsonText = fc
  .json({ maxDepth: 4, stringUnit: "binary" })
  .map((value) => Buffer.from(value).toString())
  .chain((value) =>
    fc.constantFrom(
      value,
      JSON.stringify({ k: JSON.parse(value) as unknown }),
      `{"a":${value},"b":1}`,
    ),
  );
/** A JSON text with one byte changed, dropped or doubled: mostly malformed, sometimes not. */
const damaged = fc
  .tuple(
    jsonText,
    fc.nat(),
    fc.constantFrom("", " ", '"', "\\", "{", "]", ",", "0", "-", ".", "e", "\u0001", "n"),
  )
  .map(([value, place, byte]) => {
    // Half of a surrogate pair that was cut becomes U+FFFD, as it would in a file.
    const at = value.length === 0 ? 0 : place % value.length;
    return Buffer.from(value.slice(0, at) + byte + value.slice(at + (place % 2))).toString();
  });

describe("against JSON.parse", () => {
  test("a line is accepted exactly if JSON.parse accepts it, and gives the same members", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(jsonText, damaged), { maxLength: 12 }), async (values) => {
        const lines = values
          .map((value) => value.replace(/[\n\r]/g, " "))
          .filter((line) => line.trim() !== "" && !/\}\s*\{/.test(line));
        const rows = await read(lines.join("\n"), [json("a"), json("b"), json("k")], {
          windowBytes: 64,
        });
        expect(rows.map(({ fault, cells }) => ({ fault, cells }))).toEqual(lines.map(expectedOf));
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  test("rows with the same members and any plain values are read as JSON.parse reads them", async () => {
    const row = fc
      .array(plainToken, { minLength: 4, maxLength: 4 })
      .map(([a, b, c, d]) => `{"a":${a},"b":${b},"wanted":${c},"d":${d}}`);
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 24 }), async (lines) => {
        const rows = await read(lines.join("\n"), [json("b"), json("wanted")]);
        expect(rows.map(({ fault }) => fault)).toEqual(lines.map((line) => expectedOf(line).fault));
        rows.forEach(({ fault, cells }, index) => {
          if (fault !== undefined) return;
          const [, token] = /^\w+ (.*)$/s.exec(cells["json wanted"] ?? "null null") ?? [];
          expect(lines[index]).toContain(`"wanted":${token},"d"`);
        });
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test("rows with keys like those of the row before are distinguished", async () => {
    const names = [
      "a",
      "ab",
      "abc",
      "x".repeat(13),
      "x".repeat(14),
      "x".repeat(29),
      "x".repeat(30),
      "b",
    ];
    const name = fc.oneof(
      fc.constantFrom(...names),
      fc.constantFrom(...names).map((known) => `${known}\\u0062`),
      fc.integer({ min: 0, max: 90 }).map((number) => `key ${number}`),
    );
    const space = fc.constantFrom("", "", "", " ");
    const member = fc
      .tuple(name, space, space, fc.constantFrom("1", '"\\u0061"', "null", '{"a":2}', "[]"))
      .map(([key, before, after, value]) => `"${key}"${before}:${after}${value}`);
    const row = fc.array(member, { maxLength: 80 }).map((members) => `{${members.join(",")}}`);
    const fields = [...names, "abcb"].map((known) => json(known));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 8 }), async (rows) => {
        const taken = await read([...rows, ...rows].join("\n"), fields);
        const expected = [...rows, ...rows].map((text) => {
          const value = JSON.parse(text) as Record<string, unknown>;
          return fields.map(({ path }) => value[path[0] ?? ""] ?? null);
        });
        const actual = taken.map(({ cells }) =>
          fields.map(({ path }) => {
            const [, token] = /^\w+ (.*)$/s.exec(cells[`json ${path[0]}`] ?? "") ?? [];
            return token === undefined ? null : (JSON.parse(token) as unknown);
          }),
        );
        expect(actual).toEqual(expected);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test("members that stay the same for many rows are told from those that nearly do", async () => {
    const valid = [
      "1",
      "12",
      "123",
      "-1",
      "1.5",
      "1e3",
      "null",
      "true",
      "false",
      '""',
      '"a"',
      '"ab"',
      "0",
      "9",
      "1234567890123456",
      "12345678901234567",
      "-0",
      "0.5",
      "{}",
      "[]",
      '{"x":1}',
      "[1,[2]]",
      '"\\u0061"',
      '"é"',
      `"${"y".repeat(40)}"`,
      ...[15, 16, 17, 31, 32, 33, 41, 42, 43, 55, 70].map((length) => `"${"y".repeat(length)}"`),
    ];
    const faulty = ["tru", "01", "1.", '"a', "[", "{}}", "nul", "", ",", "1x", "12 3", "nullx"];
    // Texts of the same length, each with another byte in it, which may make it malformed.
    const alike = (...bytes: string[]) =>
      fc
        .tuple(fc.nat(53), fc.constantFrom(...bytes))
        .map(([at, byte]) => `"${"y".repeat(at)}${byte}${"y".repeat(53 - at)}"`);
    const space = fc.constantFrom("", "", "", " ", "\t");
    const member = fc.record({
      name: fc.constantFrom(
        "a",
        "b",
        "c",
        "d",
        "e",
        "x".repeat(20),
        "x".repeat(40),
        "x".repeat(58),
      ),
      value: fc.oneof(alike("y"), fc.constantFrom(...valid)),
      before: space,
      between: fc.constantFrom(":", ":", ":", ": ", " :", " : "),
      after: space,
    });
    // Most members of most rows are those of the first; some have another value, some are left out.
    const change = fc.record({
      row: fc.nat(23),
      member: fc.nat(9),
      value: fc.option(fc.oneof(alike('"', "\\", "\u0001"), fc.constantFrom(...valid, ...faulty))),
    });
    const wanted = [json("a"), text("b")];
    const rest = { path: [], form: "rest", except: ["a", "c"] } as const;
    await fc.assert(
      fc.asyncProperty(
        fc.array(member, { minLength: 1, maxLength: 10 }),
        fc.array(change, { maxLength: 20 }),
        fc.constantFrom(64, 4096),
        fc.constantFrom<FieldRequest[]>([text("b"), text("d")], wanted, [...wanted, rest]),
        async (members, changes, windowBytes, fields) => {
          const lines = Array.from({ length: 24 }, (_, row) => {
            const texts = members.flatMap(({ name, value, before, between, after }, place) => {
              const changed = changes.find((one) => one.row === row && one.member === place);
              if (changed?.value === null) return [];
              return [`${before}"${name}"${between}${changed?.value ?? value}${after}`];
            });
            return `{${texts.join(",")}}`;
          });
          const together = await read(lines.join("\n"), fields, { windowBytes });
          const alone = await Promise.all(lines.map((line) => read(line, fields)));
          const withoutPlace = ({ fault, cells, raw }: Row) => ({ fault, cells, raw });
          expect(together.map(withoutPlace)).toEqual(alone.flat().map(withoutPlace));
          for (const [row, line] of lines.entries()) {
            if (together.length !== lines.length) break;
            expect(together[row]?.fault === undefined).toBe(isObject(line));
          }
        },
      ),
      { numRuns: propertyRuns(1000) },
    );
  });

  test("any chunks, windows and split points give the same rows", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(jsonText, damaged), { maxLength: 8 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 32, max: 200 }),
        async (values, chunkBytes, windowBytes) => {
          const input = values.join("\n");
          const size = Buffer.byteLength(input);
          const fields = [json("a"), text("b"), { path: [], form: "rest", except: ["a"] } as const];
          const whole = await read(input, fields);
          expect(await read(input, fields, { chunkBytes, windowBytes })).toEqual(whole);
          const values1 = await read(input, fields, { layout: "values" });
          expect(await read(input, fields, { layout: "values", chunkBytes, windowBytes })).toEqual(
            values1,
          );
          for (let at = 1; at < size; at++) {
            const first = await read(input, fields, { end: at, windowBytes });
            const second = await read(input, fields, { start: at, windowBytes, chunkBytes });
            expect([...first, ...second]).toEqual(whole);
          }
        },
      ),
      { numRuns: propertyRuns(60) },
    );
  });
});

function expectedOf(line: string): { fault: string | undefined; cells: Record<string, string> } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { fault: "malformed_row", cells: {} };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { fault: "row_not_object", cells: {} };
  }
  const cells = Object.entries(value)
    .filter(([key, member]) => ["a", "b", "k"].includes(key) && member !== null)
    .map(
      ([key, member]) =>
        [
          `json ${key}`,
          expect.toSatisfy((cell: string) => {
            const [, token] = /^\w+ (.*)$/s.exec(cell) ?? [];
            expect(JSON.parse(token ?? "")).toEqual(member);
            return true;
          }),
        ] as const,
    );
  return { fault: undefined, cells: Object.fromEntries(cells) };
}

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
