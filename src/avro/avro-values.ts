import { isUtf8 } from "node:buffer";
import { floatText } from "../batch/kernel.js";
import { AvroError, type AvroInput } from "./avro-input.js";
import type { JsonText } from "./json-text.js";

/** Reads one value from the input and writes it as JSON. */
export type WriteValue = (input: AvroInput, text: JsonText) => void;

const DAY_SECONDS = 86_400;

/** Bytes of the unscaled number of a decimal. */
const DECIMAL_BYTES_MAX = 64;

export const primitives: Readonly<Record<string, WriteValue>> = {
  null: (_, text) => text.writeAscii("null"),
  boolean: (input, text) => {
    const byte = input.readByte();
    if (byte > 1) throw new AvroError(`a boolean is ${byte}`);
    text.writeAscii(byte === 1 ? "true" : "false");
  },
  int: writeLong,
  long: writeLong,
  float: (input, text) => writeDouble(input.bytes.readFloatLE(input.pass(4)), text, floatText),
  double: (input, text) => writeDouble(input.bytes.readDoubleLE(input.pass(8)), text, String),
  bytes: (input, text) => writeBytes(input, text, input.passSized()),
  string: (input, text) => {
    const start = input.passSized();
    text.writeString(input.bytes, start, input.position);
  },
};

/** Returns the writer of a value of `size` bytes. */
export function fixedWriter(size: number): WriteValue {
  return (input, text) => {
    const start = input.pass(size);
    text.writeHex(input.bytes, start, input.position);
  };
}

/** The members of a schema that a logical type has. */
export interface LogicalSchema {
  /** The name of a primitive type, or `fixed`. */
  readonly type: string;
  readonly logicalType?: unknown;
  readonly scale?: unknown;
  readonly precision?: unknown;
  readonly size?: unknown;
}

/**
 * Returns the writer of a logical type; undefined for those that are unknown or do not fit their type,
 * which count as their type.
 */
export function logicalWriter(schema: LogicalSchema): WriteValue | undefined {
  switch (`${schema.type} ${schema.logicalType}`) {
    case "int date":
      return (input, text) => writeQuoted(text, dateText(Number(input.readLong())));
    case "int time-millis":
      return (input, text) => writeQuoted(text, timeText(input.readLong(), 3));
    case "long time-micros":
      return (input, text) => writeQuoted(text, timeText(input.readLong(), 6));
    case "long timestamp-millis":
      return timestampWriter(3, "Z");
    case "long timestamp-micros":
      return timestampWriter(6, "Z");
    case "long timestamp-nanos":
      return timestampWriter(9, "Z");
    case "long local-timestamp-millis":
      return timestampWriter(3, "");
    case "long local-timestamp-micros":
      return timestampWriter(6, "");
    case "long local-timestamp-nanos":
      return timestampWriter(9, "");
    case "bytes decimal":
    case "fixed decimal":
      return decimalWriter(schema);
    case "fixed uuid":
      return schema.size === 16 ? writeUuid : undefined;
    case "fixed duration":
      return schema.size === 12 ? writeDuration : undefined;
    default:
      return undefined;
  }
}

function writeLong(input: AvroInput, text: JsonText): void {
  text.writeAscii(String(input.readLong()));
}

/** JSON has neither NaN nor infinity. */
function writeDouble(value: number, text: JsonText, format: (value: number) => string): void {
  if (!Number.isFinite(value)) text.writeAscii("null");
  else text.writeAscii(Object.is(value, -0) ? "-0" : format(value));
}

/** Writes bytes as text if they are text, else as hexadecimal digits. */
function writeBytes(input: AvroInput, text: JsonText, start: number): void {
  const end = input.position;
  if (isText(input.bytes, start, end)) text.writeString(input.bytes, start, end);
  else text.writeHex(input.bytes, start, end);
}

function isText(bytes: Buffer, start: number, end: number): boolean {
  for (let p = start; p < end; p++) {
    const byte = bytes[p]!;
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return false;
  }
  return isUtf8(bytes.subarray(start, end));
}

function writeQuoted(text: JsonText, ascii: string): void {
  text.writeAscii(`"${ascii}"`);
}

