import { DAY_MS, dayOf } from "../base/day.js";
import {
  EVENT_COUNTS_NAMES_MAX,
  PROFILE_DAYS_MAX,
  PROFILE_EMPTY_TARGETS_MAX,
  PROFILE_HOURS_MAX,
} from "../base/limits.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { rejectCodes } from "../base/reject-codes.js";
import type { Zone } from "../base/zone.js";
import { type EventBatch, outcomes } from "../batch/event-batch.js";
import { type Kernel, Region } from "../batch/kernel.js";
import { writeWords } from "../batch/kernel-record.js";
import { candidateLayout, groupLayout, rowsLayout } from "../batch/layouts.js";
import { EventCounts } from "./event-counts.js";
import type { TallyMapping } from "./field-tally.js";
import { IdCounts } from "./id-counts.js";
import { IdSet, NumberCounts } from "./kernel-tables.js";
import { LookedAtRows } from "./looked-at-rows.js";
import { PlaceholderIds } from "./placeholder-ids.js";
import {
  ID_REGISTER_BYTES,
  INSERT_ID_REGISTER_BYTES,
  type ProfileLimits,
  ProfileMemory,
  profileLimits,
  SIZE_CLASSES,
} from "./profile-memory.js";
import { readKeys, readRegisters } from "./profile-tables.js";
import { type PlaceOf, RowSamples, type SampleCandidate } from "./row-samples.js";
import {
  figureNames,
  profiledTargets,
  type SplitFigures,
  type SplitKey,
  type SplitName,
  type SplitProfile,
  type SplitProperties,
} from "./split-profile.js";

/** Candidates of one row: a sample, one of the largest, and one whose fields are looked at. */
const ROW_CANDIDATES_MAX = 3;

const EMPTY_BITS = 2 ** profiledTargets.length - 1;

interface ProfileOptions {
  readonly limits?: ProfileLimits;
  /** Fields of rows are counted with it. */
  readonly mapping?: TallyMapping;
  /** Repeated insert ids are not counted, as something else counts them exactly. */
  readonly withoutRepeats?: boolean;
  /** Events whose day is another one in it are counted. */
  readonly targetZone?: Zone | undefined;
}

/**
 * Profiles the events of a split. Kernels keep the counts and sketches in their memory, which is
 * allocated once: a JavaScript object for each value would cost more than everything else.
 */
export class EventProfile {
  readonly #memory: ProfileMemory;
  readonly #eventCounts: EventCounts;
  readonly #insertIDs: IdSet | undefined;
  readonly #ids: IdCounts;
  readonly #junk: PlaceholderIds;
  readonly #hours: NumberCounts;
  readonly #rejectedDays: NumberCounts;
  readonly #emptyTargets: NumberCounts;
  readonly #samples = new RowSamples();
  readonly #lookedAt: LookedAtRows | undefined;
  readonly #rows: number;
  readonly #locals: Region;
  readonly #sources: Region;
  readonly #candidates: Region;
  readonly #targetZone: Zone | undefined;
  #shifted = 0;

