import { expect, it } from "vitest";
import { drawUnits, randomOf, type Unit } from "../../../src/engine/quick/draw-units.js";
import type { Source } from "../../../src/sources/source.js";

const sourceOf = (name: string, size: number): Source => ({
  name,
  path: `/${name}`,
  codecs: [],
  size,
  fingerprint: "",
  format: { kind: "ndjson" },
});

const unitsOf = (...sizes: readonly number[]): readonly Unit[] =>
  sizes.map((size, index) => ({ source: sourceOf(`s${index}`, size), index: 0, size }));

it("draws one unit of each stratum", () => {
  const units = unitsOf(...Array.from({ length: 100 }, () => 1));
  const drawn = drawUnits(units, { total: 100, draws: 10 }, Math.random);
  expect(drawn.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  for (const [stratum, { unit, draws }] of drawn.entries()) {
    expect(Math.floor(units.indexOf(unit) / 10)).toBe(stratum);
    expect(draws).toBe(1);
  }
});

it("draws units by their sizes, large ones several times", () => {
  const drawn = drawUnits(unitsOf(1, 97, 2), { total: 100, draws: 10 }, () => 0.5);
  expect(drawn.map(({ unit, draws }) => [unit.size, draws])).toEqual([[97, 10]]);
  const first = drawUnits(unitsOf(1, 97, 2), { total: 100, draws: 10 }, () => 0);
  expect(first.map(({ unit, draws }) => [unit.size, draws])).toEqual([
    [1, 1],
    [97, 9],
  ]);
});

it("draws by names, and otherwise for other inputs", () => {
  const numbers = (...sources: Parameters<typeof randomOf>[0]) => {
    const random = randomOf(sources);
    return [random(), random(), random()];
  };
  const [one, other] = [sourceOf("a", 5), sourceOf("b", 5)];
  expect(numbers(one)).toEqual(numbers({ ...one }));
  expect(numbers(one)).not.toEqual(numbers(other));
  expect(numbers(one).every((number) => number >= 0 && number < 1)).toBe(true);
});
