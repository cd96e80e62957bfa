import { crc32, deflateRawSync } from "node:zlib";

/** An entry to write; everything that a hostile or odd archive says differently can be given. */
export interface EntryToWrite {
  readonly name: string | Buffer;
  readonly data?: Uint8Array | string;
  /** 0 stored, 8 deflate; others need `compressed`. */
  readonly method?: number;
  readonly compressed?: Uint8Array;
  readonly flags?: number;
  readonly crc32?: number;
  readonly uncompressedSize?: number;
  /** Local header without sizes, as streaming writers make it: they stand behind the data. */
  readonly streamed?: boolean;
}

const UTF8_FLAG = 0x800;
const STREAMED_FLAG = 0x8;

/**
 * A zip as bytes; with `zip64` every size and offset is in 64-bit fields, with `wrapped` the count has
 * 16 bits for any number of entries.
 */
export function writeZip(
  entries: readonly EntryToWrite[],
  { zip64 = false, wrapped = false } = {},
): Buffer {
  const chunks: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const facts = factsOf(entry);
    const local = Buffer.concat([localHeader(facts, zip64), facts.name, extra(facts, 0, zip64)]);
    directory.push(directoryHeader(facts, offset, zip64));
    chunks.push(local, facts.compressed);
    offset += local.length + facts.compressed.length;
    if (entry.streamed === true) {
      const descriptor = Buffer.alloc(16);
      descriptor.writeUInt32LE(0x08074b50, 0);
      descriptor.writeUInt32LE(facts.crc, 4);
      descriptor.writeUInt32LE(facts.compressed.length, 8);
      descriptor.writeUInt32LE(facts.size, 12);
      chunks.push(descriptor);
      offset += descriptor.length;
    }
  }
  const central = Buffer.concat(directory);
  return Buffer.concat([
    ...chunks,
    central,
    ...ends(wrapped ? entries.length % 0x1_0000 : entries.length, central.length, offset, zip64),
  ]);
}

interface Facts {
  readonly name: Buffer;
  readonly method: number;
  readonly flags: number;
  readonly crc: number;
  readonly size: number;
  readonly compressed: Buffer;
  readonly streamed: boolean;
}

function factsOf(entry: EntryToWrite): Facts {
  const data = Buffer.from(entry.data ?? "");
  const method = entry.method ?? 8;
  const streamed = entry.streamed ?? false;
  return {
    name: Buffer.from(entry.name),
    method,
    flags: (entry.flags ?? 0) | UTF8_FLAG | (streamed ? STREAMED_FLAG : 0),
    crc: entry.crc32 ?? crc32(data),
    size: entry.uncompressedSize ?? data.length,
    compressed: Buffer.from(entry.compressed ?? (method === 8 ? deflateRawSync(data) : data)),
    streamed,
  };
}

function localHeader(facts: Facts, zip64: boolean): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(zip64 ? 45 : 20, 4);
  header.writeUInt16LE(facts.flags, 6);
  header.writeUInt16LE(facts.method, 8);
  if (!facts.streamed) {
    header.writeUInt32LE(facts.crc, 14);
    header.writeUInt32LE(zip64 ? 0xffffffff : facts.compressed.length, 18);
    header.writeUInt32LE(zip64 ? 0xffffffff : facts.size, 22);
  }
  header.writeUInt16LE(facts.name.length, 26);
  header.writeUInt16LE(extra(facts, 0, zip64).length, 28);
  return header;
}

function directoryHeader(facts: Facts, offset: number, zip64: boolean): Buffer {
  const extraField = extra(facts, offset, zip64);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(45, 4);
  header.writeUInt16LE(zip64 ? 45 : 20, 6);
  header.writeUInt16LE(facts.flags, 8);
  header.writeUInt16LE(facts.method, 10);
  header.writeUInt32LE(facts.crc, 16);
  header.writeUInt32LE(zip64 ? 0xffffffff : facts.compressed.length, 20);
  header.writeUInt32LE(zip64 ? 0xffffffff : facts.size, 24);
  header.writeUInt16LE(facts.name.length, 28);
  header.writeUInt16LE(extraField.length, 30);
  header.writeUInt32LE(zip64 ? 0xffffffff : offset, 42);
  return Buffer.concat([header, facts.name, extraField]);
}

function extra(facts: Facts, offset: number, zip64: boolean): Buffer {
  if (!zip64) return Buffer.alloc(0);
  const field = Buffer.alloc(28);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(24, 2);
  field.writeBigUInt64LE(BigInt(facts.size), 4);
  field.writeBigUInt64LE(BigInt(facts.compressed.length), 12);
  field.writeBigUInt64LE(BigInt(offset), 20);
  return field;
}

function ends(count: number, length: number, offset: number, zip64: boolean): Buffer[] {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  const large = zip64 || count > 0xffff;
  end.writeUInt16LE(large ? 0xffff : count, 8);
  end.writeUInt16LE(large ? 0xffff : count, 10);
  end.writeUInt32LE(large ? 0xffffffff : length, 12);
  end.writeUInt32LE(large ? 0xffffffff : offset, 16);
  if (!large) return [end];
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x06064b50, 0);
  end64.writeBigUInt64LE(44n, 4);
  end64.writeBigUInt64LE(BigInt(count), 24);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(length), 40);
  end64.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + length), 8);
  locator.writeUInt32LE(1, 16);
  return [end64, locator, end];
}
