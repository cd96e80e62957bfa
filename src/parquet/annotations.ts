import type { SchemaElement } from "./footer.js";
import type { ThriftStruct } from "./thrift.js";
import { physicalTypes } from "./value-type.js";

const { int32, int64, byteArray, fixedBytes, int96 } = physicalTypes;
const timestamps = [int64, int96];
const decimals = [int32, int64, byteArray, fixedBytes];

/** The physical types that a converted type may annotate, by its number in parquet.thrift. */
const convertedTypes: Readonly<Record<number, readonly number[]>> = {
  0: [byteArray],
  4: [byteArray],
  5: decimals,
  6: [int32],
  7: [int32],
  8: [int64],
  9: timestamps,
  10: timestamps,
  11: [int32],
  12: [int32],
  13: [int32],
  14: [int64],
  15: [int32],
  16: [int32],
  17: [int32],
  18: [int64],
  19: [byteArray],
  20: [byteArray],
  21: [fixedBytes],
};

/** The same for the members of the union of logical types. */
const logicalTypes: Readonly<Record<number, (of: ThriftStruct) => readonly number[]>> = {
  1: () => [byteArray],
  4: () => [byteArray],
  5: () => decimals,
  6: () => [int32],
  7: (time) => (isMillis(time) ? [int32] : [int64]),
  8: () => timestamps,
  10: (integer) => (integer.get(1) === 64 ? [int64] : [int32]),
  12: () => [byteArray],
  13: () => [byteArray],
  14: () => [fixedBytes],
  15: () => [fixedBytes],
  17: () => [byteArray],
  18: () => [byteArray],
};

/**
 * Returns how a leaf's physical type contradicts its annotation, null if it does not.
 * https://github.com/apache/parquet-format/blob/master/LogicalTypes.md
 */
export function findContradiction(element: SchemaElement): string | null {
  const { type = -1, convertedType, logicalType } = element;
  const allowed = convertedType === undefined ? undefined : convertedTypes[convertedType];
  const isConverted = allowed === undefined || allowed.includes(type);
  const isLogical = [...(logicalType ?? [])].every(([id, of]) => {
    return !(of instanceof Map) || (logicalTypes[id]?.(of).includes(type) ?? true);
  });
  if (isConverted && isLogical) return null;
  const name = Object.entries(physicalTypes).find(([, number]) => number === type)?.[0];
  return `its annotation does not fit its physical type ${name ?? type}`;
}

// Field 2 of TIME is a union: 1 milliseconds.
function isMillis(time: ThriftStruct): boolean {
  const unit = time.get(2);
  return unit instanceof Map && unit.has(1);
}
