import type { EventBatch } from "../../batch/event-batch.js";
import { type Kernel, LOOSE_BYTES, Region, storeText } from "../../batch/kernel.js";
import { KernelRecord, writeWords } from "../../batch/kernel-record.js";
import { userFieldLayout, userPropertyLayout, userRulesLayout } from "../../batch/layouts.js";
import type { SplitRenames } from "../../target/split-renames.js";
import type { EventRules } from "../../target/target.js";
import type { Replacing } from "./replacing.js";

/** Pairs of bytes. */
const ENDINGS = 65_536;
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
    rows.forEach((row, index) => {
      this.#placeProperty(row, index);
      if (row.isOwn) this.#placeField(row, index, table);
    });
    const endings = this.#placeEndings();
    const record = new KernelRecord(kernel, userRulesLayout);
    record.set("properties", this.#properties);
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

  #placeProperty({ name, field }: UserProperty, index: number): void {
    const key = storeText(this.kernel, JSON.stringify(name).slice(0, -1));
    const values = { key: key.address, length: key.length, field, rows: 0, next: 0 };
    writeWords(this.kernel, userPropertyLayout, this.#addressOf(index), values);
  }

  #placeField({ name, field }: UserProperty, index: number, table: number): void {
    const head = storeText(this.kernel, `${JSON.stringify(name)}:`);
    writeWords(this.kernel, userFieldLayout, table + field * userFieldLayout.bytes, {
      key: head.address,
      length: head.length,
      own: this.#addressOf(index),
      isBlocked: 0,
      property: 0,
      value: 0,
      valueEnd: 0,
    });
  }

  /** Returns the address of the first property of each ending, and chains the others to it. */
  #placeEndings(): number {
    const { kernel } = this;
    const endings = kernel.allocate(ENDINGS);
    kernel.bytes.fill(0, endings, endings + ENDINGS);
    const { next } = userPropertyLayout.words;
    this.#names.forEach((name, index) => {
      const ending = Buffer.from(JSON.stringify(name)).subarray(-3, -1).readUInt16LE();
      const first = kernel.bytes[endings + ending]!;
      if (first === 0) {
        kernel.bytes[endings + ending] = index + 1;
        return;
      }
      const at = this.#addressOf(first - 1) / 4 + next;
      kernel.u32[this.#addressOf(index) / 4 + next] = kernel.u32[at]!;
      kernel.u32[at] = this.#addressOf(index);
    });
    return endings;
  }

  #addressOf(index: number): number {
    return this.#properties + index * userPropertyLayout.bytes;
  }

  #rowsAt(index: number): number {
    return this.#addressOf(index) / 4 + userPropertyLayout.words.rows;
  }
}
