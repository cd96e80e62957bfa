import { omitUndefined } from "../../base/omit-undefined.js";
import type { RowOrigin } from "../../batch/batch.js";
import { type Format, isFormat } from "../../sources/source.js";

/** A rejected row, to be read again. */
export interface KeptRow {
  readonly raw: Buffer;
  readonly format: Format;
  /** Undefined for a line that is not a reject. */
  readonly origin: RowOrigin | undefined;
  /** Why it was rejected before. */
  readonly code: string | undefined;
}

/**
 * Parses a line of a rejects file. A line that is not a reject (damaged, edited, from elsewhere) is a row
 * of JSON itself: it is counted, and rejected if it is not an event.
 */
export function parseRejectLine(line: Buffer): KeptRow {
  const itself: KeptRow = {
    raw: line,
    format: { kind: "ndjson" },
    origin: undefined,
    code: undefined,
  };
  let value: unknown;
  try {
    value = JSON.parse(line.toString("utf8"));
  } catch {
    return itself;
  }
  if (!isReject(value)) return itself;
  const { source, row, byte, element, code, format, raw, rawBase64 } = value;
  return {
    raw: raw === undefined ? Buffer.from(rawBase64 ?? "", "base64") : Buffer.from(raw),
    format,
    code,
    origin: { source, ...omitUndefined({ row, byte, element }), format },
  };
}

interface Reject {
  readonly source: string;
  readonly row?: number;
  readonly byte?: number;
  readonly element?: string;
  readonly code: string;
  readonly format: Format;
  readonly raw?: string;
  readonly rawBase64?: string;
}

/** Returns whether a parsed line has the members of a reject. */
export function isReject(value: unknown): value is Reject {
  if (typeof value !== "object" || value === null) return false;
  const { source, row, byte, element, code, format, raw, rawBase64 } = value as Record<
    string,
    unknown
  >;
  return (
    typeof source === "string" &&
    typeof code === "string" &&
    (row === undefined || typeof row === "number") &&
    (byte === undefined || typeof byte === "number") &&
    (element === undefined || typeof element === "string") &&
    (typeof raw === "string" || typeof rawBase64 === "string") &&
    isFormat(format)
  );
}
