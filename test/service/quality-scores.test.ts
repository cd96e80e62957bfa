import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultQualityChecks, type QualityScore } from "../../src/contract/experiment-fields.js";
import { mergeQualityScores, qualityScoreFaults } from "../../src/service/quality-scores.js";
import { propertyRuns } from "../support/property-runs.js";

const score = (criteriaName: string, weight: number | string): QualityScore => ({
  criteriaName,
  weight,
});

const weights = (scores: readonly QualityScore[]) =>
  Object.fromEntries(scores.map(({ criteriaName, weight }) => [criteriaName, weight]));

describe("quality scores that are given", () => {
  it("are merged into the existing ones, and weights are scaled to 100", () => {
    const existing = [score("a", 50), score("b", 50)];
    expect(mergeQualityScores(existing, [score("c", 100)])).toEqual([
      score("a", 25),
      score("b", 25),
      score("c", 50),
    ]);
  });

  it("change the given fields of a known name, in its position", () => {
    const existing = [
      { ...score("a", 50), status: "PASSED", criteriaDescription: "d", score: 1 },
      score("b", 50),
    ];
    expect(mergeQualityScores(existing, [{ ...score("a", 150), score: 2 }])).toEqual([
      { ...score("a", 75), status: "PASSED", criteriaDescription: "d", score: 2 },
      score("b", 25),
    ]);
  });

  it("are echoed unchanged if their weights add up to 100", () => {
    const given = [score("a", "33.30"), score("b", "6.67e1")];
    expect(mergeQualityScores([], given)).toEqual(given);
  });

  it("have weights without the rounding of sums", () => {
    const scaled = mergeQualityScores(
      [],
      [score("a", 1), score("b", 9), score("c", 1), score("d", 9)],
    );
    expect(weights(scaled)).toEqual({ a: 5, b: 45, c: 5, d: 45 });
  });

  it("stay unchanged when an answer is sent back", () => {
    const merged = mergeQualityScores([], [score("a", 1), score("b", 1), score("c", 1)]);
    expect(mergeQualityScores(merged, merged)).toEqual(merged);
  });

  it("leave what there was untouched", () => {
    const existing = [score("a", 100)];
    mergeQualityScores(existing, [score("a", 1), score("b", 1)]);
    expect(existing).toEqual([score("a", 100)]);
  });
});

describe.each(defaultQualityChecks)("a score named like the default check %s", (name) => {
  it("sets the weight, not the status, description or score", () => {
    const given = { ...score(name, 40), status: "FAILED", criteriaDescription: "mine", score: 3 };
    expect(mergeQualityScores([], [given, score("a", 60)])).toEqual([
      score(name, 40),
      score("a", 60),
    ]);
  });

  it.each([0, "0", "0.0"])("is removed by a weight of %j", (weight) => {
    const existing = [score(name, 60), score("a", 40)];
    expect(mergeQualityScores(existing, [score(name, weight)])).toEqual([score("a", 100)]);
    expect(mergeQualityScores([], [score(name, weight)])).toEqual([]);
  });
});

it("a score of another name stays with a weight of 0", () => {
  const merged = mergeQualityScores([score("a", 50), score("b", 50)], [score("a", 0)]);
  expect(weights(merged)).toEqual({ a: 0, b: 100 });
});

it("at most 10 scores after merging", () => {
  const ten = Array.from({ length: 10 }, (_, index) => score(`score ${index}`, 10));
  expect(qualityScoreFaults(mergeQualityScores(ten, [score("score 3", 5)]))).toEqual([]);
  expect(qualityScoreFaults(mergeQualityScores(ten, [score("new", 5)]))).toEqual([
    {
      property: "manualQualityScores",
      errorMessage: "Must have at most 10 items together with the existing ones, not 11",
    },
  ]);
});

it("weights that are all 0 are refused, because they cannot be scaled to 100", () => {
  expect(qualityScoreFaults(mergeQualityScores([], [score("a", 0), score("b", "0")]))).toEqual([
    { property: "manualQualityScores", errorMessage: "Weights must not all be 0" },
  ]);
  expect(qualityScoreFaults([])).toEqual([]);
});

describe("any quality checks in any order", () => {
  const name = fc.oneof(fc.constantFrom(...defaultQualityChecks), fc.string({ maxLength: 3 }));
  const weight = fc.oneof(
    fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: 0, max: 100 }),
    fc.integer({ min: 0, max: 100 }).map(String),
  );
  const given = fc.uniqueArray(fc.record({ criteriaName: name, weight }), {
    selector: ({ criteriaName }) => criteriaName,
    maxLength: 10,
  });

  it("at most 10 scores are accepted, their weights add up to 100, and no name is repeated", () => {
    fc.assert(
      fc.property(fc.array(given, { minLength: 1, maxLength: 4 }), (requests) => {
        let scores: readonly QualityScore[] = [];
        for (const request of requests) {
          const merged = mergeQualityScores(scores, request);
          if (qualityScoreFaults(merged).length === 0) scores = merged;
        }
        const sum = scores.reduce((before, { weight }) => before + Number(weight), 0);
        if (scores.length > 0) expect(sum).toBeCloseTo(100, 8);
        expect(scores.length).toBeLessThanOrEqual(10);
        expect(new Set(scores.map(({ criteriaName }) => criteriaName)).size).toBe(scores.length);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("weights keep their proportions", () => {
    const size = fc.integer({ min: 1, max: 1_000 });
    fc.assert(
      fc.property(size, size, (a, b) => {
        const merged = weights(mergeQualityScores([], [score("a", a), score("b", b)]));
        expect(Number(merged["a"]) / Number(merged["b"])).toBeCloseTo(a / b, 6);
      }),
    );
  });
});
