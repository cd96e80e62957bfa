import type { EntityKind } from "../contract/common.js";
import type { ListFilter } from "../contract/list-query.js";
import { type SqliteDatabase, type SqlValue, storedText } from "./sqlite-database.js";
import {
  LIST_RESULTS_PER_TURN_MAX,
  LIST_ROWS_PER_TURN_MAX,
  LIST_ROWS_SKIPPED_MAX,
} from "./storage-limits.js";
import type { Slice } from "./store.js";
import { storedValues } from "./stored-entity.js";

/** Characters of the shortest text that the index of texts finds. */
const INDEXED_CHARACTERS_MIN = 3;

/** Part of a statement: SQL and the values of its `?`. */
interface Part {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The entities that a condition holds for, as a table `listed` with the columns entity, created_time and id. */
interface Table extends Part {
  /** Number of its rows, or more. */
  readonly rows: number;
  readonly isCounted: boolean;
}

/** A condition on entities. */
interface Condition {
  /** Undefined if too many entities have it to list them. */
  readonly table?: Table;
  /** Tests a row of another table `listed`. */
  readonly test: Part;
}

/** The statements of a filtered list. */
interface FilterPlan {
  /** Selects the rows of the list in its order; `LIMIT ? OFFSET ?` follows. */
  readonly rows: Part;
  /** Counts the rows of the list. */
  readonly total: Part;
  /** Rows that the statements read at most, besides those that they skip. */
  readonly rowsRead: number;
}

const selectValues = `SELECT wanted.key AS property, filter_value.row AS value, entities
  FROM json_each(?) AS wanted CROSS JOIN json_each(wanted.value) AS item
  CROSS JOIN filter_value ON filter_value.kind = ? AND filter_value.property = wanted.key
    AND filter_value.value = item.value AND filter_value.archived <= ?`;

/** Each entity has one status. */
const countEntities = `SELECT coalesce(sum(entities), 0) AS total FROM filter_value
  WHERE kind = ? AND property = 'status' AND archived <= ?`;

const matching = "SELECT rowid FROM entity_search WHERE entity_search MATCH ?";

/** Returns true if a page may take so long that other work must not wait for it. Takes little time. */
export function isLong(
  database: SqliteDatabase,
  kind: EntityKind,
  { start, count }: Slice,
  filter: ListFilter,
): boolean {
  const { rows } = allEntities(database, kind, filter);
  if (start > LIST_ROWS_SKIPPED_MAX || Math.min(count, rows) > LIST_RESULTS_PER_TURN_MAX) {
    return true;
  }
  // To find a text, the index compares the positions of all its parts.
  if (filter.search !== "") return rows > LIST_ROWS_PER_TURN_MAX;
  return planFilter(database, kind, filter).rowsRead > LIST_ROWS_PER_TURN_MAX;
}

/** Plans a filtered list: the rarest condition is read, and the others are tested. Reads few rows. */
export function planFilter(
  database: SqliteDatabase,
  kind: EntityKind,
  filter: ListFilter,
): FilterPlan {
  const conditions = valueConditions(database, kind, filter);
  if (filter.search !== "") conditions.push(searchCondition(database, kind, filter));
  let source = allEntities(database, kind, filter);
  for (const { table } of conditions) {
    if (table !== undefined && table.rows < source.rows) source = table;
  }
  const tests = conditions.filter(({ table }) => table !== source).map(({ test }) => test);
  const from = [`FROM ${source.sql}`, ...tests.map(({ sql }) => `AND ${sql}`)].join(" ");
  const values = [...source.values, ...tests.flatMap((test) => test.values)];
  const isCounted = source.isCounted && tests.length === 0;
  return {
    rows: {
      sql: `SELECT listed.entity AS row ${from} ORDER BY listed.created_time DESC, listed.id`,
      values,
    },
    total: isCounted
      ? { sql: "SELECT ? AS total", values: [source.rows] }
      : { sql: `SELECT count(*) AS total ${from}`, values },
    rowsRead: isCounted ? 0 : source.rows,
  };
}

function allEntities(database: SqliteDatabase, kind: EntityKind, { archived }: ListFilter): Table {
  const counted = database.first<{ total: number }>(countEntities, [kind, Number(archived)]);
  const present = archived ? "" : "AND archived = 0";
  return {
    sql: `(SELECT row AS entity, created_time, id FROM entity WHERE kind = ? ${present}) AS listed
      WHERE true`,
    values: [kind],
    rows: counted?.total ?? 0,
    isCounted: true,
  };
}

/** Returns a condition for each filter: the entity has one of its values. */
function valueConditions(
  database: SqliteDatabase,
  kind: EntityKind,
  { values, archived }: ListFilter,
): Condition[] {
  const wanted = [storedValues(values), kind, Number(archived)];
  const found = database.all<{ property: string; value: number; entities: number }>(
    selectValues,
    wanted,
  );
  return Object.keys(values).map((name) => {
    const ofFilter = found.filter(({ property }) => property === name);
    const rows = ofFilter.reduce((sum, { entities }) => sum + entities, 0);
    return valueCondition([...new Set(ofFilter.map(({ value }) => value))], rows);
  });
}

const sameEntity = "entry.created_time = listed.created_time AND entry.id = listed.id";

function valueCondition(values: readonly number[], rows: number): Condition {
  const [value] = values;
  if (value !== undefined && values.length === 1) {
    return {
      table: {
        sql: "filter_entry AS listed WHERE listed.value = ?",
        values: [value],
        rows,
        isCounted: true,
      },
      test: {
        sql: `EXISTS (SELECT 1 FROM filter_entry AS entry WHERE entry.value = ? AND ${sameEntity})`,
        values: [value],
      },
    };
  }
  const among = "value IN (SELECT value FROM json_each(?))";
  const json = [JSON.stringify(values)];
  return {
    // An entity may have several of the values.
    table: {
      rows,
      isCounted: false,
      sql: `(SELECT DISTINCT entity, created_time, id FROM filter_entry WHERE ${among}) AS listed
        WHERE true`,
      values: json,
    },
    test: {
      sql: `EXISTS (SELECT 1 FROM filter_entry AS entry WHERE entry.${among} AND ${sameEntity})`,
      values: json,
    },
  };
}

function searchCondition(
  database: SqliteDatabase,
  kind: EntityKind,
  { search, archived }: ListFilter,
): Condition {
  const text = storedText(search);
  if ([...text].length < INDEXED_CHARACTERS_MIN) {
    const sql = "instr((SELECT search_text FROM entity WHERE row = listed.entity), ?) > 0";
    return { test: { sql, values: [text] } };
  }
  const phrase = `"${text.replaceAll('"', '""')}"`;
  const found = database.all<{ rowid: number }>(`${matching} LIMIT ?`, [
    phrase,
    LIST_ROWS_PER_TURN_MAX + 1,
  ]);
  const test = { sql: `listed.entity IN (${matching})`, values: [phrase] };
  if (found.length > LIST_ROWS_PER_TURN_MAX) return { test };
  const table = {
    sql: `(SELECT row AS entity, created_time, id FROM entity
      WHERE row IN (SELECT value FROM json_each(?)) AND kind = ? AND archived <= ?) AS listed
      WHERE true`,
    values: [JSON.stringify(found.map(({ rowid }) => rowid)), kind, Number(archived)],
    rows: found.length,
    isCounted: false,
  };
  return { table, test };
}
