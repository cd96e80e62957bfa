import { MIB } from "../base/limits.js";
import { omitUndefined } from "../base/omit-undefined.js";
import type { Codec, Format, Source, ZipEntry } from "./source.js";

const BLOCK_BYTES = MIB;

/** Lengths of three texts, the number of a path rule and of a kind, and a size. */
const HEAD_BYTES = 5 * 4 + 8;

/** The last characters of a fingerprint of a file: a SHA-256, which is kept as 32 bytes. */
const digestAtEnd = /"[0-9a-f]{64}"\}$/;
const DIGEST_BYTES = 32;

/** Set in the length of a fingerprint whose digest is kept as bytes. */
const HAS_DIGEST = 0x8000_0000;

/** A path is the prefix and what the name has from a position on. */
interface PathRule {
  readonly prefix: string;
  readonly from: number;
}

/** The facts that are not known before a source is opened. */
interface SourceKind {
  readonly codecs: readonly Codec[];
  readonly format: Format;
  readonly sampled: boolean;
}

/**
 * Holds sources in few bytes each, outside of the JavaScript heap: a million of them take 150 MB, and as
 * objects 550 MB. The sources that it returns are not plain data: use `plainSource` to send or spread one.
 */
export class SourceTable {
  readonly #rules = new Interned<PathRule>();
  readonly #kinds = new Interned<SourceKind>();
  #block: SourceBlock | undefined;

  add(source: Source): Source {
    const { name, fingerprint, entry, codecs, format, size, sampled = false } = source;
    const hasDigest = digestAtEnd.test(fingerprint);
    const print = hasDigest ? fingerprint.slice(0, -66) : fingerprint;
    const texts = [name, print, entry === undefined ? "" : JSON.stringify(entry)];
    const lengths = texts.map((text) => Buffer.byteLength(text));
    const length = lengths.reduce((sum, one) => sum + one, HEAD_BYTES + DIGEST_BYTES);
    const block = this.#blockFor(length);
    const start = block.used;
    const [nameBytes = 0, printBytes = 0, entryBytes = 0] = lengths;
    const print32 = hasDigest ? printBytes + HAS_DIGEST : printBytes;
    const kind = kindIndex(this.#kinds, { codecs, format, sampled });
    for (const word of [nameBytes, print32, entryBytes, this.#ruleOf(source), kind])
      block.addWord(word);
    block.addNumber(size);
    for (const text of texts) block.addText(text);
    if (hasDigest) block.addText(fingerprint.slice(-66, -2), "hex");
    return new TableSource(block, start);
  }

  #blockFor(length: number): SourceBlock {
    if (this.#block === undefined || this.#block.used + length > this.#block.bytes.length) {
      const bytes = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, length));
      this.#block = new SourceBlock(bytes, this.#rules.values, this.#kinds);
    }
    return this.#block;
  }

  #ruleOf({ name, path }: Source): number {
    const rule = pathRule(name, path);
    return this.#rules.indexOf(`${rule.from} ${rule.prefix}`, () => rule);
  }
}

/** Returns a source with another kind: one of a table is changed, others are copied. */
export function describeSource(source: Source, kind: SourceKind): Source {
  if (source instanceof TableSource) return source.become(kind);
  return { ...source, ...kind };
}

/** Returns a source as plain data. */
export function plainSource(source: Source): Source {
  const { name, path, entry, codecs, size, fingerprint, format } = source;
  const sampled = source.sampled === true ? true : undefined;
  const facts = { name, path, codecs, size, fingerprint, format };
  return { ...facts, ...omitUndefined({ entry, sampled }) };
}

/** Returns the shortest prefix: directories have many files, so there are few prefixes. */
function pathRule(name: string, path: string): PathRule {
  for (let from = 0; from >= 0; from = name.indexOf("/", from + 1)) {
    const end = name.slice(from);
    if (path.endsWith(end)) return { prefix: path.slice(0, path.length - end.length), from };
  }
  return { prefix: path, from: name.length };
}

function kindIndex(kinds: Interned<SourceKind>, kind: SourceKind): number {
  const { codecs, format, sampled } = kind;
  return kinds.indexOf(JSON.stringify([codecs, format, sampled]), () => kind);
}

/** Values that many sources share, by their text. */
class Interned<Value> {
  readonly values: Value[] = [];
  readonly #indexes = new Map<string, number>();

  indexOf(text: string, create: () => Value): number {
    const known = this.#indexes.get(text);
    if (known !== undefined) return known;
    this.#indexes.set(text, this.values.length);
    return this.values.push(create()) - 1;
  }
}

class SourceBlock {
  used = 0;

  constructor(
    readonly bytes: Buffer,
    readonly rules: readonly PathRule[],
    readonly kinds: Interned<SourceKind>,
  ) {}

  addWord(word: number): void {
    this.used = this.bytes.writeUInt32LE(word, this.used);
  }

  addNumber(number: number): void {
    this.used = this.bytes.writeDoubleLE(number, this.used);
  }

  addText(text: string, encoding: "utf8" | "hex" = "utf8"): void {
    this.used += this.bytes.write(text, this.used, encoding);
  }
}

class TableSource implements Source {
  constructor(
    private readonly block: SourceBlock,
    private readonly start: number,
  ) {}

  get name(): string {
    return this.#text(HEAD_BYTES, this.#word(0));
  }

  get path(): string {
    const { prefix, from } = this.block.rules[this.#word(3)]!;
    return prefix + this.name.slice(from);
  }

  get fingerprint(): string {
    const start = HEAD_BYTES + this.#word(0);
    const word = this.#word(1);
    if (word < HAS_DIGEST) return this.#text(start, word);
    const length = word - HAS_DIGEST;
    const digestStart = this.start + start + length + this.#word(2);
    const digest = this.block.bytes.toString("hex", digestStart, digestStart + DIGEST_BYTES);
    return `${this.#text(start, length)}${digest}"}`;
  }

  get entry(): ZipEntry | undefined {
    const length = this.#word(2);
    if (length === 0) return undefined;
    const printBytes = this.#word(1) % HAS_DIGEST;
    return JSON.parse(this.#text(HEAD_BYTES + this.#word(0) + printBytes, length));
  }

  get size(): number {
    return this.block.bytes.readDoubleLE(this.start + 5 * 4);
  }

  get codecs(): readonly Codec[] {
    return this.#kind.codecs;
  }

  get format(): Format {
    return this.#kind.format;
  }

  get sampled(): boolean {
    return this.#kind.sampled;
  }

  become(kind: SourceKind): Source {
    const { kinds, bytes } = this.block;
    bytes.writeUInt32LE(kindIndex(kinds, kind), this.start + 4 * 4);
    return this;
  }

  get #kind(): SourceKind {
    return this.block.kinds.values[this.#word(4)]!;
  }

  toJSON(): Source {
    return plainSource(this);
  }

  #word(index: number): number {
    return this.block.bytes.readUInt32LE(this.start + 4 * index);
  }

  #text(start: number, length: number): string {
    const from = this.start + start;
    return this.block.bytes.toString("utf8", from, from + length);
  }
}
