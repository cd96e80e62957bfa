import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { parseJson } from "../base/parse-json.js";
import type { MigrationReject } from "../contract/migration.js";
import {
  RAW_CHARACTERS_MAX,
  REJECTS_READ_BYTES_MAX,
  SAMPLES_MAX,
  TEXT_CHARACTERS_MAX,
} from "./journal-limits.js";

type Sample = MigrationReject["samples"][number];

/** A line of a rejects file, as far as it is shown. */
const line = z.object({
  source: z.string(),
  row: z.int().min(0).optional(),
  byte: z.int().min(0).optional(),
  code: z.string(),
  message: z.string().optional(),
  raw: z.string().optional(),
  rawBase64: z.string().optional(),
});

/**
 * Returns the first rows of some reject codes, from the rejects beside a manifest. Codes whose rows were
 * not found are missing; files that cannot be read are skipped, because the run is over.
 */
export async function readRejectSamples(
  manifestPath: string,
  codes: readonly string[],
): Promise<ReadonlyMap<string, Sample[]>> {
  const found = new Map<string, Sample[]>();
  if (codes.length === 0) return found;
  const directory = path.join(path.dirname(manifestPath), "rejects");
  const names = (await readdir(directory).catch(() => [])).sort();
  let bytesLeft = REJECTS_READ_BYTES_MAX;
  const isComplete = () => codes.every((code) => (found.get(code)?.length ?? 0) >= SAMPLES_MAX);
  for (const name of names) {
    if (bytesLeft <= 0 || isComplete()) break;
    const stream = createReadStream(path.join(directory, name), { end: bytesLeft - 1 });
    try {
      for await (const text of createInterface({
        input: stream,
        crlfDelay: Number.POSITIVE_INFINITY,
      })) {
        bytesLeft -= Buffer.byteLength(text) + 1;
        addSample(found, text);
        if (isComplete()) break;
      }
    } catch {
      // Removed or unreadable.
    } finally {
      stream.destroy();
    }
  }
  return found;
}

function addSample(found: Map<string, Sample[]>, text: string): void {
  const { data } = line.safeParse(parseJson(text));
  if (data === undefined) return;
  const { source, row = null, byte = null, code, message = "", raw, rawBase64 = "" } = data;
  const samples = found.get(code) ?? [];
  found.set(code, samples);
  if (samples.length >= SAMPLES_MAX) return;
  samples.push({
    source: source.slice(0, TEXT_CHARACTERS_MAX),
    row,
    byte,
    message: message.slice(0, TEXT_CHARACTERS_MAX),
    ...cutRaw(raw ?? rawBase64, raw === undefined),
  });
}

/** Cuts a row, not within a character or within the four digits of three bytes. */
export function cutRaw(raw: string, isBase64: boolean): Pick<Sample, "raw" | "isBase64" | "isCut"> {
  if (raw.length <= RAW_CHARACTERS_MAX) return { raw, isBase64, isCut: false };
  const isSplit = !isBase64 && /[\ud800-\udbff]/.test(raw.charAt(RAW_CHARACTERS_MAX - 1));
  const end = isSplit ? RAW_CHARACTERS_MAX - 1 : RAW_CHARACTERS_MAX;
  return { raw: raw.slice(0, end), isBase64, isCut: true };
}