  /** Events later than `nowMs` count as future. */
  constructor(
    private readonly kernel: Kernel,
    private readonly zone: Zone,
    private readonly nowMs: number,
    { limits = profileLimits, mapping, withoutRepeats = false, targetZone }: ProfileOptions = {},
  ) {
    this.#targetZone = targetZone;
    this.#lookedAt = mapping && new LookedAtRows(mapping);
    this.#eventCounts = new EventCounts(kernel, zone);
    this.#memory = new ProfileMemory(
      kernel,
      this.#eventCounts.address,
      EVENT_COUNTS_NAMES_MAX + 1,
      limits,
    );
    this.#insertIDs = withoutRepeats ? undefined : new IdSet(kernel);
    this.#ids = new IdCounts(kernel, this.#memory);
    this.#junk = new PlaceholderIds(kernel);
    this.#rows = kernel.allocate(rowsLayout.bytes);
    this.#locals = new Region(kernel, 0);
    this.#sources = new Region(kernel, 0);
    this.#candidates = new Region(kernel, 0);
    this.#hours = new NumberCounts(kernel, PROFILE_HOURS_MAX);
    this.#rejectedDays = new NumberCounts(kernel, PROFILE_DAYS_MAX);
    this.#emptyTargets = new NumberCounts(kernel, PROFILE_EMPTY_TARGETS_MAX);
    this.#memory.set("hours", this.#hours.address);
    this.#memory.set("rejectedDays", this.#rejectedDays.address);
    this.#memory.set("emptyTargets", this.#emptyTargets.address);
    this.#memory.set("idSet", this.#insertIDs?.address ?? 0);
    this.#memory.set("ids", this.#ids.address);
    this.#memory.set("junk", this.#junk.address);
    this.clear(0);
  }

  /** Discards everything. `seed` and the row numbers decide which rows become samples. */
  clear(seed: number): void {
    this.#eventCounts.clear();
    this.#memory.clear(seed);
    this.#insertIDs?.clear();
    this.#ids.clear();
    this.#junk.clear();
    this.#hours.clear();
    this.#rejectedDays.clear();
    this.#emptyTargets.clear();
    this.#samples.clear();
    this.#lookedAt?.clear();
    this.#shifted = 0;
  }

  take(events: EventBatch, placeOf: PlaceOf): void {
    this.#eventCounts.take(events);
    this.#describe(events);
    if (this.#targetZone !== undefined) this.#countShifted(events, this.#targetZone);
    for (let row = 0; ; ) {
      row = this.kernel.run.profileRows(this.#memory.address, this.#rows, row, this.nowMs);
      if (row === events.rows) break;
      this.#ids.makeRoom();
    }
    const candidates = this.#readCandidates();
    if (candidates.length === 0) return;
    this.#samples.take(events, candidates, placeOf);
    this.#lookedAt?.take(events, candidates, placeOf);
  }

  result(): SplitProfile {
    const { kernel } = this;
    const memory = this.#memory;
    const keys = readKeys(kernel, memory);
    const events = this.#eventCounts.events();
    const registers = (word: "users" | "devices" | "insertIDs", size: number) =>
      readRegisters(kernel, memory.get(word), size);
    return {
      events,
      names: events.names.map((_, index) => this.#name(index + 1, keys)),
      hours: this.#hours.counts(),
      leftOutOfHours: this.#hours.others,
      rejectedDays: this.#rejectedDays.counts(),
      emptyTargets: this.#emptyTargets
        .counts()
        .map(
          ([number, rows]) =>
            [number >> profiledTargets.length, number & EMPTY_BITS, rows] as const,
        )
        .filter(([, bits]) => bits !== 0),
      figures: this.#figures(),
      users: registers("users", ID_REGISTER_BYTES),
      devices: registers("devices", ID_REGISTER_BYTES),
      ids: this.#ids.result(),
      junkIDs: this.#junk.counts(),
      sizes: this.#sizes(),
      largest: this.#samples.largest,
      userProperties: this.#properties(memory.get("userGroup"), keys.get(memory.get("namesMax"))),
      samples: this.#samples.samples(),
      rejectSamples: this.#samples.rejects(),
      ...omitUndefined({
        insertIDs: this.#insertIDs && {
          registers: registers("insertIDs", INSERT_ID_REGISTER_BYTES),
          repeated: this.#insertIDs.repeated,
          unknown: this.#insertIDs.unknown,
        },
        fields: this.#lookedAt?.counts(this.#memory.unseen),
        shifted: this.#targetZone && this.#shifted,
      }),
    };
  }

  #describe(events: EventBatch): void {
    const { kernel } = this;
    const { rows, outcomes: marks, event, userID, stableID, value, user, metadata } = events;
    this.#locals.ensure(rows * 8);
    this.#candidates.ensure(rows * ROW_CANDIDATES_MAX * candidateLayout.bytes);
    const sources = events.insertID === undefined ? 0 : this.#sourceRows(events);
    if (events.insertID !== undefined) this.#insertIDs?.makeRoom(rows);
    this.#memory.set("candidates", this.#candidates.address);
    const locals = this.#locals.address;
    fillLocals(kernel, { rows, outcomes: marks, timestamps: events.timestamps, locals }, this.zone);
    writeWords(kernel, rowsLayout, this.#rows, {
      outcomes: marks,
      event: event.address,
      userID: userID.address,
      stableID: stableID.address,
      value: value.address,
      user: user.address,
      metadata: metadata.address,
      insertID: events.insertID?.address ?? 0,
      timestamps: events.timestamps,
      locals,
      sources,
      count: rows,
    });
  }

  #countShifted({ rows, outcomes: marks, timestamps }: EventBatch, targetZone: Zone): void {
    const { bytes, doubles } = this.kernel;
    const [times, locals] = [timestamps / 8, this.#locals.address / 8];
    for (let row = 0; row < rows; row++) {
      if (bytes[marks + row] !== outcomes.deliver) continue;
      const day = Math.floor(doubles[locals + row]! / DAY_MS);
      if (dayOf(doubles[times + row]!, targetZone) !== day) this.#shifted++;
    }
  }

  /** Returns the address of the events' row numbers in the batch; 0 if they are the same. */
  #sourceRows({ rows, batch, sourceRow }: EventBatch): number {
    if (rows === 0 || (rows === batch.rows && sourceRow(rows - 1) === rows - 1)) return 0;
    this.#sources.ensure(rows * 4);
    const first = this.#sources.address / 4;
    for (let row = 0; row < rows; row++) this.kernel.u32[first + row] = sourceRow(row);
    return this.#sources.address;
  }

  #readCandidates(): readonly SampleCandidate[] {
    const count = this.#memory.get("candidateCount");
    if (count === 0) return [];
    const { u32, longs } = this.kernel;
    const { row, group } = candidateLayout.words;
    return Array.from({ length: count }, (_, index) => {
      const address = this.#candidates.address + index * candidateLayout.bytes;
      return {
        row: u32[address / 4 + row]!,
        group: u32[address / 4 + group]!,
        // Exact as a number: the lowest bits of hashes and the upper half of sizes are 0.
        order: Number(longs[address / 8 + candidateLayout.longs.order]!),
      };
    });
  }

  #name(number: number, keys: ReadonlyMap<number, SplitKey[]>): SplitName {
    const { kernel } = this;
    const memory = this.#memory;
    const group = memory.get("groups") + number * groupLayout.bytes;
    const bytesMax = kernel.u32[group / 4 + groupLayout.words.bytesMax]!;
    const bytes = kernel.doubles[group / 8 + groupLayout.doubles.bytes]!;
    if (number > memory.get("groupsMax")) return { bytes, bytesMax };
    return { bytes, bytesMax, properties: this.#properties(group, keys.get(number)) };
  }

  #properties(group: number, keys: readonly SplitKey[] = []): SplitProperties {
    const { u32 } = this.kernel;
    return {
      rows: u32[group / 4 + groupLayout.words.rows]!,
      otherValues: u32[group / 4 + groupLayout.words.otherValues]!,
      keys,
    };
  }

  #figures(): SplitFigures {
    const first = this.#memory.get("figures") / 8;
    const figures = figureNames.map((name, index) => [name, this.kernel.doubles[first + index]]);
    return Object.fromEntries(figures) as SplitFigures;
  }

  #sizes(): (readonly [number, number])[] {
    const first = this.#memory.get("sizeCounts") / 4;
    return [...this.kernel.u32.subarray(first, first + SIZE_CLASSES)]
      .map((rows, sizeClass) => [sizeClass, rows] as const)
      .filter(([, rows]) => rows > 0);
  }
}

/** Writes local times of the rows that are delivered, or rejected for another reason than the time. */
function fillLocals(
  { bytes, doubles }: Kernel,
  at: { rows: number; outcomes: number; timestamps: number; locals: number },
  zone: Zone,
): void {
  const [marks, timestamps, locals] = [at.outcomes, at.timestamps / 8, at.locals / 8];
  for (let row = 0; row < at.rows; row++) {
    const outcome = bytes[marks + row]!;
    const isKnown =
      outcome === outcomes.deliver ||
      outcome === rejectCodes.event_missing ||
      outcome === rejectCodes.event_not_text ||
      (outcome >= rejectCodes.unit_id_missing && outcome <= rejectCodes.transform_failed);
    if (!isKnown) continue;
    const timestamp = doubles[timestamps + row]!;
    doubles[locals + row] = timestamp + (Number.isNaN(timestamp) ? 0 : zone.offsetMs(timestamp));
  }
}
