import type { Kernel } from "../batch/kernel.js";
import {
  ID_OTHERS_BYTES,
  KEY_BYTES,
  type ProfileMemory,
  VALUE_REGISTER_BYTES,
} from "./profile-memory.js";
import type { FrequentText, SplitFrequent, SplitKey } from "./split-profile.js";

/** Bytes of the kernels' `Entry` before its text, and of the text. */
const ENTRY_HEAD_BYTES = 16;
const TEXT_BYTES = 64;

/** Members of the kernels' `Key`, in bytes from its beginning. */
const keyOffsets = {
  bytes: 8,
  numberMin: 16,
  numberMax: 24,
  group: 32,
  start: 36,
  length: 40,
  isId: 48,
  rows: 52,
  bytesMin: 56,
  bytesMax: 60,
  types: 76,
  values: 100,
} as const;

/** Registers for the distinct texts of a table are read where something was taken. */
export function readFrequent(kernel: Kernel, address: number): SplitFrequent {
  const memory = new DataView(kernel.memory.buffer);
  const word = (index: number) => memory.getUint32(address + index * 4, true);
  const [entries, count, entryBytes, taken, registers] = [0, 2, 4, 5, 6].map(word) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const list = Array.from({ length: count }, (_, place) =>
    readEntry(kernel, memory, entries + place * entryBytes, entryBytes),
  );
  return {
    entries: list,
    taken,
    ...(taken === 0 || registers === 0
      ? {}
      : { registers: readRegisters(kernel, registers, VALUE_REGISTER_BYTES) }),
  };
}

export function readRegisters({ bytes }: Kernel, address: number, size: number): string {
  return Buffer.from(bytes.buffer, address, size).toString("base64");
}

function readEntry(
  kernel: Kernel,
  memory: DataView,
  address: number,
  entryBytes: number,
): FrequentText {
  const length = memory.getUint32(address + 12, true);
  const text = address + ENTRY_HEAD_BYTES;
  const others = text + TEXT_BYTES;
  return {
    hash: Number(memory.getBigUint64(address, true) >> 11n),
    rows: memory.getUint32(address + 8, true),
    text: decodeCut(kernel.bytes.subarray(text, text + Math.min(length, TEXT_BYTES)), length),
    length,
    ...(others === address + entryBytes
      ? {}
      : { others: readRegisters(kernel, others, ID_OTHERS_BYTES) }),
  };
}

/** Without the rest of a character that the cut has split. */
function decodeCut(bytes: Uint8Array, length: number): string {
  const text = decoder.decode(bytes);
  return bytes.length < length ? text.replace(/\uFFFD+$/u, "") : text;
}

/** Keys by their groups, in the order in which they came; ids of users are left out. */
export function readKeys(kernel: Kernel, profile: ProfileMemory): ReadonlyMap<number, SplitKey[]> {
  const memory = new DataView(kernel.memory.buffer);
  const byGroup = new Map<number, SplitKey[]>();
  const [first, count] = [profile.get("keys"), profile.get("keyCount")];
  for (let place = 1; place < count; place++) {
    const address = first + place * KEY_BYTES;
    if (memory.getUint32(address + keyOffsets.isId, true) !== 0) continue;
    const group = memory.getUint32(address + keyOffsets.group, true);
    const key = readKey(kernel, memory, address);
    const known = byGroup.get(group);
    if (known === undefined) byGroup.set(group, [key]);
    else known.push(key);
  }
  return byGroup;
}

function readKey(kernel: Kernel, memory: DataView, address: number): SplitKey {
  const word = (offset: number) => memory.getUint32(address + offset, true);
  const double = (offset: number) => memory.getFloat64(address + offset, true);
  const start = word(keyOffsets.start);
  const types = Array.from({ length: 6 }, (_, type) => word(keyOffsets.types + type * 4));
  const rows = word(keyOffsets.rows);
  const [, numbers = 0, , , , nulls = 0] = types;
  return {
    key: decoder.decode(kernel.bytes.subarray(start, start + word(keyOffsets.length))),
    rows,
    types,
    bytes:
      nulls === rows
        ? null
        : {
            min: word(keyOffsets.bytesMin),
            max: word(keyOffsets.bytesMax),
            sum: double(keyOffsets.bytes),
          },
    numbers:
      numbers === 0
        ? null
        : { min: double(keyOffsets.numberMin), max: double(keyOffsets.numberMax) },
    values: readFrequent(kernel, address + keyOffsets.values),
  };
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
