import {
  PROFILE_KEYS_MAX,
  PROFILE_NAME_USERS_BYTES,
  PROFILE_NAMES_MAX,
  PROFILE_VALUES_MAX,
} from "../base/limits.js";
import type { Kernel } from "../batch/kernel.js";
import { FieldTally } from "./field-tally.js";
import { IdFold } from "./id-fold.js";
import { NameUsers, type UsersBudget } from "./name-users.js";
import { PartSizeFold } from "./part-size-fold.js";
import { ID_REGISTER_BYTES, INSERT_ID_REGISTER_BYTES, LARGEST_MAX } from "./profile-memory.js";
import { type KeyBudget, PropertyFold } from "./property-fold.js";
import { largestOf, smallest } from "./row-samples.js";
import { Registers } from "./sketches.js";
import {
  figureNames,
  profiledTargets,
  type SplitFigures,
  type SplitLargest,
  type SplitName,
  type SplitProfile,
  type SplitRejectSample,
  type SplitSample,
} from "./split-profile.js";

/** The events of one name, over all splits. */
export interface FoldedName {
  bytes: number;
  bytesMax: number;
  users: NameUsers | undefined;
  properties: PropertyFold | undefined;
}

interface InsertIdFold {
  /** Distinct insert ids. */
  readonly registers: Registers;
  /** Insert ids that repeat one of their split. */
  repeated: number;
  /** Insert ids that were not compared. */
  unknown: number;
}

/**
 * Adds up the profiles of splits, in the order of the splits. Does not keep the profiles, and keeps at most
 * as many names and keys as one split.
 */
export class ProfileFold {
  readonly names = new Map<string, FoldedName>();
  readonly hours = new Map<number, number>();
  /** Events on another day in the zone of the target. */
  shifted = 0;
  readonly rejectedDays = new Map<number, number>();
  /** Events without a value by day, in the order of `profiledTargets`. */
  readonly emptyTargets = new Map<number, number[]>();
  readonly sizes = new Map<number, number>();
  readonly users = new Registers(ID_REGISTER_BYTES);
  readonly devices = new Registers(ID_REGISTER_BYTES);
  readonly ids: IdFold;
  readonly partSizes = new PartSizeFold();
  readonly fields = new FieldTally();
  readonly junkIDs = new Map<string, number>();
  readonly samples = new Map<string, readonly SplitSample[]>();
  readonly rejectSamples = new Map<string, readonly SplitRejectSample[]>();
  readonly userProperties: PropertyFold;
  readonly #keys: KeyBudget = { left: PROFILE_KEYS_MAX };
  readonly #userBytes: UsersBudget = { left: PROFILE_NAME_USERS_BYTES };
  readonly #figures = Object.fromEntries(figureNames.map((name) => [name, 0])) as Record<
    keyof SplitFigures,
    number
  >;
  #namesLookedAt = 0;
  #largest: readonly SplitLargest[] = [];
  #insertIDs: InsertIdFold | undefined;
  #leftOut = 0;

  constructor(private readonly kernel: Kernel) {
    this.ids = new IdFold(kernel);
    this.userProperties = new PropertyFold(this.#keys);
  }

  get figures(): SplitFigures {
    return this.#figures;
  }

  get largest(): readonly SplitLargest[] {
    return this.#largest;
  }

  /** Undefined if the splits have not compared their insert ids. */
  get insertIDs(): Readonly<InsertIdFold> | undefined {
    return this.#insertIDs;
  }

  /** Events of hours beyond the limit of a split. */
  get leftOutOfHours(): number {
    return this.#leftOut;
  }

  /** `isNamed` is true for each name of the split that is counted by name. */
  add(profile: SplitProfile, isNamed: readonly boolean[]): void {
    const { events, names, figures, insertIDs } = profile;
    for (const [index, name] of names.entries()) {
      const event = events.names[index]?.event;
      if (event !== undefined && isNamed[index] === true) this.#addName(event, name);
    }
    for (const name of figureNames) this.#figures[name] += figures[name];
    addCounts(this.hours, profile.hours);
    this.shifted += profile.shifted ?? 0;
    addCounts(this.rejectedDays, profile.rejectedDays);
    this.#addEmpty(profile.emptyTargets);
    addCounts(this.sizes, profile.sizes);
    this.#leftOut += profile.leftOutOfHours;
    this.users.merge(profile.users);
    this.devices.merge(profile.devices);
    if (insertIDs !== undefined) this.#addInsertIDs(insertIDs);
    this.ids.add(profile.ids, (index) => {
      const event = isNamed[index] === true ? events.names[index]?.event : undefined;
      return event === undefined ? undefined : this.names.get(event)?.users;
    });
    this.partSizes.add(profile);
    for (const { field, value, rows } of profile.junkIDs) {
      addCounts(this.junkIDs, [[`${field} ${value}`, rows]]);
    }
    this.#largest = largestOf(this.#largest, profile.largest);
    this.userProperties.add(profile.userProperties);
    if (profile.fields !== undefined) this.fields.merge(profile.fields);
    for (const sample of profile.samples) keepSmallest(this.samples, sample.event, sample);
    for (const sample of profile.rejectSamples) {
      keepSmallest(this.rejectSamples, sample.code, sample);
    }
  }

  #addInsertIDs({ registers, repeated, unknown }: NonNullable<SplitProfile["insertIDs"]>): void {
    this.#insertIDs ??= {
      registers: new Registers(INSERT_ID_REGISTER_BYTES),
      repeated: 0,
      unknown: 0,
    };
    this.#insertIDs.registers.merge(registers);
    this.#insertIDs.repeated += repeated;
    this.#insertIDs.unknown += unknown;
  }

  #addEmpty(counts: SplitProfile["emptyTargets"]): void {
    for (const [day, bits, rows] of counts) {
      const known = this.emptyTargets.get(day) ?? profiledTargets.map(() => 0);
      for (const index of known.keys()) if ((bits >> index) & 1) known[index]! += rows;
      this.emptyTargets.set(day, known);
    }
  }

  #addName(event: string, { bytes, bytesMax, properties }: SplitName): void {
    let known = this.names.get(event);
    if (known === undefined) {
      known = { bytes: 0, bytesMax: 0, users: undefined, properties: undefined };
      this.names.set(event, known);
    }
    known.bytes += bytes;
    known.bytesMax = Math.max(known.bytesMax, bytesMax);
    if (properties === undefined) return;
    if (known.properties === undefined) {
      if (this.#namesLookedAt === PROFILE_NAMES_MAX) return;
      known.users = new NameUsers(this.kernel, this.#namesLookedAt++, this.#userBytes);
      known.properties = new PropertyFold(this.#keys);
    }
    known.properties.add(properties);
  }
}

/** Limits of a profile, for reports. */
export const foldLimits = {
  namesWithProperties: PROFILE_NAMES_MAX,
  keys: PROFILE_KEYS_MAX,
  exactValues: PROFILE_VALUES_MAX,
  largestEvents: LARGEST_MAX,
} as const;

function addCounts<Key>(
  counts: Map<Key, number>,
  more: readonly (readonly [key: Key, rows: number])[],
): void {
  for (const [key, rows] of more) counts.set(key, (counts.get(key) ?? 0) + rows);
}

function keepSmallest<T extends { readonly order: number }>(
  kept: Map<string, readonly T[]>,
  key: string,
  item: T,
): void {
  kept.set(key, smallest(kept.get(key), [item]));
}
