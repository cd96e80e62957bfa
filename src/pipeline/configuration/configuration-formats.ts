import { UsageError } from "../../base/errors.js";
import { MIB, ROW_BYTES_LIMIT } from "../../base/limits.js";
import { createZone, refuseZone } from "../../base/luxon-zone.js";
import { parsePrivacyPath } from "../../mapper/privacy-path.js";
import { isEpochFormat } from "../../mapper/time-format.js";
import { checkPattern, refusePattern } from "../../mapper/time-pattern.js";
import {
  parseCharacter,
  parseRejectLimit,
  parseShare,
  parseSize,
  parseTime,
} from "./configuration-values.js";

/** A rule for text that JSON Schema has no words for. */
export interface TextFormat {
  accepts(text: string): boolean;
  /** Completes the sentence "must be …". */
  readonly expected: string;
  /** Says more of a text that is not accepted, in the place of `expected`. */
  refuse?(text: string): string;
}

/** Formats that configuration-schema.ts and mapping-schema.ts use, by name. */
export const textFormats: Readonly<Record<string, TextFormat>> = {
  size: {
    accepts: (text) => parseSize(text) !== undefined,
    expected: "a size such as 512MB, 2GiB or a number of bytes",
  },
  "row-size": {
    accepts: (text) => (parseSize(text) ?? Number.POSITIVE_INFINITY) <= ROW_BYTES_LIMIT,
    expected: `a size of at most ${ROW_BYTES_LIMIT / MIB}MiB, such as 16MiB or a number of bytes`,
  },
  // Not "time", which JSON Schema has for a time of day: editors check it.
  instant: {
    accepts: (text) => parseTime(text) !== undefined,
    expected:
      "a date that exists (2026-01-31), a date-time (2026-01-31T17:00:00Z) or epoch milliseconds",
  },
  zone: {
    accepts: (text) => isUsable(() => createZone(text)),
    expected: "an IANA time zone such as Europe/Berlin, or a fixed offset such as +05:30",
    refuse: refuseZone,
  },
  "time-format": {
    accepts: (text) => isEpochFormat(text) || isUsable(() => checkPattern(text)),
    expected: "auto, s, ms, us, ns, or a pattern of Luxon's tokens such as yyyy-MM-dd HH:mm",
    refuse: refusePattern,
  },
  "reject-limit": {
    accepts: (text) => parseRejectLimit(text) !== undefined,
    expected: "a number of rows such as 100, or a share such as 1%",
  },
  share: {
    accepts: (text) => parseShare(text) !== undefined,
    expected: "a share above 0 and up to 100 %, such as 1% or 0.01",
  },
  character: {
    accepts: (text) => (parseCharacter(text) ?? "") !== "",
    expected: "one ASCII character, or one of tab, comma, semicolon, pipe, space",
  },
  "character-or-none": {
    accepts: (text) => parseCharacter(text) !== undefined,
    expected: "one ASCII character, or none",
  },
  "privacy-path": {
    accepts: (text) => isUsable(() => parsePrivacyPath(text)),
    expected: "userID, stableID, value, or a path such as user.email or metadata.card.number",
  },
  "header-name": {
    accepts: (text) =>
      /^[\w!#$%&'*+.^`|~-]+$/.test(text) && !takenHeaders.includes(text.toLowerCase()),
    expected: "the name of a header that has no other meaning, such as SERVICE-API-KEY",
  },
  "http-url": {
    accepts: isBaseUrl,
    expected:
      "an http or https URL without a user, a query or a fragment, such as https://events.example.com",
  },
  dataset: {
    accepts: (text) => /^[A-Za-z0-9][A-Za-z0-9._=-]{0,127}$/.test(text),
    expected:
      "a directory's name of letters, digits, dots, dashes and underscores, not led by _ or a dot",
  },
};

/** Headers, in lower case, that mean something else to the service or to HTTP. */
const takenHeaders: readonly string[] = [
  ...["connection", "content-encoding", "content-length", "content-type", "date", "expect", "host"],
  ...["idempotency-key", "if-match", "transfer-encoding", "upgrade", "x-request-id"],
];

/** A password in a URL would be printed and kept with it. */
function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return (
    (protocol === "http:" || protocol === "https:") && username + password + search + hash === ""
  );
}

function isUsable(use: () => unknown): boolean {
  try {
    use();
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}