function decimalWriter({
  type,
  size,
  scale = 0,
  precision,
}: LogicalSchema): WriteValue | undefined {
  if (!isCount(precision) || precision === 0 || !isCount(scale) || scale > precision)
    return undefined;
  const isFixed = type === "fixed";
  return (input, text) => {
    const start = isFixed ? input.pass(Number(size)) : input.passSized();
    const bytes = input.bytes.subarray(start, input.position);
    if (bytes.length > DECIMAL_BYTES_MAX)
      throw new AvroError(`a decimal has ${bytes.length} bytes`);
    text.writeAscii(decimalText(bytes, scale));
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 512;
}

/** `bytes`: a number in two's complement, the highest byte first. */
function decimalText(bytes: Buffer, scale: number): string {
  if (bytes.length === 0) throw new AvroError("a decimal has no bytes");
  const value = BigInt.asIntN(8 * bytes.length, BigInt(`0x${bytes.toString("hex")}`));
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  return `${value < 0n ? "-" : ""}${whole}${scale === 0 ? "" : `.${digits.slice(-scale)}`}`;
}

function timestampWriter(digits: 3 | 6 | 9, zone: "Z" | ""): WriteValue {
  // Most events have the day of the previous one.
  let knownDay = Number.NaN;
  let knownDate = "";
  return (input, text) => {
    const { seconds, fraction } = splitSeconds(input.readLong(), digits);
    const day = Math.floor(seconds / DAY_SECONDS);
    if (day !== knownDay) {
      knownDay = day;
      knownDate = dateText(day);
    }
    const clock = clockText(seconds - day * DAY_SECONDS, fraction, digits);
    writeQuoted(text, `${knownDate}T${clock}${zone}`);
  };
}

function timeText(value: number | bigint, digits: 3 | 6): string {
  const { seconds, fraction } = splitSeconds(value, digits);
  if (seconds < 0 || seconds > DAY_SECONDS) throw new AvroError(`a time of day is ${value}`);
  return clockText(seconds, fraction, digits);
}

/** Splits a time in units of 10^-digits seconds, rounded down. */
function splitSeconds(value: number | bigint, digits: 3 | 6 | 9) {
  const power = 10 ** digits;
  let seconds: number;
  let fraction: number;
  if (typeof value === "bigint") {
    seconds = Number(value / BigInt(power));
    fraction = Number(value % BigInt(power));
  } else {
    fraction = value % power;
    // Exact, unlike the quotient of a large value with a fraction.
    seconds = (value - fraction) / power;
  }
  return fraction < 0
    ? { seconds: seconds - 1, fraction: fraction + power }
    : { seconds, fraction };
}

/** HH:MM:SS, and the fraction with all its digits unless it is zero. */
function clockText(secondOfDay: number, fraction: number, digits: number): string {
  const minutes = Math.floor(secondOfDay / 60);
  const hours = Math.floor(minutes / 60);
  const clock = `${pad(hours)}:${pad(minutes % 60)}:${pad(secondOfDay % 60)}`;
  return fraction === 0 ? clock : `${clock}.${String(fraction).padStart(digits, "0")}`;
}

function pad(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/**
 * Returns days since 1970-01-01 as YYYY-MM-DD in the proleptic Gregorian calendar, for years that no Date
 * has as well. It counts in years that begin on 1 March, as the kernel's `writeDate` does.
 */
function dateText(days: number): string {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const leapDays =
    Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const leaps = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  const dayOfYear = dayOfEra - (365 * yearOfEra + leaps);
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0);
  return `${yearText(year)}-${pad(month)}-${pad(day)}`;
}

function yearText(year: number): string {
  if (year >= 0 && year <= 9_999) return String(year).padStart(4, "0");
  return `${year < 0 ? "-" : "+"}${String(Math.abs(year)).padStart(6, "0")}`;
}

function writeUuid(input: AvroInput, text: JsonText): void {
  const start = input.pass(16);
  const digits = input.bytes.toString("hex", start, input.position);
  const parts = [0, 8, 12, 16, 20].map((from, index, all) => digits.slice(from, all[index + 1]));
  writeQuoted(text, parts.join("-"));
}

/** Writes months, days and milliseconds as an ISO 8601 duration. */
function writeDuration(input: AvroInput, text: JsonText): void {
  const start = input.pass(12);
  const [months, days, milliseconds] = [0, 4, 8].map((at) => input.bytes.readUInt32LE(start + at));
  const { seconds, fraction } = splitSeconds(milliseconds ?? 0, 3);
  const rest = fraction === 0 ? "" : `.${String(fraction).padStart(3, "0")}`;
  writeQuoted(text, `P${months}M${days}DT${seconds}${rest}S`);
}
