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
    for (let row = 0; ; ) {
      row = run.takeNames(this.#record, outcomes, event.address, marks, row, rows);
      if (row === rows) return;
      const { u32 } = this.kernel;
      this.table.add(u32[event.starts / 4 + row]!, u32[event.lengths / 4 + row]!);
    }
  }
}

/** A byte for each byte: 1 for those of forbidden characters, and for one of each new beginning or suffix. */
function classesOf(
  kernel: Kernel,
  { forbidden = "", prefixes }: NonNullable<EventRules["names"]>,
): number {
  const address = kernel.allocate(256);
  kernel.bytes.fill(0, address, address + 256);
  const bytes = [
    ...Buffer.from(forbidden),
    ...Buffer.from("~"),
    ...Object.values(prefixes).flatMap((prefix) => Buffer.from(rarestOf(prefix))[0] ?? []),
  ];
  for (const byte of bytes) kernel.bytes[address + byte] = 1;
  return address;
}

/** Returns a character of a beginning that other names hardly have. */
function rarestOf(prefix: string): string {
  return /[^\p{L}\p{N} _-]/u.exec(prefix)?.[0] ?? prefix.charAt(0);
}
