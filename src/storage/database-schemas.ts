import { addStoredAnswers } from "./gate-answers.js";

/** The tables of a database, built by migrations. */
export interface Schema {
  /** 32 bits that identify our databases: `PRAGMA application_id`. */
  readonly applicationID: number;
  /**
   * Each migration is a list of SQL statements; `PRAGMA user_version` counts the applied ones. Never
   * change a released migration: append a new one.
   */
  readonly migrations: readonly (readonly string[])[];
}

/** The values of an entity that filters compare; `row` is its row, or `old` or `new` in a trigger. */
const heldBy = (row: string) => `json_each(${row}.filter_values) AS held
  CROSS JOIN json_each(held.value) AS item`;

/** Joins the rows of `filter_value` that an entity has. */
const joinValues = (row: string) => `CROSS JOIN filter_value
  ON filter_value.kind = ${row}.kind AND filter_value.property = held.key
    AND filter_value.value = item.value AND filter_value.archived = ${row}.archived`;

const valuesOf = (row: string) => `SELECT filter_value.row FROM ${heldBy(row)} ${joinValues(row)}
  WHERE item.type = 'text'`;

/** Names the values of an entity, and lists it under each. */
const addToFilters = `INSERT INTO filter_value (kind, property, value, archived)
    SELECT new.kind, held.key, item.value, new.archived FROM ${heldBy("new")}
      WHERE item.type = 'text' ON CONFLICT DO NOTHING;
  INSERT INTO filter_entry SELECT row, new.created_time, new.id, new.row
    FROM (${valuesOf("new")}) WHERE true ON CONFLICT DO NOTHING;`;

