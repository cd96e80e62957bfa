import type { ReportProperties, ReportProperty } from "../../src/profile/report.js";

const plans = ["free", "pro", "team", "enterprise"];

/** Properties of all kinds: full and sparse, of one type and of several, short and long. */
export function exampleProperties(seed: number, rows: number): ReportProperties {
  const property = (key: string, change: Partial<ReportProperty>): ReportProperty => ({
    key,
    rows,
    fill: 1,
    types: { string: rows },
    distinct: { count: 4, error: 0 },
    topValues: plans.map((value, place) => ({ value, rows: Math.ceil(rows / (place + 2)) })),
    topValuesError: 0,
    days: null,
    examples: [],
    bytes: { min: 6, mean: 8, max: 12 },
    numbers: null,
    ...change,
  });
  const most = Math.floor(rows * 0.94);
  return {
    rows,
    keys: [
      property("plan", {}),
      property("price", {
        rows: most,
        fill: 0.98,
        types: { number: most - 1_200, string: 1_200 },
        distinct: { count: 1_840 + seed, error: 0.0081 },
        topValues: ["19.99", "4.5", '"19,99"'].map((value, place) => ({
          value,
          rows: 900 - place * 250,
        })),
        bytes: { min: 1, mean: 5, max: 9 },
        numbers: { min: -1, max: 12_999.5 },
      }),
      property("url", {
        rows: most,
        fill: 0.71,
        distinct: { count: 18_204, error: 0.0081 },
        topValues: ["/", "/product/8812?utm_source=newsletter&utm_medium=email", "/search"].map(
          (value, place) => ({ value, rows: 4_100 - place * 900 }),
        ),
        bytes: { min: 3, mean: 88, max: 2_210 },
      }),
      property("isReturning", {
        types: { boolean: most, null: rows - most },
        fill: 0.94,
        distinct: { count: 2, error: 0 },
        topValues: ["true", "false"].map((value, place) => ({ value, rows: most >> (place + 1) })),
        bytes: { min: 4, mean: 4, max: 5 },
      }),
      property("items", {
        rows: Math.floor(rows * 0.12),
        fill: 0.999_9,
        types: { array: Math.floor(rows * 0.12) },
        distinct: { count: 880, error: 0.0081 },
        topValues: [{ value: '[{"sku":"A-1","count":2}]', rows: 31 }],
        bytes: { min: 2, mean: 240, max: 18_400 },
      }),
    ],
    otherKeys: { keys: seed % 5 === 0 ? 12 : 0, values: seed % 5 === 0 ? 40 : 0 },
  };
}
