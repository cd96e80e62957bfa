import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WrittenChanges } from "../../src/mapper/mapping.js";
import type { CellRow } from "../support/cells.js";
import { mapRow, mapRows } from "../support/mapping.js";
import { propertyRuns } from "../support/property-runs.js";

const good = { event_type: "e", event_time: 1_700_000_000 } satisfies CellRow;

type Reading = { readonly as?: "json" | "integer" | ["json", "integer"]; readonly trim?: true };

/** The user ids of cells that are read in a way; undefined where the row has none. */
function idsOf(cells: readonly CellRow[string][], reading: Reading = {}) {
  const overrides = { userID: { field: "a", ...reading }, stableID: "device" };
  const rows = cells.map((a) => ({ ...good, a, device: "d" }));
  return mapRows(rows, { overrides }).rows.map(({ userID, outcome }) =>
    outcome === "deliver" ? userID : outcome,
  );
}

const idOf = (cell: CellRow[string], reading: Reading = {}) => idsOf([cell], reading)[0];

describe("blanks around a text", () => {
  it("are removed with trim, and kept without", () => {
    expect(idsOf([" u1", "u1 ", "u 1"], { trim: true })).toEqual(["u1", "u1", "u 1"]);
    expect(idsOf([" u1", "u1 "])).toEqual([" u1", "u1 "]);
  });

  it("can be any white space, control character or character without width", () => {
    const codes = [
      0, 9, 10, 13, 0x1f, 0x7f, 0x80, 0x85, 0xa0, 0xad, 0x1680, 0x180e, 0x2000, 0x200b, 0x200d,
      0x200f, 0x2028, 0x202f, 0x205f, 0x2060, 0x2064, 0x2069, 0x206f, 0x3000, 0xfeff,
    ];
    const blanks = codes.map((code) => String.fromCodePoint(code));
    const texts = blanks.flatMap((one) => [`${one}é`, `é${one}`, ` ${one}é${one}${one}`]);
    expect(new Set(idsOf(texts, { trim: true }))).toEqual(new Set(["é"]));
    expect(idOf(blanks.join(""), { trim: true })).toBeUndefined();
  });

  it("are those that String.trim removes, and no others of the printed characters", () => {
    const invisible = /^[\p{White_Space}\p{Cc}\p{Cf}]$/u;
    const one = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      fc.constant(" "),
    );
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 6 }), (characters) => {
        const text = characters.join("");
        const id = idOf(`x${text}`, { trim: true }) ?? "";
        expect(`x${text}`.startsWith(id)).toBe(true);
        expect([...`x${text}`.slice(id.length)].every((each) => invisible.test(each))).toBe(true);
        expect(id.trim()).toBe(id);
      }),
      { numRuns: propertyRuns(100) },
    );
  });
});

