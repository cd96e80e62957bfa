import { BATCH_ROWS_MAX } from "../../base/limits.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { rejectCodes } from "../../base/reject-codes.js";
import type { EventBatch } from "../../batch/event-batch.js";
import { type Kernel, Region } from "../../batch/kernel.js";
import type { SplitRenames } from "../../target/split-renames.js";
import type { EventRules } from "../../target/target.js";
import {
  bitOf,
  CHANGED_NOTICE,
  isRepaired,
  LOST_NOTICE,
  lostRules,
  noticeOf,
  type Repair,
  type TargetRule,
  targetRules,
} from "../../target/target-rules.js";
import type { MapperOptions, TargetOptions } from "../mapper-options.js";
import { MetadataStage, pathOf } from "./metadata-stage.js";
import { NameStage } from "./name-stage.js";
import { UserStage } from "./user-stage.js";

/** Eight counts of rules, then those of lost and of changed events. */
const COUNTS = 10;

/**
 * Finds what a target would drop or change of events, and repairs what is asked for, in place. Events that
 * cannot be repaired are rejected.
 */
export class TargetStage {
  readonly #kernel: Kernel;
  readonly #rules: EventRules;
  readonly #repair: readonly Repair[];
  /** Bits of the rules that are not repaired: all, and those for which events are lost. */
  readonly #broken: number;
  readonly #lost: number;
  readonly #marks: Region;
  readonly #counts: number;
  readonly #names: NameStage | undefined;
  readonly #values: { readonly charactersMax: number; readonly rejects: boolean } | undefined;
  readonly #metadata: MetadataStage | undefined;
  readonly #users?: UserStage;

  constructor(
    kernel: Kernel,
    { rules, repair, keeps = false }: TargetOptions,
    { withoutUser = false }: Pick<MapperOptions, "withoutUser">,
  ) {
    this.#kernel = kernel;
    this.#rules = rules;
    this.#repair = repair;
    const broken = targetRules.filter((rule) => !isRepaired(rule, repair));
    this.#broken = bitsOf(broken);
    this.#lost = bitsOf(broken.filter((rule) => lostRules.includes(rule)));
    this.#marks = new Region(kernel, BATCH_ROWS_MAX);
    this.#counts = kernel.allocate(COUNTS * 4);
    kernel.u32.fill(0, this.#counts / 4, this.#counts / 4 + COUNTS);
    const { names, values, metadata, users } = rules;
    const repairs = new Set(repair);
    const replacing = (one: Repair) => ({ replaces: repairs.has(one), keeps });
    this.#names = names && new NameStage(kernel, names, replacing("names"));
    this.#values = values && { ...values, rejects: repairs.has("values") };
    this.#metadata = metadata && new MetadataStage(kernel, metadata, replacing("metadata"));
    if (users !== undefined && !withoutUser)
      this.#users = new UserStage(kernel, users, replacing("users"));
  }

  apply(events: EventBatch): EventBatch {
    const { rows, outcomes, value } = events;
    const { run } = this.#kernel;
    this.#marks.ensure(rows);
    const marks = this.#marks.address;
    this.#kernel.bytes.fill(0, marks, marks + rows);
    if (this.#values !== undefined) {
      const { charactersMax, rejects } = this.#values;
      run.takeValues(outcomes, value.address, marks, rows, charactersMax, rejects ? 1 : 0);
    }
    this.#metadata?.apply(events, marks);
    this.#users?.apply(events, marks);
    // After all that reject: the names of delivered events are counted.
    this.#names?.apply(events, marks);
    run.countMarks(outcomes, marks, rows, this.#lost, this.#broken, this.#counts);
    const userFields = this.#users?.movedFields;
    return {
      ...events,
      ...omitUndefined({ userFields }),
      explain: (row) => this.#explain(events, row),
    };
  }

  #explain(events: EventBatch, row: number): string {
    const { title, values, metadata } = this.#rules;
    switch (this.#kernel.bytes[events.outcomes + row]) {
      case rejectCodes.target_value_long:
        return `the value has more than ${values?.charactersMax} characters, the most of ${title}`;
      case rejectCodes.target_metadata_long:
        return `the metadata has more than ${metadata?.charactersMax} characters, the most of ${title}`;
      default:
        return events.explain(row);
    }
  }

  /** Events by the rule that they break, or whose repair they had; then those with any of them. */
  get notices(): Readonly<Record<string, number>> {
    const counts = this.#kernel.u32.subarray(this.#counts / 4, this.#counts / 4 + COUNTS);
    return Object.fromEntries([
      ...targetRules.map((rule, at) => [noticeOf(rule, this.#repair), counts[at] ?? 0] as const),
      [LOST_NOTICE, counts[8] ?? 0],
      [CHANGED_NOTICE, counts[9] ?? 0],
    ]);
  }

  /** Returns the names and keys since the last call. */
  takeRenames(): SplitRenames {
    const cut: readonly Repair[] = [
      ...(this.#names?.table.isCut ? (["names"] as const) : []),
      ...(this.#metadata?.table.isCut ? (["metadata"] as const) : []),
    ];
    const renames = {
      names: this.#names?.table.counts() ?? [],
      keys: (this.#metadata?.table.counts() ?? []).map(
        ([text, rows]) => [pathOf(text), rows] as const,
      ),
      users: this.#users?.counts() ?? [],
      ...(cut.length > 0 && { cut }),
    };
    this.#names?.table.clear();
    this.#metadata?.clear();
    this.#users?.clear();
    return renames;
  }
}

function bitsOf(rules: readonly TargetRule[]): number {
  return rules.reduce((bits, rule) => bits | bitOf(rule), 0);
}
