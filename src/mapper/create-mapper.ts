import { BATCH_ROWS_MAX } from "../base/limits.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { rejectCodes } from "../base/reject-codes.js";
import type { Batch } from "../batch/batch.js";
import { Column } from "../batch/column.js";
import type { EventBatch } from "../batch/event-batch.js";
import { type Kernel, Region, storeText, storeU32s } from "../batch/kernel.js";
import type { TraceStep } from "../batch/row-trace.js";
import { CellTarget } from "./cell-target.js";
import { createObjectTarget } from "./create-object-target.js";
import { EventFilter, FieldFilter } from "./event-filter.js";
import { type FieldPlan, planFields } from "./field-plan.js";
import { IdentityFill } from "./identity-fill.js";
import type { Mapper } from "./mapper.js";
import type { MapperOptions } from "./mapper-options.js";
import type { MemberTrace, ObjectTarget } from "./object-target.js";
import { Privacy } from "./privacy.js";
import { RejectWords } from "./reject-words.js";
import { TargetStage } from "./target/target-stage.js";
import { type TimeBounds, TimeTarget } from "./time-target.js";
import { TransformStage } from "./transform-stage.js";
import { TypeStage } from "./type-stage.js";

/**
 * Creates the mapper of a worker. Filters run before the transform; privacy also covers what the transform
 * returned, and the rules of the target come last. The mapper never frees its kernel memory. Throws `UsageError` for options
 * that are not valid.
 */
export function createMapper(kernel: Kernel, options: MapperOptions): Mapper {
  const { mapping, withInsertID, withDistinctID } = options;
  const plan = planFields(mapping, withInsertID, withDistinctID);
  const rows = new RowMapper(kernel, options, plan);
  const privacy = options.privacy && new Privacy(kernel, options.privacy);
  const { minTimeMs, maxTimeMs, types = {} } = options;
  const droppedIds: ReadonlySet<string> = privacy?.droppedIds ?? new Set();
  const limits = { minTimeMs, maxTimeMs, droppedIds, types };
  const typeStage = new TypeStage(types);
  const transform = options.transform && new TransformStage(kernel, options.transform, limits);
  const target = options.target && new TargetStage(kernel, options.target, options);
  return {
    fields: plan.fields,
    groups: plan.groups,
    map(batch) {
      const mapped = rows.map(batch);
      if (transform === undefined) typeStage.apply(mapped);
      const events = transform?.apply(mapped) ?? mapped;
      privacy?.apply(events);
      return target?.apply(events) ?? events;
    },
    takeRenames: () => target?.takeRenames(),
    get notices() {
      const { userID, stableID, madeText, metadata, user } = rows.collisions;
      return {
        ...omitUndefined({ metadata_name_repeated: metadata, user_name_repeated: user }),
        ...omitUndefined({ user_id_filled: rows.filledUsers }),
        userID_property_replaced: userID,
        stableID_property_replaced: stableID,
        id_property_made_text: madeText,
        ...target?.notices,
      };
    },
  };
}

/** Bytes of the text of a number that is an id, if it is not a part of its cell. */
const NUMBER_BYTES_MAX = 20;

/** Counts of rows. */
interface Collisions {
  /** Rows in which the id replaced the property. */
  readonly userID: number;
  readonly stableID: number;
  /** Rows without the id in which the property was not text and became its JSON as text. */
  readonly madeText: number;
  /** Rows in which a part of the object had a name of an earlier part; undefined without parts. */
  readonly metadata: number | undefined;
  readonly user: number | undefined;
}

/**
 * Maps rows to events, without privacy and transform. Each row gets the outcome of the first step that
 * stops it: fault of the reader; filtered by a field; event missing or not text; event filtered; time
 * missing, not parsable or out of range; time filtered; an id not text; no id; metadata, then user not an
 * object; value not a scalar.
 */
