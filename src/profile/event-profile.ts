import { CENSUS_NAMES_MAX, PROFILE_DAYS_MAX, PROFILE_HOURS_MAX } from "../base/limits.js";
import { rejectCodes } from "../base/reject-codes.js";
import type { Zone } from "../base/zone.js";
import { type EventBatch, outcomes } from "../batch/event-batch.js";
import { type Kernel, Region } from "../batch/kernel.js";
import { writeWords } from "../batch/kernel-record.js";
import { candidateLayout, groupLayout, rowsLayout } from "../batch/layouts.js";
import { Census } from "./census.js";
import { IdSet } from "./id-set.js";
import { JunkIds } from "./junk-ids.js";
import { NumberCounts } from "./number-counts.js";
import {
  ID_REGISTER_BYTES,
  INSERT_ID_REGISTER_BYTES,
  NAME_REGISTER_BYTES,
  type ProfileLimits,
  ProfileMemory,
  profileLimits,
  SIZE_CLASSES,
} from "./profile-memory.js";
import { readFrequent, readKeys, readRegisters } from "./profile-tables.js";
import { type Candidate, type PlaceOf, RowSamples } from "./row-samples.js";
import {
  figureNames,
  type SplitFigures,
  type SplitKey,
  type SplitName,
  type SplitProfile,
  type SplitProperties,
} from "./split-profile.js";

/** A row has two at most: as a sample, and as one of the largest. */
const ROW_CANDIDATES_MAX = 2;

/**
 * Finds out about the events of a split. A sketch in a library would see each value as a JavaScript
 * object, which costs more than all else that is done with a row: so kernels keep them, in their
 * memory, which is taken once, here.
 */
export class EventProfile {
  readonly #memory: ProfileMemory;
  readonly #census: Census;
  readonly #ids: IdSet;
  readonly #junk: JunkIds;
  readonly #hours: NumberCounts;
  readonly #rejectedDays: NumberCounts;
  readonly #samples = new RowSamples();
  readonly #rows: number;
  readonly #locals: Region;
  readonly #sources: Region;
  readonly #candidates: Region;

  /** Events later than `nowMs` are in the future. */
  constructor(
    private readonly kernel: Kernel,
    private readonly zone: Zone,
    private readonly nowMs: number,
    limits: ProfileLimits = profileLimits,
  ) {
    this.#census = new Census(kernel, zone);
    this.#memory = new ProfileMemory(kernel, this.#census.address, CENSUS_NAMES_MAX + 1, limits);
    this.#ids = new IdSet(kernel);
    this.#junk = new JunkIds(kernel);
    this.#rows = kernel.allocate(rowsLayout.bytes);
    this.#locals = new Region(kernel, 0);
    this.#sources = new Region(kernel, 0);
    this.#candidates = new Region(kernel, 0);
    this.#hours = new NumberCounts(kernel, PROFILE_HOURS_MAX);
    this.#rejectedDays = new NumberCounts(kernel, PROFILE_DAYS_MAX);
    this.#memory.set("hours", this.#hours.address);
    this.#memory.set("rejectedDays", this.#rejectedDays.address);
    this.#memory.set("idSet", this.#ids.address);
    this.#memory.set("junk", this.#junk.address);
    this.clear(0);
  }

  /** Forgets everything. `seed` decides, beside the rows' numbers, which of them are shown. */
  clear(seed: number): void {
    this.#census.clear();
    this.#memory.clear(seed);
    this.#ids.clear();
    this.#junk.clear();
    this.#hours.clear();
    this.#rejectedDays.clear();
    this.#samples.clear();
  }

