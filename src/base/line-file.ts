import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileContent, writeDurably } from "./durable-file.js";
import { KIB } from "./limits.js";

/** Size and content of a file of lines. */
export type LineFile = FileContent;

/** Bytes that are written or read at a time. Larger strings wait long for the garbage collector. */
const BLOCK_BYTES = 64 * KIB;

/** Writes a file as `writeDurably` does, without holding it in memory. Lines end in a line feed. */
export async function writeLines(
  path: string,
  lines: Iterable<string>,
  temporaryDirectory: string,
): Promise<LineFile> {
  const digest = new LineDigest();
  await writeDurably(path, digest.pass(lines), { temporaryDirectory });
  return digest.result();
}

/** Returns what `writeLines` would return. */
export function digestLines(lines: Iterable<string>): LineFile {
  const digest = new LineDigest();
  for (const _ of digest.pass(lines));
  return digest.result();
}

/** Calls `take` with each line of a file, without its line feed. Throws the system's errors. */
export async function readLines(path: string, take: (line: string) => void): Promise<LineFile> {
  const digest = new LineDigest();
  let rest = Buffer.alloc(0);
  for await (const block of createReadStream(path, { highWaterMark: BLOCK_BYTES })) {
    digest.add(block as Buffer);
    const bytes = Buffer.concat([rest, block as Buffer]);
    const end = bytes.lastIndexOf(10) + 1;
    const lines = bytes.toString("utf8", 0, end).split("\n");
    for (const line of lines.slice(0, -1)) take(line);
    rest = bytes.subarray(end);
  }
  if (rest.length > 0) take(rest.toString("utf8"));
  return digest.result();
}

class LineDigest {
  readonly #hash = createHash("sha256");
  #bytes = 0;

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }

  /** Yields the bytes of lines in blocks, and adds them to the digest. */
  *pass(lines: Iterable<string>): Generator<Uint8Array> {
    let open: string[] = [];
    let length = 0;
    for (const line of lines) {
      open.push(line, "\n");
      length += line.length;
      if (length < BLOCK_BYTES) continue;
      yield this.#block(open);
      open = [];
      length = 0;
    }
    yield this.#block(open);
  }

  result(): LineFile {
    return { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }

  #block(texts: readonly string[]): Uint8Array {
    const bytes = Buffer.from(texts.join(""));
    this.add(bytes);
    return bytes;
  }
}
