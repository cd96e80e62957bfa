import { BATCH_ROWS_MAX } from "../base/limits.js";
import { rejectCodeName, rejectCodes } from "../base/reject-codes.js";
import type { Batch, FieldRequest } from "../batch/batch.js";
import { Column, cellKinds } from "../batch/column.js";
import { type EventBatch, outcomes } from "../batch/event-batch.js";
import { IdDigests } from "../batch/id-digests.js";
import type { Kernel } from "../batch/kernel.js";
import { CellTarget } from "../mapper/cell-target.js";
import { FieldFilter } from "../mapper/event-filter.js";
import { otherPaths } from "../mapper/field-plan.js";
import type { FieldSource, TimeSource } from "../mapper/field-schemas.js";
import type { Mapper } from "../mapper/mapper.js";
import { type TimeBounds, TimeTarget } from "../mapper/time-target.js";
import type { LinkRule } from "./link-rules.js";

/** Bytes of the text of a number that is an id. */
const NUMBER_BYTES_MAX = 20;

/** The links of a batch by one rule. */
export interface RuleLinks {
  readonly rule: LinkRule;
  readonly from: Column;
  readonly to: Column;
  /** Returns entries of the rows with a link, as `IdDigests`: the digest is that of both ids. */
  entries(rows: number): Uint32Array;
}

/** The mapping that a `LinkMapper` works from. */
interface LinkMapperOptions {
  readonly rules: readonly LinkRule[];
  /** Time fields, in the order of choice. */
  readonly times: readonly TimeSource[];
  readonly bounds: TimeBounds;
}

/**
 * Finds the rows that link ids. A row with a link is to be delivered, or rejected if its time is; every
 * other row is filtered. The event batch has no texts; `links` has those of the links.
 */
export class LinkMapper implements Mapper {
  readonly fields: readonly FieldRequest[];
  readonly groups = [];
  readonly notices = {};
  readonly links: readonly RuleLinks[];
  readonly #kernel: Kernel;
  readonly #rules: readonly MappedRule[];
  readonly #time: TimeTarget;
  readonly #bounds: TimeBounds;
  readonly #outcomes: number;
  readonly #empty: Column;

  constructor(kernel: Kernel, { rules, times, bounds }: LinkMapperOptions) {
    const fields = new FieldList();
    this.#kernel = kernel;
    this.#bounds = bounds;
    this.#time = new TimeTarget(kernel, times, fields.indexesOf(times));
    this.#rules = rules.map((rule) => new MappedRule(kernel, rule, fields));
    this.links = this.#rules;
    this.fields = fields.requests;
    this.#outcomes = kernel.allocate(BATCH_ROWS_MAX);
    this.#empty = new Column(kernel);
  }

  takeRenames(): undefined {}

  map(batch: Batch): EventBatch {
    const { rows, columns, faults } = batch;
    const { bytes } = this.#kernel;
    const all = this.#outcomes;
    for (let row = 0; row < rows; row++)
      bytes[all + row] = bytes[faults + row] === 0 ? outcomes.filtered : bytes[faults + row]!;
    for (const rule of this.#rules) rule.mark(columns, rows, faults, all);
    this.#time.take(columns, rows, all);
    this.#time.check(this.#bounds, rows, all);
    for (const rule of this.#rules) rule.settle(rows, all, this.#time.times, this.#kernel.doubles);
    return this.#events(batch);
  }

  #events(batch: Batch): EventBatch {
    const none = this.#empty;
    return {
      kernel: this.#kernel,
      rows: batch.rows,
      batch,
      sourceRow: (row) => row,
      outcomes: this.#outcomes,
      event: none,
      timestamps: this.#time.times,
      userID: none,
      stableID: none,
      value: none,
      user: none,
      metadata: none,
      explain: (row) => {
        const code = this.#kernel.bytes[this.#outcomes + row]!;
        return this.#kernel.bytes[batch.faults + row] === 0
          ? `the row links ids, and its time cannot be used (${rejectCodeName(code)})`
          : batch.raw.explain(row);
      },
      trace: () => [],
    };
  }
}

/** The fields that rules request, each once. */
class FieldList {
  readonly requests: FieldRequest[] = [];

