import { expect, test } from "vitest";
import { findContradiction } from "../../src/parquet/annotations.js";
import type { SchemaElement } from "../../src/parquet/footer.js";
import { physicalTypes } from "../../src/parquet/value-type.js";

const { int32, int64, byteArray, fixedBytes } = physicalTypes;
const [STRING, DECIMAL, DATE, TIME, TIMESTAMP, INTEGER, UUID] = [1, 5, 6, 7, 8, 10, 14];

/** A unit of TIME: a union of empty structures. */
const unit = (id: number) => new Map([[2, new Map([[id, new Map()]])]]);
const [millis, micros] = [unit(1), unit(2)];
const bits = (count: number) => new Map([[1, count]]);

test.each<[logical: number, of: ReadonlyMap<number, unknown>, fits: number, contradicts: number]>([
  [STRING, new Map(), byteArray, int64],
  [DECIMAL, new Map(), fixedBytes, physicalTypes.double],
  [DATE, new Map(), int32, int64],
  [TIME, millis, int32, int64],
  [TIME, micros, int64, int32],
  [TIMESTAMP, millis, int64, byteArray],
  [INTEGER, bits(64), int64, int32],
  [INTEGER, bits(16), int32, int64],
  [UUID, new Map(), fixedBytes, byteArray],
])("logical type %i %o fits its physical type and no other", (id, of, fits, contradicts) => {
  const check = (type: number) => {
    const element = { name: "n", type, logicalType: new Map([[id, of]]) };
    return findContradiction(element as unknown as SchemaElement);
  };
  expect(check(fits)).toBeNull();
  expect(check(contradicts)).toContain("does not fit its physical type");
});
