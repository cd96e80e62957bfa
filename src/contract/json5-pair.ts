import { type AnyObject, kindOf, type RuleFault } from "./fields.js";
import {
  DOCUMENT_DEPTH_MAX,
  isSameJson,
  type Json5Reader,
  jsonFault,
  type Reading,
  readJson,
  VALUE_DEPTH_MAX,
} from "./json-text.js";

/** An object and the same value as JSON5 text. */
interface ValuePair {
  readonly value: AnyObject;
  readonly json5: string;
}

/** A JSON document as JSON text and as JSON5 text; both null without a document. */
interface TextPair {
  readonly json: string | null;
  readonly json5: string | null;
}

/**
 * Completes a JSON5 pair; returns undefined if neither field is given. Given fields stay unchanged, texts
 * to the byte. They must have passed `valuePairFaults`.
 */
export function completeValue(
  value: AnyObject | undefined,
  json5: string | undefined,
  reader: Json5Reader,
): ValuePair | undefined {
  if (json5 === undefined) {
    return value === undefined ? undefined : { value, json5: JSON.stringify(value) };
  }
  return { value: value ?? (meaningOf(reader.read(json5, VALUE_DEPTH_MAX)) as AnyObject), json5 };
}

/** Does the same as `completeValue` for a document that is text in both fields. JSON is also JSON5. */
export function completeText(
  json: string | null | undefined,
  json5: string | null | undefined,
  reader: Json5Reader,
): TextPair | undefined {
  if (json5 === undefined) return json === undefined ? undefined : { json, json5: json };
  if (json !== undefined) return { json, json5 };
  if (json5 === null) return { json: null, json5 };
  return { json: JSON.stringify(meaningOf(reader.read(json5, DOCUMENT_DEPTH_MAX))), json5 };
}

/**
 * Returns the faults of the object `name` of `holder` and its text `<name>Json5`. Values of a wrong type
 * are skipped: the schema of the field reports them.
 */
export function valuePairFaults(holder: unknown, name: string, reader: Json5Reader): RuleFault[] {
  const json5Name = `${name}Json5`;
  const { [name]: value, [json5Name]: json5 } = asRecord(holder);
  const isObject = kindOf(value) === "object";
  const valueFault = isObject ? jsonFault(value, VALUE_DEPTH_MAX) : undefined;
  const faults: RuleFault[] = [];
  if (valueFault !== undefined) faults.push({ path: [name], message: valueFault });
  if (typeof json5 !== "string") return faults;
  const reading = objectReading(reader.read(json5, VALUE_DEPTH_MAX));
  if ("fault" in reading) {
    faults.push({ path: [json5Name], message: reading.fault });
  } else if (isObject && valueFault === undefined && !isSameJson(value, reading.value)) {
    faults.push(differ(json5Name, name));
  }
  return faults;
}

/** Does the same as `valuePairFaults` for a document that is text in both fields, or null. */
export function textPairFaults(holder: unknown, name: string, reader: Json5Reader): RuleFault[] {
  const json5Name = `${name}Json5`;
  const { [name]: json, [json5Name]: json5 } = asRecord(holder);
  const one = readingOf(json, (text) => readJson(text, DOCUMENT_DEPTH_MAX));
  const other = readingOf(json5, (text) => reader.read(text, DOCUMENT_DEPTH_MAX));
  const faults: RuleFault[] = [];
  if (one !== undefined && "fault" in one) faults.push({ path: [name], message: one.fault });
  if (other !== undefined && "fault" in other) {
    faults.push({ path: [json5Name], message: other.fault });
  }
  if (one === undefined || other === undefined || faults.length > 0) return faults;
  // The text `null` is a document, not the absence of one.
  const isSame =
    (json === null) === (json5 === null) && isSameJson(meaningOf(one), meaningOf(other));
  return isSame ? [] : [differ(json5Name, name)];
}

function readingOf(given: unknown, read: (text: string) => Reading): Reading | undefined {
  if (given === null) return { value: null };
  return typeof given === "string" ? read(given) : undefined;
}

function objectReading(reading: Reading): Reading {
  if ("fault" in reading || kindOf(reading.value) === "object") return reading;
  return { fault: `Expected object, received ${kindOf(reading.value)}` };
}

function meaningOf(reading: Reading): unknown {
  if ("fault" in reading) throw new Error(`an unchecked text was read: ${reading.fault}`);
  return reading.value;
}

function differ(json5Name: string, name: string): RuleFault {
  return { path: [json5Name], message: `Must have the same value as ${name}` };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return kindOf(value) === "object" ? (value as Record<string, unknown>) : {};
}
