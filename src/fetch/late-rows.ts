import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { openBytes } from "../sources/open-bytes.js";
import type { SourceBytes } from "../sources/source.js";
import { lineSource } from "./check-lines.js";

/** Rows whose keys are held in memory at a time, with 100 bytes each. */
const ROWS_HELD_MAX = 2_000_000;

const BLOCK_BYTES = 1 << 18;
const LINE_FEED = 0x0a;

interface Comparison {
  /** Paths of the files that are there, as JSON lines, compressed or not. */
  readonly known: readonly string[];
  /** Path of the file with what the vendor has now. */
  readonly asked: string;
  /** Rows of all of these files. */
  readonly rows: number;
  /** Identifies a row, given as a line of JSON. */
  keyOf(line: string): string;
  /** Keys that are held in memory at a time. */
  readonly rowsHeldMax?: number;
  readonly signal: AbortSignal;
}

/**
 * Returns the rows of a new answer that are not in the files of its window, as gzip of JSON lines. A row that
 * the vendor has more often than the files do is new as often.
 */
export async function* lateRows(comparison: Comparison): AsyncGenerator<Uint8Array> {
  const gzip = createGzip();
  const written = pipeline(async function* () {
    for await (const line of newLines(comparison)) yield `${line}\n`;
  }, gzip);
  // Its error is that of the bytes below, too.
  written.catch(() => undefined);
  yield* gzip;
  await written;
}

/** Reads the files as often as it takes to hold the keys of a part of the rows at a time. */
async function* newLines(comparison: Comparison): AsyncGenerator<string> {
  const { known, asked, rows, keyOf, rowsHeldMax = ROWS_HELD_MAX, signal } = comparison;
  const parts = Math.max(1, Math.ceil(rows / rowsHeldMax));
  for (let part = 0; part < parts; part += 1) {
    const digestOf = (line: string) => {
      const digest = createHash("sha256").update(keyOf(line)).digest();
      return digest.readUInt32LE(16) % parts === part
        ? digest.toString("latin1", 0, 16)
        : undefined;
    };
    const counts = new Map<string, number>();
    for (const path of known) {
      for await (const line of linesOf(await lineSource(path, path), signal)) {
        const digest = digestOf(line);
        if (digest !== undefined) counts.set(digest, (counts.get(digest) ?? 0) + 1);
      }
    }
    for await (const line of linesOf(await lineSource(asked, asked), signal)) {
      const digest = digestOf(line);
      if (digest === undefined) continue;
      const count = counts.get(digest) ?? 0;
      if (count > 0) counts.set(digest, count - 1);
      else yield line;
    }
  }
}

/** The lines of a source that are not empty. */
async function* linesOf(source: SourceBytes, signal: AbortSignal): AsyncGenerator<string> {
  const bytes = await openBytes(source, 0, { signal, ratioMax: Number.POSITIVE_INFINITY });
  const block = Buffer.alloc(BLOCK_BYTES);
  let begun: Buffer[] = [];
  try {
    for (let count = await bytes.read(block); count > 0; count = await bytes.read(block)) {
      let start = 0;
      for (let end = endIn(block, start, count); end !== -1; end = endIn(block, start, count)) {
        begun.push(Buffer.from(block.subarray(start, end)));
        const line = Buffer.concat(begun).toString("utf8");
        if (line !== "") yield line;
        begun = [];
        start = end + 1;
      }
      if (start < count) begun.push(Buffer.from(block.subarray(start, count)));
    }
    const line = Buffer.concat(begun).toString("utf8");
    if (line !== "") yield line;
  } finally {
    await bytes.close();
  }
}

function endIn(block: Buffer, start: number, count: number): number {
  const end = block.indexOf(LINE_FEED, start);
  return end < count ? end : -1;
}

/** Returns a value as JSON with its keys in order, so that equal values have equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