/** Entities, keys and sessions. Texts that clients choose are stored as `storedText` returns them. */
export const consoleSchema: Schema = {
  // "SwYc" in ASCII.
  applicationID: 0x53_77_59_63,
  migrations: [
    [
      // reference_keys is JSON: the keys of the entities that this one points at.
      `CREATE TABLE entity (
        row INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        id TEXT NOT NULL,
        name TEXT NOT NULL,
        version INTEGER NOT NULL,
        created_time INTEGER NOT NULL,
        reference_keys TEXT NOT NULL,
        UNIQUE (kind, id),
        UNIQUE (kind, name)
      ) STRICT`,
      `CREATE INDEX entity_by_creation ON entity (kind, created_time DESC, id)`,
      // The body with the entity's own version is its current state.
      `CREATE TABLE entity_version (
        entity INTEGER NOT NULL REFERENCES entity ON DELETE CASCADE,
        version INTEGER NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (entity, version)
      ) STRICT`,
      // created_time, source_id and source_kind are those of the source, and order the lists.
      `CREATE TABLE reference (
        target_kind TEXT NOT NULL,
        target_id TEXT NOT NULL,
        created_time INTEGER NOT NULL,
        source_id TEXT NOT NULL,
        source_kind TEXT NOT NULL,
        source INTEGER NOT NULL REFERENCES entity ON DELETE CASCADE,
        PRIMARY KEY (target_kind, target_id, created_time DESC, source_id, source_kind)
      ) STRICT, WITHOUT ROWID`,
      `CREATE INDEX reference_by_source ON reference (source)`,
      // Counting the rows of an index takes milliseconds when it has a hundred thousand.
      `CREATE TABLE entity_total (
        kind TEXT PRIMARY KEY,
        entities INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID`,
      `CREATE TRIGGER entity_added AFTER INSERT ON entity BEGIN
        INSERT INTO entity_total VALUES (new.kind, 1)
          ON CONFLICT DO UPDATE SET entities = entities + 1;
      END`,
      `CREATE TRIGGER entity_removed AFTER DELETE ON entity BEGIN
        UPDATE entity_total SET entities = entities - 1 WHERE kind = old.kind;
      END`,
      `CREATE TABLE referrer_total (
        target_kind TEXT NOT NULL,
        target_id TEXT NOT NULL,
        referrers INTEGER NOT NULL,
        PRIMARY KEY (target_kind, target_id)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TRIGGER reference_added AFTER INSERT ON reference BEGIN
        INSERT INTO referrer_total VALUES (new.target_kind, new.target_id, 1)
          ON CONFLICT DO UPDATE SET referrers = referrers + 1;
      END`,
      `CREATE TRIGGER reference_removed AFTER DELETE ON reference BEGIN
        UPDATE referrer_total SET referrers = referrers - 1
          WHERE target_kind = old.target_kind AND target_id = old.target_id;
        DELETE FROM referrer_total
          WHERE target_kind = old.target_kind AND target_id = old.target_id AND referrers = 0;
      END`,
      `CREATE TABLE key (
        id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        can_write INTEGER NOT NULL,
        hash TEXT NOT NULL UNIQUE,
        prefix TEXT NOT NULL,
        created_time INTEGER NOT NULL,
        revoked_time INTEGER
      ) STRICT, WITHOUT ROWID`,
    ],
    [
      // filter_values is JSON: the values that filters compare. Bodies are too large to scan.
      `ALTER TABLE entity ADD COLUMN archived INTEGER NOT NULL DEFAULT 0`,
      `ALTER TABLE entity ADD COLUMN filter_values TEXT NOT NULL DEFAULT '{}'`,
      `ALTER TABLE entity ADD COLUMN search_text TEXT NOT NULL DEFAULT ''`,
      `CREATE INDEX entity_by_state ON entity (kind, archived, created_time DESC, id)`,
      `WITH stored AS (SELECT entity.row AS row, version.body AS body
          FROM entity JOIN entity_version AS version
            ON version.entity = entity.row AND version.version = entity.version)
        UPDATE entity SET
          archived = lower(coalesce(body ->> 'status', '')) = 'archived',
          search_text = lower(coalesce(body ->> 'name', '') || char(10)
            || coalesce(body ->> 'id', '') || char(10) || coalesce(body ->> 'description', '')),
          filter_values = json_object(
            'tags', json(coalesce(body -> 'tags', '[]')),
            'type', json_array(lower(body ->> 'type')),
            'idType', json_array(body ->> 'idType'),
            'status', json_array(lower(coalesce(body ->> 'status', 'active'))),
            'creatorID', json_array(body ->> 'creatorID'),
            'creatorName', json_array(body ->> 'creatorName'),
            'lastModifierName', json_array(body ->> 'lastModifierName'),
            'targetAppID', json(CASE json_type(body, '$.targetApps')
              WHEN 'array' THEN body -> 'targetApps' ELSE json_array(body ->> 'targetApps') END),
            'layerID', json_array(body ->> 'layerID'))
        FROM stored WHERE stored.row = entity.row`,
      `CREATE TABLE listed_id (
        entity INTEGER NOT NULL REFERENCES entity ON DELETE CASCADE,
        id TEXT NOT NULL,
        PRIMARY KEY (entity, id)
      ) STRICT, WITHOUT ROWID`,
    ],
    [
      // One row for each committed write; version is NULL for a removal. Never remove the newest row: the
      // sequence and the time of the next one continue from it.
      `CREATE TABLE entity_change (
        sequence INTEGER PRIMARY KEY,
        time INTEGER NOT NULL,
        kind TEXT NOT NULL,
        id TEXT NOT NULL,
        version INTEGER
      ) STRICT`,
    ],
    [
      // The values that filters compare, with the number of entities that have each. Triggers fill these
      // tables from the columns of the entity, so no write can leave them behind.
      `CREATE TABLE filter_value (
        row INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        property TEXT NOT NULL,
        value TEXT NOT NULL,
        archived INTEGER NOT NULL,
        entities INTEGER NOT NULL DEFAULT 0,
        UNIQUE (kind, property, value, archived)
      ) STRICT`,
      // The entities of each value, in the order of lists.
      `CREATE TABLE filter_entry (
        value INTEGER NOT NULL REFERENCES filter_value,
        created_time INTEGER NOT NULL,
        id TEXT NOT NULL,
        entity INTEGER NOT NULL,
        PRIMARY KEY (value, created_time DESC, id)
      ) STRICT, WITHOUT ROWID`,
      `INSERT INTO filter_value (kind, property, value, archived)
        SELECT kind, held.key, item.value, archived FROM entity CROSS JOIN ${heldBy("entity")}
        WHERE item.type = 'text' ON CONFLICT DO NOTHING`,
      `INSERT INTO filter_entry SELECT filter_value.row, created_time, entity.id, entity.row
        FROM entity CROSS JOIN ${heldBy("entity")} ${joinValues("entity")}
        WHERE item.type = 'text' ON CONFLICT DO NOTHING`,
      `UPDATE filter_value SET entities =
        (SELECT count(*) FROM filter_entry WHERE filter_entry.value = filter_value.row)`,
      `CREATE TRIGGER filter_entry_added AFTER INSERT ON filter_entry BEGIN
        UPDATE filter_value SET entities = entities + 1 WHERE row = new.value;
      END`,
      `CREATE TRIGGER filter_entry_removed AFTER DELETE ON filter_entry BEGIN
        UPDATE filter_value SET entities = entities - 1 WHERE row = old.value;
        DELETE FROM filter_value WHERE row = old.value AND entities = 0;
      END`,
      `CREATE TRIGGER entity_filters_added AFTER INSERT ON entity BEGIN ${addToFilters} END`,
      `CREATE TRIGGER entity_filters_removed AFTER DELETE ON entity BEGIN
        DELETE FROM filter_entry WHERE created_time = old.created_time AND id = old.id
          AND value IN (${valuesOf("old")});
      END`,
      // Entries that stay are not touched.
      `CREATE TRIGGER entity_filters_changed
        AFTER UPDATE OF archived, created_time, filter_values ON entity
        WHEN old.archived <> new.archived OR old.created_time <> new.created_time
          OR old.filter_values <> new.filter_values
      BEGIN
        ${addToFilters}
        DELETE FROM filter_entry WHERE created_time = old.created_time AND id = old.id
          AND value IN (${valuesOf("old")})
          AND (old.created_time <> new.created_time OR value NOT IN (${valuesOf("new")}));
      END`,
      // Finds texts of at least 3 characters. Holds no texts, only their positions.
      `CREATE VIRTUAL TABLE entity_search USING fts5 (search_text,
        content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1')`,
      `INSERT INTO entity_search (rowid, search_text) SELECT row, search_text FROM entity`,
      `CREATE TRIGGER entity_search_added AFTER INSERT ON entity BEGIN
        INSERT INTO entity_search (rowid, search_text) VALUES (new.row, new.search_text);
      END`,
      `CREATE TRIGGER entity_search_removed AFTER DELETE ON entity BEGIN
        DELETE FROM entity_search WHERE rowid = old.row;
      END`,
      `CREATE TRIGGER entity_search_changed AFTER UPDATE OF search_text ON entity
        WHEN old.search_text <> new.search_text
      BEGIN
        DELETE FROM entity_search WHERE rowid = old.row;
        INSERT INTO entity_search (rowid, search_text) VALUES (new.row, new.search_text);
      END`,
    ],
    [
      // The lists of ids as SDKs read them. The parts of a file are its text, in order of `start`.
      `CREATE TABLE list_file (
        entity INTEGER PRIMARY KEY REFERENCES entity ON DELETE CASCADE,
        id TEXT NOT NULL UNIQUE,
        created_time INTEGER NOT NULL,
        size INTEGER NOT NULL,
        ids INTEGER NOT NULL
      ) STRICT`,
      `CREATE TABLE list_part (
        entity INTEGER NOT NULL REFERENCES list_file ON DELETE CASCADE,
        start INTEGER NOT NULL,
        lines TEXT NOT NULL,
        PRIMARY KEY (entity, start)
      ) STRICT`,
    ],
    [
      // NULL for keys that see all entities.
      `ALTER TABLE key ADD COLUMN target_app TEXT`,
    ],
    [
      `ALTER TABLE key ADD COLUMN name TEXT NOT NULL DEFAULT 'CONSOLE API'`,
      `ALTER TABLE key ADD COLUMN owner TEXT`,
      `ALTER TABLE key ADD COLUMN scopes TEXT NOT NULL DEFAULT '[]'`,
      `UPDATE key SET scopes = CASE can_write WHEN 1 THEN '["write"]' ELSE '["read"]' END
        WHERE kind = 'console'`,
      `ALTER TABLE key DROP COLUMN can_write`,
      `ALTER TABLE key ADD COLUMN requests_per_minute INTEGER`,
      `ALTER TABLE key ADD COLUMN expires_time INTEGER`,
      `ALTER TABLE key ADD COLUMN used_time INTEGER`,
    ],
    [
      // The audit log. NULL in older rows, whose authors are not known; removed_body is JSON. An index of
      // ids would cost each write a tenth of its time: readings look at all rows, in a thread.
      `ALTER TABLE entity_change ADD COLUMN from_version INTEGER`,
      `ALTER TABLE entity_change ADD COLUMN key_id TEXT`,
      `ALTER TABLE entity_change ADD COLUMN key_name TEXT`,
      `ALTER TABLE entity_change ADD COLUMN request_id TEXT`,
      `ALTER TABLE entity_change ADD COLUMN removed_body TEXT`,
      `UPDATE entity_change SET from_version = version - 1 WHERE version > 1`,
    ],
    [
      // The last row of entity_change that a follower has done with.
      `CREATE TABLE change_follower (
        name TEXT PRIMARY KEY,
        sequence INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID`,
    ],
    [
      // Keys that are not stored have sessions too, so key_hash refers to no row.
      `CREATE TABLE session (
        hash TEXT PRIMARY KEY,
        key_hash TEXT NOT NULL,
        created_time INTEGER NOT NULL,
        expires_time INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID`,
    ],
  ],
};