  take(events: EventBatch, placeOf: PlaceOf): void {
    this.#census.take(events);
    this.#describe(events);
    this.kernel.run.profileRows(this.#memory.address, this.#rows, this.nowMs);
    const candidates = this.#readCandidates();
    if (candidates.length > 0) this.#samples.take(events, candidates, placeOf);
  }

  result(): SplitProfile {
    const { kernel } = this;
    const memory = this.#memory;
    const keys = readKeys(kernel, memory);
    const events = this.#census.events();
    const table = (word: "topUsers" | "topDevices") => readFrequent(kernel, memory.get(word));
    const registers = (word: "users" | "devices" | "insertIDs", size: number) =>
      readRegisters(kernel, memory.get(word), size);
    return {
      events,
      names: events.names.map((_, index) => this.#name(index + 1, keys)),
      hours: this.#hours.counts(),
      leftOutOfHours: this.#hours.others,
      rejectedDays: this.#rejectedDays.counts(),
      figures: this.#figures(),
      users: registers("users", ID_REGISTER_BYTES),
      devices: registers("devices", ID_REGISTER_BYTES),
      insertIDs: {
        registers: registers("insertIDs", INSERT_ID_REGISTER_BYTES),
        repeated: this.#ids.repeated,
        unknown: this.#ids.unknown,
      },
      topUsers: table("topUsers"),
      topDevices: table("topDevices"),
      junkIDs: this.#junk.counts(),
      sizes: this.#sizes(),
      largest: this.#samples.largest,
      userProperties: this.#properties(memory.get("userGroup"), keys.get(memory.get("namesMax"))),
      samples: this.#samples.samples(),
      rejectSamples: this.#samples.rejects(),
    };
  }

  #describe(events: EventBatch): void {
    const { kernel } = this;
    const { rows, outcomes: marks, event, userID, stableID, value, user, metadata } = events;
    this.#locals.ensure(rows * 8);
    this.#candidates.ensure(rows * ROW_CANDIDATES_MAX * candidateLayout.bytes);
    const sources = events.insertID === undefined ? 0 : this.#sourceRows(events);
    if (events.insertID !== undefined) this.#ids.makeRoom(rows);
    this.#memory.set("candidates", this.#candidates.address);
    const locals = this.#locals.address;
    fillLocals(kernel, { rows, outcomes: marks, timestamps: events.timestamps, locals }, this.zone);
    writeWords(kernel, rowsLayout, this.#rows, {
      outcomes: marks,
      ...{ event: event.address, userID: userID.address, stableID: stableID.address },
      ...{ value: value.address, user: user.address, metadata: metadata.address },
      insertID: events.insertID?.address ?? 0,
      ...{ timestamps: events.timestamps, locals, sources, count: rows },
    });
  }

  /** Address of the rows of the batch that the events came from; 0 where they are the same. */
  #sourceRows({ rows, batch, sourceRow }: EventBatch): number {
    if (rows === 0 || (rows === batch.rows && sourceRow(rows - 1) === rows - 1)) return 0;
    this.#sources.ensure(rows * 4);
    const first = this.#sources.address / 4;
    for (let row = 0; row < rows; row++) this.kernel.words[first + row] = sourceRow(row);
    return this.#sources.address;
  }

  #readCandidates(): readonly Candidate[] {
    const count = this.#memory.get("candidateCount");
    if (count === 0) return [];
    const { words, longs } = this.kernel;
    const { row, group } = candidateLayout.words;
    return Array.from({ length: count }, (_, index) => {
      const address = this.#candidates.address + index * candidateLayout.bytes;
      return {
        row: words[address / 4 + row]!,
        group: words[address / 4 + group]!,
        // Hashes have nothing in their lowest bits, and sizes nothing in the upper half.
        order: Number(longs[address / 8 + candidateLayout.longs.order]!),
      };
    });
  }

  #name(number: number, keys: ReadonlyMap<number, SplitKey[]>): SplitName {
    const { kernel } = this;
    const memory = this.#memory;
    const group = memory.get("groups") + number * groupLayout.bytes;
    const bytesMax = kernel.words[group / 4 + groupLayout.words.bytesMax]!;
    const users = kernel.words[group / 4 + groupLayout.words.users]!;
    const bytes = kernel.doubles[group / 8 + groupLayout.doubles.bytes]!;
    if (users === 0) return { bytes, bytesMax };
    return {
      ...{ bytes, bytesMax },
      users: readRegisters(kernel, users, NAME_REGISTER_BYTES),
      properties: this.#properties(group, keys.get(number)),
    };
  }

  #properties(group: number, keys: readonly SplitKey[] = []): SplitProperties {
    const { words } = this.kernel;
    return {
      rows: words[group / 4 + groupLayout.words.rows]!,
      otherValues: words[group / 4 + groupLayout.words.otherValues]!,
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
    return [...this.kernel.words.subarray(first, first + SIZE_CLASSES)]
      .map((rows, sizeClass) => [sizeClass, rows] as const)
      .filter(([, rows]) => rows > 0);
  }
}

/** The time of a row is known where it is delivered or rejected for something that is looked at later. */
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
      (outcome >= rejectCodes.unit_id_missing && outcome <= rejectCodes.value_not_scalar);
    if (!isKnown) continue;
    const timestamp = doubles[timestamps + row]!;
    doubles[locals + row] = timestamp + zone.offsetMs(timestamp);
  }
}
