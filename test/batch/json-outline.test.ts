import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JSON_DEPTH_MAX } from "../../src/base/limits.js";
import { Kernel } from "../../src/batch/kernel.js";
import { readJson } from "../readers/json/read-json.js";
import { plainToken } from "../support/json-tokens.js";
import { propertyRuns } from "../support/property-runs.js";

const kernel = new Kernel();
const address = kernel.allocate(65_536);

/** Returns true if the kernel takes the text as one value, with bytes behind it that do not count. */
function isValue(text: string, behind: string): boolean {
  const bytes = Buffer.from(text);
  kernel.bytes.set(bytes, address);
  kernel.bytes.set(Buffer.from(behind), address + bytes.length);
  const end = address + bytes.length;
  const after = kernel.run.skipValue(address, end);
  if (after > end) throw new Error(`bytes behind the end were taken for a part of ${text}`);
  return after === end;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** An object or array with `%` where its plain values are. */
const outline = fc.letrec<{ value: string; nested: string }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, fc.constant("%"), tie("nested")),
  nested: fc.oneof(
    fc
      .array(fc.tuple(fc.string({ maxLength: 8 }), tie("value")), { maxLength: 6 })
      .map((members) => `{${members.map(([key, value]) => `${keyText(key)}:${value}`).join(",")}}`),
    fc
      .tuple(fc.array(tie("value"), { maxLength: 6 }), fc.constantFrom("", " ", "\n"))
      .map(([values, space]) => `[${space}${values.join(`,${space}`)}]`),
  ),
})).nested;

function keyText(key: string): string {
  return JSON.stringify(key).replaceAll("%", "");
}

function fill(form: string, tokens: readonly string[]): string {
  let next = 0;
  return form.replaceAll("%", () => tokens[next++ % tokens.length] ?? "");
}

describe("values with the outline of one before", () => {
  test("are taken exactly when JSON.parse takes them", () => {
    const texts = fc
      .tuple(
        fc.array(outline, { minLength: 1, maxLength: 3 }),
        fc.array(fc.array(plainToken, { minLength: 1, maxLength: 12 }), {
          minLength: 1,
          maxLength: 8,
        }),
      )
      .map(([forms, rows]) => rows.flatMap((row) => forms.map((form) => fill(form, row))));
    fc.assert(
      fc.property(texts, fc.constantFrom("]}", '"', ",", "1", "\0"), (values, behind) => {
        const known = values.flatMap((text) => [text, text]);
        const taken = known.map((text) => isValue(text, behind.repeat(64)));
        expect(taken).toEqual(known.map(parses));
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  test("are not accepted with a changed byte, nor cut off", () => {
    const form = '{"plan":%,"total":%,"items":[{"sku":%,"count":%}],"gift":%}';
    const rows = [
      ['"monthly"', "46.62", '"T-215"', "3", "false"],
      ['"a name that is longer than sixteen bytes"', "-1", '"\\u00e9"', "0", "null"],
    ];
    const values = rows.map((row) => fill(form, row));
    for (const text of values) {
      for (let place = 0; place < text.length; place++) {
        for (const byte of ["", '"', "\\", "}", "]", "[", ",", ":", "0", "-", ".", "\u0001", "z"]) {
          const damaged = text.slice(0, place) + byte + text.slice(place + 1);
          // The kernel forgets an outline after some values that differ.
          for (const value of values) expect(isValue(value, "}}}}")).toBe(true);
          expect([damaged, isValue(damaged, "}}}}")]).toEqual([damaged, parses(damaged)]);
        }
        expect(isValue(text.slice(0, place), text.slice(place))).toBe(false);
      }
    }
  });

  test("are too deep if they are deeper than the one before", async () => {
    const steps = Math.ceil(JSON_DEPTH_MAX / 60);
    const depths = Array.from({ length: steps }, (_, step) =>
      Math.min(60, JSON_DEPTH_MAX - step * 60),
    );
    const open = depths.map((depth) => "[".repeat(depth)).join("1,");
    const close = depths.map((depth) => "]".repeat(depth)).reverse();
    const deepest = `${open}1${close.join(",1")}`;
    const rows = [...new Array<string>(4).fill(deepest), `{"k":${deepest}}`];
    const read = await readJson(`[${rows.join(",")}]`, [], { layout: "values" });
    const faults = read.map(({ fault }) => fault);
    expect(faults).toEqual([...new Array<string>(4).fill("row_not_object"), "row_too_deep"]);
  });
});