class RowMapper {
  /** Counts of the rows in which a user property had the name of an id, by result. */
  get collisions(): Collisions {
    const metadata = this.#metadata.collisions;
    return { ...this.#collisions, metadata, user: this.#properties.collisions };
  }
  /** Rows whose user id is from the table of identities; undefined without one. */
  get filledUsers(): number | undefined {
    return this.#identity?.filled;
  }
  readonly #kernel: Kernel;
  readonly #limits: TimeBounds;
  readonly #filter: EventFilter | undefined;
  readonly #words: RejectWords;
  readonly #outcomes: number;
  readonly #numbers: number;
  readonly #emptyObject: number;
  readonly #fieldFilters: readonly FieldFilter[];
  readonly #event: CellTarget;
  readonly #time: TimeTarget;
  readonly #userID: CellTarget;
  readonly #stableID: CellTarget;
  readonly #identity: IdentityFill | undefined;
  readonly #value: CellTarget;
  readonly #insertID: CellTarget | undefined;
  readonly #distinctID: CellTarget | undefined;
  readonly #metadata: ObjectTarget;
  readonly #properties: ObjectTarget;
  readonly #user: Column;
  readonly #userBytes: Region;
  readonly #counters: number;
  readonly #isWithoutUser: boolean;
  readonly #collisions = { userID: 0, stableID: 0, madeText: 0 };

  readonly #options: MapperOptions;

  constructor(kernel: Kernel, options: MapperOptions, plan: FieldPlan) {
    this.#options = options;
    const { mapping, includeEvents = [], excludeEvents = [] } = options;
    const texts = { emptyIsNull: true };
    this.#kernel = kernel;
    this.#words = new RejectWords(options, plan);
    this.#limits = {
      minTimeMs: options.minTimeMs,
      maxTimeMs: options.maxTimeMs,
      fromTimeMs: options.fromTimeMs ?? Number.NEGATIVE_INFINITY,
      toTimeMs: options.toTimeMs ?? Number.POSITIVE_INFINITY,
    };
    this.#filter =
      includeEvents.length + excludeEvents.length === 0
        ? undefined
        : new EventFilter(kernel, includeEvents, excludeEvents);
    this.#outcomes = kernel.allocate(BATCH_ROWS_MAX);
    // For both ids. Pages are touched only as far as ids are numbers with an exponent.
    this.#numbers = kernel.allocate(2 * BATCH_ROWS_MAX * NUMBER_BYTES_MAX);
    this.#emptyObject = storeText(kernel, "{}").address;
    this.#fieldFilters = mapping.filter.map(
      (filter, index) => new FieldFilter(kernel, filter, plan.filter.slice(index)),
    );
    this.#event = new CellTarget(kernel, mapping.event, plan.event, texts);
    this.#time = new TimeTarget(kernel, mapping.timestamp, plan.timestamp);
    this.#userID = new CellTarget(kernel, mapping.userID, plan.userID, texts);
    this.#stableID = new CellTarget(kernel, mapping.stableID, plan.stableID, texts);
    const ids = [this.#userID.column, this.#stableID.column] as const;
    this.#identity = options.identity && new IdentityFill(kernel, options.identity, ...ids);
    const tokens = { emptyIsNull: false, areTokens: true };
    this.#value = new CellTarget(kernel, mapping.value, plan.value, tokens);
    const requested = (target: "insertID" | "distinctID", isRequested = false) =>
      isRequested ? new CellTarget(kernel, mapping[target], plan[target], texts) : undefined;
    this.#insertID = requested("insertID", options.withInsertID);
    this.#distinctID = requested("distinctID", options.withDistinctID);
    this.#metadata = createObjectTarget(kernel, mapping.metadata, plan.metadata);
    this.#properties = createObjectTarget(kernel, mapping.user, plan.user);
    this.#user = new Column(kernel);
    this.#userBytes = new Region(kernel, 0);
    this.#counters = storeU32s(kernel, [0, 0, 0]);
    this.#isWithoutUser = options.withoutUser === true;
  }

