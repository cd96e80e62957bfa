import { SourceError } from "../base/errors.js";
import { detectors, givenFormat } from "./formats.js";
import type { CsvDialect, Format, FormatKind } from "./source.js";
import type { DetectFormat } from "./source-discovery.js";
import type { HeadSample } from "./source-head.js";

/** What the user says about the inputs; the rest is detected. */
export interface GivenFormat {
  readonly kind?: FormatKind | undefined;
  readonly csv: Partial<CsvDialect>;
}

/** Makes the detection of formats by first bytes. It believes what the user gives. */
export function createFormatDetection({ kind, csv }: GivenFormat): DetectFormat {
  return (sample, name) =>
    kind === undefined ? detect(sample, name, csv) : givenFormat(kind, sample, { name, csv });
}

async function detect(
  sample: HeadSample,
  name: string,
  csv: Partial<CsvDialect>,
): Promise<Format | null> {
  for (const detector of detectors) {
    const detected = await detector(sample, { name, csv });
    if (detected === "undecided") return null;
    if (detected !== "none") return detected;
  }
  if (isBlank(sample.bytes)) return { kind: "ndjson" };
  throw new SourceError(
    "format_unknown",
    { source: name },
    "its first bytes are of no known format. Pass --input-format, or leave the file out.",
  );
}

function isBlank(head: Uint8Array): boolean {
  return /^\ufeff?[ \t\r\n]*$/.test(Buffer.from(head).toString());
}
