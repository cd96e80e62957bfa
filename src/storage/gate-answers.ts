import { DAY_MS, formatDay, parseDay } from "../base/day.js";
import type { SqliteDatabase } from "./sqlite-database.js";
import { GATE_ANSWER_DAYS_MAX } from "./storage-limits.js";

/** The events that say which answer a gate gave. */
export const GATE_EXPOSURE = "statsig::gate_exposure";

/** The exposures of a gate. */
export interface GateAnswers {
  readonly gate: string;
  /** Exposures with each answer, on the days that were asked for. */
  readonly trueExposures: number;
  readonly falseExposures: number;
  /** ms since the epoch, of any day. */
  readonly lastExposureTime: number;
}

/** Characters of a gate's name in an exposure; longer ones are not gates. */
const NAME_CHARACTERS_MAX = 100;

/**
 * Adds the answers in event bodies. SQLite does not read JSON that is nested too deeply: such events count
 * for no gate.
 */
const addAnswers = (
  source: string,
) => `INSERT INTO gate_answer (gate, day, value, exposures, last_time)
  SELECT gate, day, value = 'true', count(*), max(timestamp) FROM (
    SELECT day, timestamp,
      CASE WHEN json_valid(body) THEN body ->> '$.metadata.gate' END AS gate,
      CASE WHEN json_valid(body) THEN body ->> '$.metadata.gateValue' END AS value
    FROM (${source}))
  WHERE typeof(gate) = 'text' AND length(gate) <= ${NAME_CHARACTERS_MAX}
    AND value IN ('true', 'false')
  GROUP BY gate, day, value
  ON CONFLICT DO UPDATE SET exposures = exposures + excluded.exposures,
    last_time = max(last_time, excluded.last_time)`;

const addNewAnswers = `${addAnswers(
  "SELECT ? AS day, timestamp, body FROM event WHERE sequence > ? AND sequence <= ?",
)} RETURNING gate`;

/** Adds the answers of all stored events; a migration does it once. */
export const addStoredAnswers = addAnswers(`SELECT series.day, event.timestamp, event.body
  FROM event_series AS series CROSS JOIN event ON event.series = series.id
  WHERE series.event = '${GATE_EXPOSURE}'`);

const removeOld =
  "DELETE FROM gate_answer WHERE gate IN (SELECT value FROM json_each(?)) AND day < ?";

const selectAnswers = `SELECT gate,
    sum(CASE WHEN day >= ? AND value = 1 THEN exposures ELSE 0 END) AS trueExposures,
    sum(CASE WHEN day >= ? AND value = 0 THEN exposures ELSE 0 END) AS falseExposures,
    max(last_time) AS lastExposureTime
  FROM gate_answer WHERE gate IN (SELECT value FROM json_each(?)) GROUP BY gate`;

/** Events of one day: the last ones that a transaction has stored. */
interface NewEvents {
  readonly day: string;
  /** The newest of them. */
  readonly lastSequence: number;
  readonly count: number;
  /** Days since 1970-01-01. */
  readonly arrivedDay: number;
}

/** Counts the answers of gates in new events, and forgets what is too old to be asked for. */
export function countGateAnswers(
  database: SqliteDatabase,
  { day, lastSequence, count, arrivedDay }: NewEvents,
): void {
  const range = [day, lastSequence - count, lastSequence];
  const gates = database.all<{ gate: string }>(addNewAnswers, range).map(({ gate }) => gate);
  const oldest = formatDay(Math.max(parseDay("0000-01-01"), arrivedDay - GATE_ANSWER_DAYS_MAX));
  database.run(removeOld, [JSON.stringify(gates), oldest]);
}

/** Returns the answers of those gates that have any. Counts from the UTC day of `since` (ms) on. */
export function readGateAnswers(
  database: SqliteDatabase,
  gates: readonly string[],
  since: number,
): readonly GateAnswers[] {
  const day = formatDay(Math.floor(since / DAY_MS));
  return database.all<GateAnswers>(selectAnswers, [day, day, JSON.stringify(gates)]);
}