describe("a text that is JSON", () => {
  it("becomes its value with as json", () => {
    const texts = ['"u0"', '"a\\"\\u00e9"', ' "u0"\n', "12.50", "u0", '"u0', "007", '{"a":1}'];
    expect(idsOf(texts, { as: "json" })).toEqual([
      "u0",
      'a"é',
      "u0",
      "12.50",
      "u0",
      '"u0',
      "007",
      '{"a":1}',
    ]);
    expect(idsOf(texts)).toEqual(texts);
  });

  it("is missing if it is null or an empty string, and no id if it is a boolean", () => {
    expect(idsOf(["null", '""', "true"], { as: "json" })).toEqual([
      undefined,
      undefined,
      "unit_id_not_text",
    ]);
    expect(idsOf(['" u1 "', ' " u1"'], { as: "json", trim: true })).toEqual(["u1", "u1"]);
  });

  it("is what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (texts) => {
        expect(
          idsOf(
            texts.map((text) => JSON.stringify(text)),
            { as: "json" },
          ),
        ).toEqual(texts);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it("is decoded for names, values and times", () => {
    const overrides = {
      event: { field: "event_type", as: "json" },
      timestamp: { field: "event_time", as: "json" },
      value: { field: "value", as: "json" },
    } as const;
    const row = {
      event_type: '"buy"',
      event_time: '"2026-03-02 10:00:00"',
      user_id: "u",
      value: '"9.\\u00e9"',
    };
    expect(mapRow(row, { overrides })).toMatchObject({
      event: "buy",
      timestamp: Date.UTC(2026, 2, 2, 10),
      value: '"9.é"',
    });
    const mappedValue = (value: CellRow[string]) => mapRow({ ...row, value }, { overrides }).value;
    expect(["9.50", '{"a":1}', 5, "x"].map(mappedValue)).toEqual([
      "9.50",
      '"{\\"a\\":1}"',
      "5",
      '"x"',
    ]);
    expect(mappedValue("null")).toBeUndefined();
    const malformed = { ...row, value: { json: '"\\ud800"' } };
    expect(mapRow(malformed, { overrides }).outcome).toBe("value_not_scalar");
  });
});

describe("numbers as ids", () => {
  const numbers = ["1000", "1000.0", "1000.000", "1e3", "1E3", "1.0e3", "1000e0", "1.0E+03"];

  it("are one id if they are the same whole number", () => {
    const cells = numbers.map((json) => ({ json }));
    expect(new Set(idsOf(cells))).toEqual(new Set(["1000"]));
    expect(new Set(idsOf(cells, { as: "integer" }))).toEqual(new Set(["1000"]));
  });

  it("keep the digits of any other number", () => {
    const others = [
      "0.5",
      "1e-3",
      "1.25e1",
      "-0",
      "9007199254740993.0",
      "1e16",
      "12345678901234567890",
    ];
    expect(idsOf(others.map((json) => ({ json })))).toEqual(others);
    expect(idOf({ json: "9007199254740992.0" })).toBe("9007199254740992");
    expect(idOf({ json: "-1.50e1" })).toBe("-15");
  });

  it("as text are unchanged, and with as integer the same as numbers", () => {
    expect(idsOf(numbers)).toEqual(numbers);
    const texts = ["1000", "1000.0", "1000.000", "1.0e3", "1.0E+03", "1e+3", "1E+03"];
    expect(new Set(idsOf(texts, { as: "integer" }))).toEqual(new Set(["1000"]));
    expect(idOf('" 1000.0"', { as: ["json", "integer"], trim: true })).toBe("1000");
  });

  it("as text keep what may be no number, and numbers above 2^53", () => {
    const texts = [
      "12e3",
      "1E3",
      "007.0",
      "1.0.0",
      "1000.",
      ".0",
      "1.5",
      "1e+",
      "1.0e-3",
      "+1.0",
      "v1.0",
      "9007199254740993.0",
      "12345678901234567.0",
      "1.0e+16",
      "1,000.0",
      "1000.0 ",
    ];
    expect(idsOf(texts, { as: "integer" })).toEqual(texts);
  });

  it("agree with the number that JavaScript reads", () => {
    const text = fc.tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat(8));
    fc.assert(
      fc.property(text, ([value, places]) => {
        for (const json of [value.toExponential(places), Math.trunc(value % 1e9).toFixed(places)]) {
          const id = idOf({ json });
          expect(Number(id)).toBe(Number(json));
          if (Number.isSafeInteger(Number(json)) && Number(json) !== 0) {
            expect(id).toBe(String(Number(json)));
          }
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });
});

describe("a field that is read in a way", () => {
  it("is compared with texts and prefixes after the change, and with other fields before it", () => {
    const overrides: WrittenChanges = {
      userID: [
        { field: "a", trim: true, unless: ["null"], unlessSameAs: "device" },
        { field: "b", as: "json", unlessPrefix: "anon" },
        "c",
      ],
      stableID: "device",
    };
    const rows = [
      { a: " null ", b: '"b"' },
      { a: " d", device: " d", b: '"anon1"', c: "c" },
      { a: "  ", b: '""', c: " c" },
      { a: " x", b: '"b"' },
    ].map((row) => ({ ...good, device: "d", ...row }));
    const ids = mapRows(rows, { overrides }).rows.map(({ userID }) => userID);
    expect(ids).toEqual(["b", "c", " c", "x"]);
  });
});
