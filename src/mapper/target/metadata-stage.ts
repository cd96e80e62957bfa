import type { EventBatch } from "../../batch/event-batch.js";
import { type Kernel, LOOSE_BYTES, Region } from "../../batch/kernel.js";
import { KernelRecord } from "../../batch/kernel-record.js";
import { metadataRulesLayout } from "../../batch/layouts.js";
import { repairKey } from "../../target/rename.js";
import type { EventRules } from "../../target/target.js";
import { bitOf } from "../../target/target-rules.js";
import { RenameTable } from "./rename-table.js";
import type { Replacing } from "./replacing.js";

/** 64 addresses. */
const RECENT_BYTES = 256;

/** Finds metadata that the target would lose or make text, and writes it as the target reads it. */
export class MetadataStage {
  readonly table: RenameTable;
  readonly #record: KernelRecord<keyof typeof metadataRulesLayout.words>;
  readonly #path: Region;
  readonly #counted: Region;
  readonly #outputs: Region[] = [];

  constructor(
    private readonly kernel: Kernel,
    { dotsAreLost, nestedIsText, charactersMax }: NonNullable<EventRules["metadata"]>,
    private readonly replacing: Replacing,
  ) {
    this.table = new RenameTable(
      kernel,
      (text) => {
        const path = pathOf(text);
        const dots = dotsAreLost && path[0]?.includes(".") === true ? bitOf("dots") : 0;
        const nested = path.length > 1 ? bitOf("nested") : 0;
        return { marks: dots | nested, text: `${JSON.stringify(repairKey(path))}:` };
      },
      "keys of metadata",
      replacing.replaces && !replacing.keeps,
    );
    this.#record = new KernelRecord(kernel, metadataRulesLayout);
    this.#record.set("dots", dotsAreLost ? 1 : 0);
    this.#record.set("nested", nestedIsText ? 1 : 0);
    this.#record.set("unitsMax", charactersMax ?? 0);
    this.#record.set("replaces", replacing.replaces ? 1 : 0);
    this.#record.set("keeps", replacing.keeps ? 1 : 0);
    this.#record.set("table", this.table.address);
    this.#path = new Region(kernel, LOOSE_BYTES);
    this.#counted = new Region(kernel, LOOSE_BYTES);
    this.#record.set("recent", kernel.allocate(RECENT_BYTES));
    this.clear();
  }

  /** Forgets all keys. */
  clear(): void {
    this.table.clear();
    this.#clearRecent();
  }

  #clearRecent(): void {
    const recent = this.#record.get("recent");
    this.kernel.bytes.fill(0, recent, recent + RECENT_BYTES);
  }

  apply({ rows, outcomes, metadata }: EventBatch, marks: number): void {
    const { run } = this.kernel;
    if (this.table.forgetOthers()) this.#clearRecent();
    const longest = run.longestCell(outcomes, metadata.address, rows) + LOOSE_BYTES;
    this.#path.ensure(longest);
    // A member has at least four bytes, as many as the address of its entry.
    this.#counted.ensure(longest);
    this.#record.set("path", this.#path.address);
    this.#record.set("counted", this.#counted.address);
    let outputs = 0;
    const next = (bytes: number) => {
      const output = this.#outputs[outputs] ?? new Region(this.kernel, bytes);
      this.#outputs[outputs] = output;
      output.ensure(bytes);
      outputs++;
      this.#record.set("output", output.address);
      this.#record.set("outputEnd", output.address + output.capacity);
    };
    if (this.replacing.replaces)
      next(run.cellBytes(outcomes, metadata.address, rows) + rows * LOOSE_BYTES);
    for (let row = 0; ; ) {
      this.#record.set("needed", 0);
      row = run.takeMetadata(this.#record.address, outcomes, metadata.address, marks, row, rows);
      if (row === rows) return;
      const needed = this.#record.get("needed");
      if (needed > 0) next(needed * 2 + LOOSE_BYTES);
      else this.table.add(this.#record.get("missing"), this.#record.get("missingBytes"));
    }
  }
}

/** Returns the path of names as they are in JSON, with zeros between them. */
export function pathOf(text: string): readonly string[] {
  return text.split("\0").map((step) => String(JSON.parse(`"${step}"`)));
}
