import type { EventBatch } from "../../batch/event-batch.js";
import { type Kernel, LOOSE_BYTES, Region, storeText } from "../../batch/kernel.js";
import { KernelRecord } from "../../batch/kernel-record.js";
import { userFieldLayout, userPropertyLayout, userRulesLayout } from "../../batch/layouts.js";
import type { SplitRenames } from "../../target/split-renames.js";
import type { EventRules } from "../../target/target.js";
import type { Replacing } from "./replacing.js";

/** Bytes of a bit for each pair of bytes. */
const ENDING_BYTES = 65_536 / 8;
/** Bytes of a field's key, at most: the schema of targets limits its name. */
const FIELD_BYTES_MAX = 96;

interface UserProperty {
  readonly name: string;
  readonly field: number;
  readonly isOwn: boolean;
}

/** Returns the properties in the order of preference; a property of its own name fills a field first. */
function userPropertiesOf(
  fields: NonNullable<EventRules["users"]>["fields"],
): readonly UserProperty[] {
  return Object.entries(fields).flatMap(([own, properties], field) =>
    [own, ...properties.filter((name) => name !== own)].map((name) => ({
      name,
      field,
      isOwn: name === own,
    })),
  );
}

/** Finds user properties that fill fields of the target, and moves them to the front of the user. */
export class UserStage {
  readonly #record: number;
  readonly #properties: number;
  readonly #names: readonly string[];
  readonly #fieldCount: number;
  readonly #output: Region;

  constructor(
    private readonly kernel: Kernel,
    { fields }: NonNullable<EventRules["users"]>,
    private readonly replacing: Replacing,
  ) {
    const rows = userPropertiesOf(fields);
    this.#names = rows.map(({ name }) => name);
    this.#fieldCount = Object.keys(fields).length;
    this.#properties = kernel.allocate(rows.length * userPropertyLayout.bytes);
    const table = kernel.allocate(this.#fieldCount * userFieldLayout.bytes);
    const endings = kernel.allocate(ENDING_BYTES);
    kernel.bytes.fill(0, endings, endings + ENDING_BYTES);
    rows.forEach(({ name, field, isOwn }, index) => {
      const key = storeText(kernel, JSON.stringify(name).slice(0, -1));
      const at = this.#properties + index * userPropertyLayout.bytes;
      const { words } = userPropertyLayout;
      kernel.u32[at / 4 + words.key] = key.address;
      kernel.u32[at / 4 + words.length] = key.length;
      kernel.u32[at / 4 + words.field] = field;
      const end = key.address + key.length;
      const ending = kernel.bytes[end - 2]! | (kernel.bytes[end - 1]! << 8);
      kernel.bytes[endings + (ending >> 3)]! |= 1 << (ending & 7);
      if (!isOwn) return;
      const head = storeText(kernel, `${JSON.stringify(name)}:`);
      const of = (table + field * userFieldLayout.bytes) / 4;
      kernel.u32[of + userFieldLayout.words.key] = head.address;
      kernel.u32[of + userFieldLayout.words.length] = head.length;
      kernel.u32[of + userFieldLayout.words.own] = at;
    });
    const record = new KernelRecord(kernel, userRulesLayout);
    record.set("properties", this.#properties);
    record.set("propertiesEnd", this.#properties + rows.length * userPropertyLayout.bytes);
    record.set("fields", table);
    record.set("fieldsEnd", table + this.#fieldCount * userFieldLayout.bytes);
    record.set("endings", endings);
    record.set("replaces", replacing.replaces ? 1 : 0);
    record.set("keeps", replacing.keeps ? 1 : 0);
    this.#record = record.address;
    this.#output = new Region(kernel, LOOSE_BYTES);
    this.clear();
  }

  /** The record of the fields; undefined if none are moved. */
  get movedFields(): number | undefined {
    const { replaces, keeps } = this.replacing;
    return replaces && !keeps ? this.#record : undefined;
  }

  apply({ rows, outcomes, user }: EventBatch, marks: number): void {
    const { run } = this.kernel;
    if (this.replacing.replaces) {
      const more = rows * this.#fieldCount * FIELD_BYTES_MAX + LOOSE_BYTES;
      this.#output.ensure(2 * run.cellBytes(outcomes, user.address, rows) + more);
    }
    run.takeUsers(this.#record, outcomes, user.address, marks, rows, this.#output.address);
  }

  counts(): SplitRenames["users"] {
    return this.#names
      .map((name, index) => [name, this.kernel.u32[this.#rowsAt(index)]!] as const)
      .filter(([, rows]) => rows > 0);
  }

  clear(): void {
    this.#names.forEach((_, index) => {
      this.kernel.u32[this.#rowsAt(index)] = 0;
    });
  }

  #rowsAt(index: number): number {
    const at = this.#properties + index * userPropertyLayout.bytes;
    return at / 4 + userPropertyLayout.words.rows;
  }
}
