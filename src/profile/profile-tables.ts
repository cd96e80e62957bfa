import { omitUndefined } from "../base/omit-undefined.js";
import type { Kernel } from "../batch/kernel.js";
import { frequentLayout, keyLayout, textEntryLayout } from "../batch/layouts.js";
import { type ProfileMemory, TEXT_BYTES, VALUE_REGISTER_BYTES } from "./profile-memory.js";
import type { FrequentText, SplitFrequent, SplitKey } from "./split-profile.js";

/** Reads a table of frequent texts; registers for distinct texts only if rows were subtracted. */
function readFrequent(kernel: Kernel, address: number): SplitFrequent {
  const { u32 } = kernel;
  const at = frequentLayout.words;
  const [entries, entryBytes] = [u32[address / 4 + at.entries]!, u32[address / 4 + at.entryBytes]!];
  const [taken, registers] = [u32[address / 4 + at.taken]!, u32[address / 4 + at.registers]!];
  const list = Array.from({ length: u32[address / 4 + at.count]! }, (_, index) =>
    readEntry(kernel, entries + index * entryBytes),
  );
  return omitUndefined({
    entries: list,
    taken,
    registers: taken === 0 ? undefined : readRegisters(kernel, registers, VALUE_REGISTER_BYTES),
  });
}

export function readRegisters({ bytes }: Kernel, address: number, size: number): string {
  return Buffer.from(bytes.buffer, address, size).toString("base64");
}

function readEntry(kernel: Kernel, address: number): FrequentText {
  const { u32, longs } = kernel;
  const length = u32[address / 4 + textEntryLayout.words.length]!;
  const text = address + textEntryLayout.bytes;
  return {
    hash: Number(longs[address / 8 + textEntryLayout.longs.hash]! >> 11n),
    rows: u32[address / 4 + textEntryLayout.words.rows]!,
    text: decodeCut(kernel.bytes.subarray(text, text + Math.min(length, TEXT_BYTES)), length),
    length,
  };
}

/** Decodes the first bytes of a text without the rest of a character that the cut has split. */
export function decodeCut(bytes: Uint8Array, length: number): string {
  const text = decoder.decode(bytes);
  return bytes.length < length ? text.replace(/\uFFFD+$/u, "") : text;
}

/** Reads the keys by group, in the order of their first rows; ids of users are left out. */
export function readKeys(kernel: Kernel, profile: ProfileMemory): ReadonlyMap<number, SplitKey[]> {
  const { u32 } = kernel;
  const byGroup = new Map<number, SplitKey[]>();
  const [first, count] = [profile.get("keys"), profile.get("keyCount")];
  for (let index = 1; index < count; index++) {
    const address = first + index * keyLayout.bytes;
    if (u32[address / 4 + keyLayout.words.isId] !== 0) continue;
    const group = u32[address / 4 + keyLayout.words.group]!;
    const key = readKey(kernel, address);
    const known = byGroup.get(group);
    if (known === undefined) byGroup.set(group, [key]);
    else known.push(key);
  }
  return byGroup;
}

function readKey(kernel: Kernel, address: number): SplitKey {
  const word = (name: keyof typeof keyLayout.words) =>
    kernel.u32[address / 4 + keyLayout.words[name]]!;
  const double = (name: keyof typeof keyLayout.doubles) =>
    kernel.doubles[address / 8 + keyLayout.doubles[name]]!;
  const start = word("start");
  const [numbers, nulls] = [word("numbers"), word("nulls")];
  const types = [
    word("strings"),
    numbers,
    word("booleans"),
    word("objects"),
    word("arrays"),
    nulls,
  ];
  const rows = word("rows");
  const [firstDay, lastDay] = [word("firstDay") | 0, word("lastDay") | 0];
  const personal = {
    rows: word("personal"),
    emails: word("emails"),
    secrets: word("secrets"),
    beyondQuery: word("beyondQuery"),
  };
  return {
    key: decoder.decode(kernel.bytes.subarray(start, start + word("length"))),
    rows,
    types,
    bytes:
      nulls === rows
        ? null
        : {
            min: word("bytesMin"),
            max: word("bytesMax"),
            sum: double("bytes"),
          },
    numbers: numbers === 0 ? null : { min: double("numberMin"), max: double("numberMax") },
    values: readFrequent(kernel, address + keyLayout.words.entries * 4),
    days: firstDay > lastDay ? null : [firstDay, lastDay],
    ...(personal.rows === 0 ? {} : { personal }),
  };
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
