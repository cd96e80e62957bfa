import { type LeafType, type NodeType, nodeTypes } from "../batch/nested-node.js";
import type { SchemaElement } from "./footer.js";
import type { ThriftStruct } from "./thrift.js";

// Parquet's logical types.
// https://github.com/apache/parquet-format/blob/master/LogicalTypes.md

export const physicalTypes = {
  boolean: 0,
  int32: 1,
  int64: 2,
  int96: 3,
  float: 4,
  double: 5,
  byteArray: 6,
  fixedBytes: 7,
} as const;

const converted = {
  decimal: 5,
  date: 6,
  timeMillis: 7,
  timeMicros: 8,
  timestampMillis: 9,
  timestampMicros: 10,
  uint8: 11,
  uint64: 14,
  json: 19,
  bson: 20,
  interval: 21,
} as const;

const logical = {
  decimal: 5,
  date: 6,
  time: 7,
  timestamp: 8,
  integer: 10,
  unknown: 11,
  json: 12,
  bson: 13,
  uuid: 14,
  float16: 15,
  geometry: 17,
  geography: 18,
} as const;

/** Bytes of a decimal, as in src/kernels/nested/number-text.ts. */
const DECIMAL_BYTES_MAX = 64;
/** Digits after the point of a decimal. */
const SCALE_MAX = 512;
/** Bytes of a FIXED_LEN_BYTE_ARRAY. */
const FIXED_BYTES_MAX = 1024 * 1024;

/** Returns the type of a leaf's values, or a description of a leaf that cannot be read. */
export function valueTypeOf(element: SchemaElement): LeafType | string {
  const { type, logicalType } = element;
  if (logicalType?.has(logical.unknown)) return value(nodeTypes.null);
  switch (type) {
    case physicalTypes.boolean:
      return value(nodeTypes.boolean);
    case physicalTypes.int32:
      return int32Type(element);
    case physicalTypes.int64:
      return int64Type(element);
    case physicalTypes.int96:
      return value(nodeTypes.int96);
    case physicalTypes.float:
      return value(nodeTypes.float);
    case physicalTypes.double:
      return value(nodeTypes.double);
    case physicalTypes.byteArray:
      return bytesType(element);
    case physicalTypes.fixedBytes:
      return fixedType(element);
    default:
      return `of the unknown type ${type}`;
  }
}

/** Returns true for texts that are JSON. */
export function isJsonText(element: SchemaElement): boolean {
  return element.type === physicalTypes.byteArray && is(element, logical.json, converted.json);
}

function int32Type(element: SchemaElement): LeafType | string {
  if (isDecimal(element)) return decimal(element, nodeTypes.decimal32);
  if (is(element, logical.date, converted.date)) return value(nodeTypes.date);
  if (is(element, logical.time, converted.timeMillis)) return value(nodeTypes.time32, 3);
  return value(isUnsigned(element) ? nodeTypes.uint32 : nodeTypes.int32);
}

function int64Type(element: SchemaElement): LeafType | string {
  const { logicalType, convertedType } = element;
  if (isDecimal(element)) return decimal(element, nodeTypes.decimal64);
  const time = member(logicalType, logical.time);
  if (time !== undefined) return value(nodeTypes.time64, unitDigits(time));
  const timestamp = member(logicalType, logical.timestamp);
  if (timestamp !== undefined) {
    return value(nodeTypes.timestamp, unitDigits(timestamp), timestamp.get(1) === true ? 1 : 0);
  }
  // The format says that the old annotations mean UTC.
  if (convertedType === converted.timeMicros) return value(nodeTypes.time64, 6);
  if (convertedType === converted.timestampMillis) return value(nodeTypes.timestamp, 3, 1);
  if (convertedType === converted.timestampMicros) return value(nodeTypes.timestamp, 6, 1);
  return value(isUnsigned(element) ? nodeTypes.uint64 : nodeTypes.int64);
}

function bytesType(element: SchemaElement): LeafType | string {
  if (isDecimal(element)) return decimal(element, nodeTypes.decimal);
  const opaque =
    is(element, logical.bson, converted.bson) ||
    element.logicalType?.has(logical.geometry) ||
    element.logicalType?.has(logical.geography);
  return value(opaque ? nodeTypes.hex : nodeTypes.text);
}

function fixedType(element: SchemaElement): LeafType | string {
  const { logicalType, convertedType, typeLength } = element;
  if (typeLength < 1 || typeLength > FIXED_BYTES_MAX) return `of ${typeLength} fixed bytes`;
  if (isDecimal(element)) {
    if (typeLength > DECIMAL_BYTES_MAX) return `a decimal of ${typeLength} bytes`;
    return decimal(element, nodeTypes.fixedDecimal, typeLength);
  }
  if (logicalType?.has(logical.uuid) && typeLength === 16) return value(nodeTypes.uuid, 16);
  if (logicalType?.has(logical.float16) && typeLength === 2) return value(nodeTypes.half, 2);
  if (convertedType === converted.interval && typeLength === 12) {
    return value(nodeTypes.interval, 12);
  }
  return value(nodeTypes.fixedHex, typeLength);
}

function value(type: NodeType, width = 0, option = 0): LeafType {
  return { type, width, option };
}

function decimal(element: SchemaElement, type: NodeType, width = 0): LeafType | string {
  const scale = member(element.logicalType, logical.decimal)?.get(1) ?? element.scale;
  if (typeof scale !== "number" || scale < 0 || scale > SCALE_MAX) {
    return `a decimal with ${scale} places`;
  }
  return value(type, width, scale);
}

function isDecimal(element: SchemaElement): boolean {
  return is(element, logical.decimal, converted.decimal);
}

function isUnsigned({ logicalType, convertedType }: SchemaElement): boolean {
  const integer = member(logicalType, logical.integer);
  if (integer !== undefined) return integer.get(2) === false;
  return (
    convertedType !== undefined &&
    convertedType >= converted.uint8 &&
    convertedType <= converted.uint64
  );
}

function is(element: SchemaElement, logicalId: number, convertedType: number): boolean {
  return element.logicalType?.has(logicalId) === true || element.convertedType === convertedType;
}

function member(type: ThriftStruct | undefined, id: number): ThriftStruct | undefined {
  const found = type?.get(id);
  return found instanceof Map ? found : undefined;
}

// Field 2 of TIME and TIMESTAMP is a union: 1 milliseconds, 2 microseconds, 3 nanoseconds.
function unitDigits(time: ThriftStruct): number {
  const unit = member(time, 2);
  return unit?.has(1) ? 3 : unit?.has(3) ? 9 : 6;
}

/** Returns the bytes of a value in a page, 0 for byte arrays and booleans. */
export function widthOf({ type, typeLength }: SchemaElement): number {
  switch (type) {
    case physicalTypes.int32:
    case physicalTypes.float:
      return 4;
    case physicalTypes.int64:
    case physicalTypes.double:
      return 8;
    case physicalTypes.int96:
      return 12;
    case physicalTypes.fixedBytes:
      return typeLength;
    default:
      return 0;
  }
}