/** Events and the idempotency keys of the requests that brought them. */
export const eventSchema: Schema = {
  // "SwYe" in ASCII.
  applicationID: 0x53_77_59_65,
  migrations: [
    [
      // The events of one name on one day, counted in the transaction that stores them.
      `CREATE TABLE event_series (
        id INTEGER PRIMARY KEY,
        day TEXT NOT NULL,
        event TEXT NOT NULL,
        events INTEGER NOT NULL,
        UNIQUE (day, event)
      ) STRICT`,
      `CREATE TABLE event (
        sequence INTEGER PRIMARY KEY,
        series INTEGER NOT NULL REFERENCES event_series,
        timestamp INTEGER NOT NULL,
        body TEXT NOT NULL
      ) STRICT`,
      `CREATE INDEX event_by_series ON event (series)`,
      `CREATE TABLE event_request (
        key_digest TEXT PRIMARY KEY
      ) STRICT, WITHOUT ROWID`,
    ],
    [
      // Days since 1970-01-01; NULL for keys that are older than this column.
      `ALTER TABLE event_request ADD COLUMN arrived_day INTEGER`,
    ],
    [
      // The exposures of gates by their answer, 1 for true, counted in the transaction that stores them.
      `CREATE TABLE gate_answer (
        gate TEXT NOT NULL,
        day TEXT NOT NULL,
        value INTEGER NOT NULL,
        exposures INTEGER NOT NULL,
        last_time INTEGER NOT NULL,
        PRIMARY KEY (gate, day, value)
      ) STRICT, WITHOUT ROWID`,
      addStoredAnswers,
    ],
    [
      // The sums of event_series by day and by name. Triggers keep them.
      `CREATE TABLE event_day (
        day TEXT PRIMARY KEY,
        events INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE event_name (
        event TEXT PRIMARY KEY,
        events INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID`,
      `INSERT INTO event_day SELECT day, sum(events) FROM event_series GROUP BY day`,
      `INSERT INTO event_name SELECT event, sum(events) FROM event_series GROUP BY event`,
      `CREATE INDEX event_series_by_name ON event_series (event, day)`,
      `CREATE TRIGGER event_series_added AFTER INSERT ON event_series BEGIN
        INSERT INTO event_day VALUES (new.day, new.events)
          ON CONFLICT DO UPDATE SET events = events + excluded.events;
        INSERT INTO event_name VALUES (new.event, new.events)
          ON CONFLICT DO UPDATE SET events = events + excluded.events;
      END`,
      `CREATE TRIGGER event_series_counted AFTER UPDATE OF events ON event_series BEGIN
        UPDATE event_day SET events = events + new.events - old.events WHERE day = new.day;
        UPDATE event_name SET events = events + new.events - old.events WHERE event = new.event;
      END`,
      // A sum of 0 goes: the last series of its day or name was removed.
      `CREATE TRIGGER event_series_removed AFTER DELETE ON event_series BEGIN
        UPDATE event_day SET events = events - old.events WHERE day = old.day;
        DELETE FROM event_day WHERE day = old.day AND events = 0;
        UPDATE event_name SET events = events - old.events WHERE event = old.event;
        DELETE FROM event_name WHERE event = old.event AND events = 0;
      END`,
    ],
  ],
};