  indexesOf(choices: readonly { readonly path: readonly string[] }[]): readonly number[] {
    return choices.map(({ path }) => {
      const key = JSON.stringify(path);
      const known = this.requests.findIndex((one) => JSON.stringify(one.path) === key);
      return known >= 0 ? known : this.requests.push({ path, form: "text" }) - 1;
    });
  }

  targetOf(kernel: Kernel, choices: readonly FieldSource[]): CellTarget {
    const others = otherPaths(choices).map((path) => ({ path }));
    const indexes = this.indexesOf([...choices, ...others]);
    return new CellTarget(kernel, choices, indexes, { emptyIsNull: true });
  }
}

class MappedRule implements RuleLinks {
  readonly from: Column;
  readonly to: Column;
  readonly #kernel: Kernel;
  readonly #from: CellTarget;
  readonly #to: CellTarget;
  readonly #filter: FieldFilter | undefined;
  readonly #without: number | undefined;
  readonly #digests: IdDigests;
  /** An outcome for each row: 0 if the row has a link. */
  readonly #marks: number;
  readonly #numbers: number;

  constructor(
    kernel: Kernel,
    readonly rule: LinkRule,
    fields: FieldList,
  ) {
    const { from, to, when, without } = rule;
    this.#kernel = kernel;
    this.#from = fields.targetOf(kernel, from);
    this.#to = fields.targetOf(kernel, to);
    this.#filter = when && new FieldFilter(kernel, when, fields.indexesOf([when]));
    this.#without = without && fields.indexesOf([{ path: without }])[0];
    this.from = this.#from.column;
    this.to = this.#to.column;
    this.#digests = new IdDigests(kernel, [this.from, this.to]);
    this.#marks = kernel.allocate(BATCH_ROWS_MAX);
    this.#numbers = kernel.allocate(2 * BATCH_ROWS_MAX * NUMBER_BYTES_MAX);
  }

  /** Marks the rows with a link, which are then to be delivered. */
  mark(columns: readonly Column[], rows: number, faults: number, all: number): void {
    const { run, bytes } = this.#kernel;
    bytes.copyWithin(this.#marks, faults, faults + rows);
    this.#filter?.apply(columns, rows, this.#marks);
    this.#from.take(columns, rows);
    this.#to.take(columns, rows);
    if (this.rule.form !== "list") {
      run.checkIds(this.#marks, this.from.address, rows, this.#numbers);
      const more = this.#numbers + NUMBER_BYTES_MAX * rows;
      run.checkIds(this.#marks, this.to.address, rows, more);
    }
    const absent = this.#without === undefined ? 0 : columns[this.#without]!.kinds;
    const { kinds: from } = this.from;
    const { kinds: to } = this.to;
    const view = this.#kernel.bytes;
    for (let row = 0; row < rows; row++) {
      const isLink =
        view[this.#marks + row] === 0 &&
        view[from + row] !== cellKinds.null &&
        view[to + row] !== cellKinds.null &&
        (absent === 0 || view[absent + row] === cellKinds.null);
      view[this.#marks + row] = isLink ? outcomes.deliver : outcomes.filtered;
      if (isLink) view[all + row] = outcomes.deliver;
    }
  }

  /** Takes the links back whose rows are rejected for their time. */
  settle(rows: number, all: number, times: number, doubles: Float64Array): void {
    const { bytes } = this.#kernel;
    for (let row = 0; row < rows; row++) {
      if (bytes[this.#marks + row] !== outcomes.deliver || bytes[all + row] === outcomes.deliver)
        continue;
      if (this.rule.isTimeless === true && bytes[all + row] === rejectCodes.time_missing) {
        doubles[times / 8 + row] = 0;
        bytes[all + row] = outcomes.deliver;
      } else bytes[this.#marks + row] = outcomes.filtered;
    }
  }

  entries(rows: number): Uint32Array {
    return this.#digests.take(this.#marks, rows);
  }
}
