import { DAY_MS, formatDay } from "../base/day.js";
import type { AnyObject } from "../contract/fields.js";
import { own, unitIDOf } from "../contract/unit-id.js";
import { type SqliteDatabase, type SqlValue, storedText } from "./sqlite-database.js";
import { EVENTS_PER_SLICE, EXPERIMENT_UNITS_AT_ONCE } from "./storage-limits.js";

/** The experiment and the conversion that are counted. */
export interface ExperimentQuestion {
  readonly experimentID: string;
  /** The names by which SDKs may log the experiment as that of a layer: its id and hashes of it. */
  readonly loggedNames: readonly string[];
  /** Ids of the groups: the rule ids of their exposures. */
  readonly groupIDs: readonly string[];
  readonly idType: string;
  /** ms since the epoch; earlier exposures and conversions do not count. */
  readonly startTime: number;
  /** ms since the epoch; exclusive. Bounds what clocks that are wrong can add. */
  readonly endTime: number;
  /** The name of the event that is a conversion; undefined for exposures alone. */
  readonly event: string | undefined;
  /** A conversion counts if it is less than so many ms after the first exposure; undefined: at any time. */
  readonly windowMs: number | undefined;
}

/** The units whose exposures are all to one group. */
interface GroupCounts {
  readonly units: number;
  /** Units by the UTC day `YYYY-MM-DD` of their first exposure, in order. */
  readonly firstExposures: readonly { readonly day: string; readonly units: number }[];
  /** Units with a conversion at or after their first exposure. */
  readonly convertedUnits: number;
}

export interface ExperimentCounts {
  /** In the order of the question. */
  readonly groups: readonly GroupCounts[];
  /** Units with exposures to several groups; no group counts them. */
  readonly crossoverUnits: number;
  /** Exposures of users that have no id of the type. */
  readonly exposuresWithoutUnitID: number;
}

/** The group of a unit that was in several. */
const CROSSOVER = -1;

interface EventRow {
  readonly timestamp: number;
  /** JSON; null without a user. */
  readonly user: string | null;
}

interface ExposureRow extends EventRow {
  readonly rule: SqlValue;
}

const lastSequence = "SELECT max(sequence) AS sequence FROM event";

const seriesSince = "SELECT id FROM event_series WHERE event = ? AND day >= ? ORDER BY day";

// Reads the index alone.
const sliceEnd = `SELECT max(sequence) AS sequence FROM (SELECT sequence FROM event
  WHERE series = ? AND sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ${EVENTS_PER_SLICE})`;

const inSlice =
  "series = ? AND sequence > ? AND sequence <= ? AND timestamp >= ? AND timestamp < ?";

/** SQLite reads less deeply nested JSON than the service accepts: such events count for nobody. */
const inBody = (path: string) => `CASE WHEN json_valid(body) THEN body -> '$.${path}' END`;

const exposure = `timestamp, ${inBody("metadata.ruleID")} ->> '$' AS rule, ${inBody("user")} AS user`;

const selectExposures = `SELECT ${exposure} FROM event
  WHERE ${inSlice} AND ${inBody("metadata.config")} ->> '$' = ?`;

const selectLayerExposures = `SELECT ${exposure} FROM event
  WHERE ${inSlice} AND ${inBody("metadata.allocatedExperiment")} ->> '$'
    IN (SELECT value FROM json_each(?))`;

const selectConversions = `SELECT timestamp, ${inBody("user")} AS user FROM event WHERE ${inSlice}`;

/** The units of one part of all units. */
interface Units {
  /** Unit id → index in the others. */
  readonly indexes: Map<string, number>;
  readonly firstTimes: number[];
  /** Index of the group, or `CROSSOVER`. */
  readonly groups: number[];
  readonly isConverted: boolean[];
}

/**
 * Counts the units of an experiment in the stored events. Needs memory for `EXPERIMENT_UNITS_AT_ONCE`
 * units: the events of more units are read several times, each time for a part of the units.
 */
export function countExperiment(
  database: SqliteDatabase,
  question: ExperimentQuestion,
  unitsMax = EXPERIMENT_UNITS_AT_ONCE,
): ExperimentCounts {
  const last = database.first<{ sequence: number | null }>(lastSequence)?.sequence ?? 0;
  for (let parts = 1; ; parts *= 2) {
    const counting = new Counting(database, question, last);
    let part = 0;
    while (part < parts && counting.add((unit) => partOf(unit, parts) === part, unitsMax)) {
      part += 1;
    }
    if (part === parts) return counting.counts();
  }
}

class Counting {
  readonly #groupIndexes: ReadonlyMap<SqlValue, number>;
  readonly #days: Map<number, number>[];
  readonly #converted: number[];
  #crossoverUnits = 0;
  #exposuresWithoutUnitID = 0;

  constructor(
    private readonly database: SqliteDatabase,
    private readonly question: ExperimentQuestion,
    /** Events that are stored later do not count. */
    private readonly lastSequence: number,
  ) {
    const { groupIDs } = question;
    this.#groupIndexes = new Map(groupIDs.map((id, index) => [id, index]));
    this.#days = groupIDs.map(() => new Map());
    this.#converted = groupIDs.map(() => 0);
  }

