import type { EventBatch } from "../../batch/event-batch.js";
import type { Kernel } from "../../batch/kernel.js";
import { KernelRecord } from "../../batch/kernel-record.js";
import { nameRulesLayout } from "../../batch/layouts.js";
import { isLostName, repairName } from "../../target/rename.js";
import type { EventRules } from "../../target/target.js";
import { bitOf } from "../../target/target-rules.js";
import { RenameTable } from "./rename-table.js";
import type { Replacing } from "./replacing.js";

/** Finds names of events that the target drops, and replaces them. */
export class NameStage {
  readonly table: RenameTable;
  readonly #record: number;

  constructor(
    private readonly kernel: Kernel,
    rules: NonNullable<EventRules["names"]>,
    { replaces, keeps }: Replacing,
  ) {
    this.table = new RenameTable(
      kernel,
      (name) => {
        const renamed = repairName(name, rules);
        const isLost = isLostName(name, rules);
        // Valid names change only if others do.
        const changes = renamed !== name && (isLost || replaces);
        return { marks: isLost ? bitOf("name") : 0, ...(changes ? { text: renamed } : {}) };
      },
      "event names",
      replaces && !keeps,
    );
    const record = new KernelRecord(kernel, nameRulesLayout);
    record.set("classes", classesOf(kernel, rules));
    record.set("bytesMax", rules.charactersMax ?? 0xffff_ffff);
    record.set("replaces", replaces && !keeps ? 1 : 0);
    record.set("table", this.table.address);
    this.#record = record.address;
  }

  apply({ rows, outcomes, event }: EventBatch, marks: number): void {
    const { run } = this.kernel;
    this.table.forgetOthers();
    for (let row = 0; ; ) {
      row = run.takeNames(this.#record, outcomes, event.address, marks, row, rows);
      if (row === rows) return;
      const { u32 } = this.kernel;
      this.table.add(u32[event.starts / 4 + row]!, u32[event.lengths / 4 + row]!);
    }
  }
}

/**
 * Stores the bytes with which a name needs a look: those of forbidden characters, and of one character of
 * each new beginning and of the suffix. A bit stands for each upper half of an ASCII byte; all other bytes
 * have them all.
 */
function classesOf(
  kernel: Kernel,
  { forbidden = "", prefixes }: NonNullable<EventRules["names"]>,
): number {
  const marks = Object.values(prefixes).map(rarestOf);
  const bytes = [...Buffer.from(`${forbidden}~${marks.join("")}`)];
  const table = new Uint8Array(32);
  for (let upper = 0; upper < 8; upper++) table[16 + upper] = 1 << upper;
  for (const byte of bytes.filter((one) => one < 0x80)) table[byte & 15]! |= 1 << (byte >> 4);
  // Names of other alphabets are looked at only if one of their characters is forbidden.
  if (bytes.some((byte) => byte >= 0x80)) {
    // The bit of 0x70 to 0x7f, which then need a look as well.
    for (let lower = 0; lower < 16; lower++) table[lower]! |= 0x80;
    table.fill(0x80, 24, 32);
  }
  const address = kernel.allocate(table.length);
  kernel.bytes.set(table, address);
  return address;
}

/** Returns a character of a beginning that other names hardly have. */
function rarestOf(prefix: string): string {
  return /[^\p{L}\p{N} _-]/u.exec(prefix)?.[0] ?? prefix.charAt(0);
}
