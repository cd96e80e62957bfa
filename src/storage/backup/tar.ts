import { SwitchyardError } from "../../base/errors.js";

/** Bytes of a block: headers have one, and contents are padded to whole ones. */
const BLOCK = 512;

/** The first byte above which a size does not fit into 11 octal digits. */
const OCTAL_SIZE_END = 8 ** 11;

/** A file of an archive. */
export interface TarFile {
  readonly name: string;
  readonly bytes: number;
}

interface TarEntry extends TarFile {
  readonly content: Iterable<Uint8Array>;
}

/**
 * Returns the bytes of a tar archive (POSIX ustar) of private files. Sizes of 8 GiB and more are binary, as
 * GNU and BSD tar write them. `modifiedSeconds` is the time of all files, since the epoch.
 */
export function* tarOf(
  entries: Iterable<TarEntry>,
  modifiedSeconds: number,
): Generator<Uint8Array, void> {
  for (const { name, bytes, content } of entries) {
    yield headerOf({ name, bytes }, modifiedSeconds);
    let size = 0;
    for (const part of content) {
      size += part.length;
      yield part;
    }
    if (size !== bytes) throw new Error(`${name} has ${size} bytes, but ${bytes} were announced`);
    yield new Uint8Array(paddingOf(bytes));
  }
  yield new Uint8Array(2 * BLOCK);
}

function headerOf({ name, bytes }: TarFile, modifiedSeconds: number): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, start: number, digits: number) =>
    header.write(value.toString(8).padStart(digits, "0"), start, "latin1");
  header.write(name, 0, "latin1");
  octal(0o600, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  if (bytes < OCTAL_SIZE_END) octal(bytes, 124, 11);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(bytes), 128);
  }
  octal(modifiedSeconds, 136, 11);
  header.write("0", 156, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  octal(checksumOf(header), 148, 6);
  header.write("\0 ", 154, "latin1");
  return header;
}

/** Returns the sum of the bytes of a header, with blanks for those of the sum itself. */
function checksumOf(header: Uint8Array): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}

function paddingOf(bytes: number): number {
  return (BLOCK - (bytes % BLOCK)) % BLOCK;
}

/** Reads an archive that `tarOf` made, file by file. Throws `backup_damaged` for everything else. */
export class TarReader {
  readonly #parts: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();
  /** Bytes of the current file, and of its padding, that were not read. */
  #left = 0;
  #padding = 0;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#parts = bytes[Symbol.asyncIterator]();
  }

  /** Returns the next file; undefined at the end of the archive. */
  async next(): Promise<TarFile | undefined> {
    for await (const _ of this.content()) {
      // Skipped.
    }
    await this.#take(this.#padding);
    const header = Buffer.from(await this.#take(BLOCK));
    if (header.every((byte) => byte === 0)) {
      await this.#requireEnd();
      return undefined;
    }
    const text = (start: number, end: number) =>
      header.toString("latin1", start, end).replace(/[\0 ].*$/s, "");
    if (text(257, 262) !== "ustar" || Number.parseInt(text(148, 156), 8) !== checksumOf(header)) {
      throw damaged("it has a header that does not fit");
    }
    const bytes =
      header[124] === 0x80
        ? Number(header.readBigUInt64BE(128))
        : Number.parseInt(text(124, 136), 8);
    if (!Number.isSafeInteger(bytes)) throw damaged("it has a header without a size");
    this.#left = bytes;
    this.#padding = paddingOf(bytes);
    return { name: text(0, 100), bytes };
  }

  /** Reads the content of the current file. */
  async *content(): AsyncGenerator<Uint8Array, void> {
    while (this.#left > 0) {
      if (this.#rest.length === 0) await this.#fill();
      const part = this.#rest.subarray(0, this.#left);
      this.#rest = this.#rest.subarray(part.length);
      this.#left -= part.length;
      yield part;
    }
  }

  /** Archives end with two empty blocks. Some programs add more of them. */
  async #requireEnd(): Promise<void> {
    let block = await this.#take(BLOCK);
    for (;;) {
      if (block.some((byte) => byte !== 0)) throw damaged("it goes on after its end");
      if (this.#rest.length > 0) block = this.#rest;
      else {
        const { done, value } = await this.#parts.next();
        if (done === true) return;
        block = value;
      }
      this.#rest = new Uint8Array();
    }
  }

  async #take(bytes: number): Promise<Uint8Array> {
    while (this.#rest.length < bytes) await this.#fill();
    const taken = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    return taken;
  }

  async #fill(): Promise<void> {
    const { done, value } = await this.#parts.next();
    if (done === true) throw damaged("it ends too early");
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
  }
}

/** Returns the error for a backup that cannot be restored; the caller names the file. */
export function damaged(reason: string, cause?: unknown): SwitchyardError {
  return new SwitchyardError("backup_damaged", reason, { cause });
}