  map(batch: Batch): EventBatch {
    const { rows, columns } = batch;
    const { run, bytes } = this.#kernel;
    const outcomes = this.#outcomes;
    bytes.copyWithin(outcomes, batch.faults, batch.faults + rows);
    for (const filter of this.#fieldFilters) filter.apply(columns, rows, outcomes);
    this.#event.take(columns, rows);
    // Reports count rows without an event name on the days of their times.
    this.#time.take(columns, rows, outcomes);
    run.checkEvents(outcomes, this.#event.column.address, rows);
    this.#filter?.apply(this.#event.column, rows, outcomes);
    this.#time.check(this.#limits, rows, outcomes);
    this.#takeIds(columns, rows);
    this.#metadata.take(columns, rows, outcomes, rejectCodes.metadata_not_object);
    run.fillObjects(this.#metadata.column.address, rows, this.#emptyObject);
    this.#properties.take(columns, rows, outcomes, rejectCodes.user_not_object);
    this.#value.take(columns, rows);
    run.checkValues(outcomes, this.#value.column.address, rows);
    this.#insertID?.take(columns, rows);
    this.#distinctID?.take(columns, rows);
    if (!this.#isWithoutUser) this.#mergeUsers(rows);
    return this.#events(batch);
  }

  #takeIds(columns: readonly Column[], rows: number): void {
    const { run } = this.#kernel;
    const userID = this.#userID.column.address;
    const stableID = this.#stableID.column.address;
    this.#userID.take(columns, rows);
    this.#stableID.take(columns, rows);
    run.checkIds(this.#outcomes, userID, rows, this.#numbers);
    run.checkIds(this.#outcomes, stableID, rows, this.#numbers + NUMBER_BYTES_MAX * rows);
    run.requireId(this.#outcomes, userID, stableID, rows);
    this.#identity?.apply(this.#outcomes, rows);
  }

  #mergeUsers(rows: number): void {
    const { run, u32 } = this.#kernel;
    const properties = this.#properties.column.address;
    const userID = this.#userID.column.address;
    const stableID = this.#stableID.column.address;
    u32.fill(0, this.#counters / 4, this.#counters / 4 + 3);
    this.#userBytes.ensure(run.mergedBytes(this.#outcomes, properties, userID, stableID, rows));
    run.mergeUsers(
      this.#outcomes,
      this.#user.address,
      properties,
      userID,
      stableID,
      rows,
      this.#userBytes.address,
      this.#counters,
    );
    this.#collisions.userID += this.#kernel.u32[this.#counters / 4]!;
    this.#collisions.stableID += this.#kernel.u32[this.#counters / 4 + 1]!;
    this.#collisions.madeText += this.#kernel.u32[this.#counters / 4 + 2]!;
  }

  #trace(columns: readonly Column[], row: number): readonly TraceStep[] {
    const { mapping } = this.#options;
    const one = (
      target: Exclude<TraceStep["target"], "metadata" | "user" | "filter">,
      cells: CellTarget | TimeTarget | undefined,
      to: readonly string[] = [target],
    ) => {
      const from = mapping[target][cells?.choice(columns, row) ?? -1]?.path;
      return from === undefined ? [] : [{ target, from, to }];
    };
    const members = (target: "metadata" | "user", steps: readonly MemberTrace[]) =>
      steps.map(({ from, to }) => ({ target, from, to: [target, ...to] }));
    const { filter } = mapping;
    const ids = [
      ...one("userID", this.#userID, ["user", "userID"]),
      ...one("stableID", this.#stableID, ["user", "stableID"]),
    ];
    // An id replaces the property of its name.
    const isReplaced = ({ to }: MemberTrace) =>
      to.length === 1 && ids.some((id) => id.to[1] === to[0]);
    return [
      ...one("event", this.#event),
      ...one("timestamp", this.#time),
      ...ids,
      ...one("value", this.#value),
      ...one("insertID", this.#insertID),
      ...members(
        "user",
        this.#properties.trace(columns, row).filter((step) => !isReplaced(step)),
      ),
      ...members("metadata", this.#metadata.trace(columns, row)),
      ...filter.map(({ path }) => ({ target: "filter", from: path, to: [] }) as const),
    ];
  }

  #events(batch: Batch): EventBatch {
    const kernel = this.#kernel;
    return {
      kernel,
      rows: batch.rows,
      batch,
      sourceRow: (row) => row,
      outcomes: this.#outcomes,
      event: this.#event.column,
      timestamps: this.#time.times,
      userID: this.#userID.column,
      stableID: this.#stableID.column,
      value: this.#value.column,
      user: this.#user,
      metadata: this.#metadata.column,
      ...omitUndefined({
        insertID: this.#insertID?.column,
        distinctID: this.#distinctID?.column,
      }),
      explain: (row) => {
        const code = kernel.bytes[this.#outcomes + row]!;
        const time = kernel.doubles[this.#time.times / 8 + row]!;
        return this.#words.explain(batch, row, code, time);
      },
      trace: (row) => this.#trace(batch.columns, row),
    };
  }
}