  /** Adds the units that `isOfPart` names. Returns false, with wrong counts, if there are too many. */
  add(isOfPart: (unit: string) => boolean, unitsMax: number): boolean {
    const units: Units = { indexes: new Map(), firstTimes: [], groups: [], isConverted: [] };
    this.#exposuresWithoutUnitID = 0;
    const { experimentID, loggedNames, event } = this.question;
    const sources = [
      ["statsig::config_exposure", selectExposures, experimentID],
      ["statsig::layer_exposure", selectLayerExposures, JSON.stringify(loggedNames)],
    ] as const;
    for (const [name, sql, value] of sources) {
      for (const rows of this.#slices<ExposureRow>(name, sql, [value])) {
        this.#expose(units, rows, isOfPart);
        if (units.indexes.size > unitsMax) return false;
      }
    }
    if (event !== undefined) {
      for (const rows of this.#slices<EventRow>(event, selectConversions, [])) {
        this.#convert(units, rows);
      }
    }
    this.#sum(units);
    return true;
  }

  counts(): ExperimentCounts {
    const groups = this.#days.map((days, index) => {
      const firstExposures = [...days]
        .sort(([left], [right]) => left - right)
        .map(([day, units]) => ({ day: formatDay(day), units }));
      const units = firstExposures.reduce((sum, day) => sum + day.units, 0);
      return { units, firstExposures, convertedUnits: this.#converted[index] ?? 0 };
    });
    return {
      groups,
      crossoverUnits: this.#crossoverUnits,
      exposuresWithoutUnitID: this.#exposuresWithoutUnitID,
    };
  }

  /** Reads the events of a name since the start, by slices. */
  *#slices<Row>(name: string, sql: string, values: readonly SqlValue[]): Iterable<readonly Row[]> {
    const { startTime, endTime } = this.question;
    const firstDay = formatDay(Math.floor(startTime / DAY_MS));
    const series = this.database.all<{ id: number }>(seriesSince, [storedText(name), firstDay]);
    for (const { id } of series) {
      for (let after = 0; ; ) {
        const range = [id, after, this.lastSequence];
        const end = this.database.first<{ sequence: number | null }>(sliceEnd, range)?.sequence;
        if (end === undefined || end === null) break;
        yield this.database.all<Row>(sql, [id, after, end, startTime, endTime, ...values]);
        after = end;
      }
    }
  }

  #expose(
    { indexes, firstTimes, groups, isConverted }: Units,
    rows: readonly ExposureRow[],
    isOfPart: (unit: string) => boolean,
  ): void {
    for (const { timestamp, rule, user } of rows) {
      const group = this.#groupIndexes.get(rule);
      if (group === undefined) continue;
      const unit = this.#unitOf(user);
      if (unit === undefined) this.#exposuresWithoutUnitID += 1;
      else if (isOfPart(unit)) {
        const index = indexes.get(unit);
        if (index === undefined) {
          indexes.set(unit, firstTimes.length);
          firstTimes.push(timestamp);
          groups.push(group);
          isConverted.push(false);
        } else {
          firstTimes[index] = Math.min(firstTimes[index] as number, timestamp);
          if (groups[index] !== group) groups[index] = CROSSOVER;
        }
      }
    }
  }

  #convert({ indexes, firstTimes, isConverted }: Units, rows: readonly EventRow[]): void {
    const { windowMs = Number.POSITIVE_INFINITY } = this.question;
    for (const { timestamp, user } of rows) {
      const unit = this.#unitOf(user);
      const index = unit === undefined ? undefined : indexes.get(unit);
      if (index === undefined) continue;
      const elapsedMs = timestamp - (firstTimes[index] as number);
      if (elapsedMs >= 0 && elapsedMs < windowMs) isConverted[index] = true;
    }
  }

  #sum({ firstTimes, groups, isConverted }: Units): void {
    for (const [index, group] of groups.entries()) {
      const days = this.#days[group];
      if (days === undefined) {
        this.#crossoverUnits += 1;
        continue;
      }
      const day = Math.floor((firstTimes[index] as number) / DAY_MS);
      days.set(day, (days.get(day) ?? 0) + 1);
      if (isConverted[index] === true) this.#converted[group] = (this.#converted[group] ?? 0) + 1;
    }
  }

  /** Returns the id of the unit; undefined for an empty one too. */
  #unitOf(user: string | null): string | undefined {
    if (user === null) return undefined;
    const { idType } = this.question;
    const fields = JSON.parse(user) as AnyObject | null;
    if (fields === null) return undefined;
    // The event route has the id of a device in the user itself, OpenFeature one id for all types.
    const device = idType.toLowerCase() === "stableid" ? own(fields, "stableID") : undefined;
    const unit = unitIDOf(fields, idType) ?? device ?? own(fields, "targetingKey");
    return unit === undefined || unit === "" ? undefined : String(unit);
  }
}

/** Returns the part of a unit, 0 to `parts` - 1: the same in each reading. */
function partOf(unit: string, parts: number): number {
  if (parts === 1) return 0;
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < unit.length; at += 1) {
    hash = Math.imul(hash ^ unit.charCodeAt(at), 0x01_00_01_93);
  }
  return (hash >>> 8) % parts;
}
