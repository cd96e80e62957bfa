/** An entity with its current body. */
const entityWithBody = `SELECT entity.row, entity.kind, entity.id, entity.name,
    entity.version, entity.created_time, entity.reference_keys, entity.archived,
    entity.filter_values, entity.search_text, current.body
  FROM entity JOIN entity_version AS current
    ON current.entity = entity.row AND current.version = entity.version`;

/** Rows of one page, found in an index; only these rows are read whole. */
const entityPage = `SELECT row FROM entity WHERE kind = ?
  ORDER BY created_time DESC, id LIMIT ? OFFSET ?`;
const presentPage = `SELECT row FROM entity WHERE kind = ? AND archived = 0
  ORDER BY created_time DESC, id LIMIT ? OFFSET ?`;
/** Takes the kind, 1 to include archived entities, the wanted values as JSON, and a text to search. */
const filtered = `FROM entity WHERE kind = ? AND archived <= ?
  AND NOT EXISTS (SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS (
    SELECT 1 FROM json_each(entity.filter_values, '$.' || wanted.key) AS held
      WHERE held.value IN (SELECT value FROM json_each(wanted.value))))
  AND instr(search_text, ?) > 0`;
const filteredPage = `SELECT row ${filtered} ORDER BY created_time DESC, id LIMIT ? OFFSET ?`;
const referrerPage = `SELECT source FROM reference WHERE target_kind = ? AND target_id = ?
  ORDER BY created_time DESC, source_id, source_kind LIMIT ? OFFSET ?`;

/** SQLite stores the length of a text in front of it, so no body is read for its size. */
const sizeOfEntities = `SELECT count(*) AS results, total(octet_length(current.body)) AS bytes
  FROM entity JOIN entity_version AS current
    ON current.entity = entity.row AND current.version = entity.version`;

export const selectEntity = `${entityWithBody} WHERE entity.kind = ? AND entity.id = ?`;
export const selectByName = "SELECT row FROM entity WHERE kind = ? AND name = ?";
/** Finds an entity other than the row itself that references the key. */
export const selectOtherReferrer = `SELECT source FROM reference
  WHERE target_kind = ? AND target_id = ? AND source != ? LIMIT 1`;

export const insertEntity = `INSERT INTO entity
  (kind, id, name, version, created_time, reference_keys, archived, filter_values, search_text)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
export const insertVersion = "INSERT INTO entity_version (entity, version, body) VALUES (?, ?, ?)";
/** Changes only the version, which is in no index. */
export const updateVersion = "UPDATE entity SET version = ? WHERE row = ?";
export const updateEntity = `UPDATE entity
  SET name = ?, version = ?, created_time = ?, reference_keys = ?, archived = ?, filter_values = ?,
    search_text = ? WHERE row = ?`;
/** Removes versions and references too: the schema cascades. */
export const deleteEntity = "DELETE FROM entity WHERE row = ?";
/** Several references of an entity to one target count as one. */
export const insertReference = `INSERT INTO reference
  (target_kind, target_id, created_time, source_id, source_kind, source) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;
export const deleteReferences = "DELETE FROM reference WHERE source = ?";

/** The statements of one list: its page, the size of the page, the number of all results. */
export interface ListQueries {
  readonly page: string;
  readonly size: string;
  readonly total: string;
}

export const entityList = listOf(
  entityPage,
  "SELECT entities AS total FROM entity_total WHERE kind = ?",
);
/** Entities that are not archived. */
export const presentList = listOf(
  presentPage,
  "SELECT count(*) AS total FROM entity WHERE kind = ? AND archived = 0",
);
export const filteredList = listOf(filteredPage, `SELECT count(*) AS total ${filtered}`);

function listOf(rows: string, total: string): ListQueries {
  return {
    page: `${entityWithBody} WHERE entity.row IN (${rows})
      ORDER BY entity.created_time DESC, entity.id`,
    size: `${sizeOfEntities} WHERE entity.row IN (${rows})`,
    total,
  };
}

export const referrerList: ListQueries = {
  page: `${entityWithBody} WHERE entity.row IN (${referrerPage})
    ORDER BY entity.created_time DESC, entity.id, entity.kind`,
  size: `${sizeOfEntities} WHERE entity.row IN (${referrerPage})`,
  total: "SELECT referrers AS total FROM referrer_total WHERE target_kind = ? AND target_id = ?",
};

const versions = `FROM entity JOIN entity_version ON entity_version.entity = entity.row
  WHERE entity.kind = ? AND entity.id = ?`;
const versionPage = `${versions} ORDER BY entity_version.version DESC LIMIT ? OFFSET ?`;

export const versionList: ListQueries = {
  page: `SELECT entity_version.body ${versionPage}`,
  size: `SELECT count(*) AS results, total(bytes) AS bytes
    FROM (SELECT octet_length(body) AS bytes ${versionPage})`,
  total: `SELECT count(*) AS total ${versions}`,
};

/** These take the ids as one JSON array: a statement for each id would take ten times as long. */
export const insertListed =
  "INSERT OR IGNORE INTO listed_id (entity, id) SELECT ?, value FROM json_each(?)";
export const deleteListed =
  "DELETE FROM listed_id WHERE entity = ? AND id IN (SELECT value FROM json_each(?))";
export const deleteListedIDs = "DELETE FROM listed_id WHERE entity = ?";
export const selectListedIDs =
  "SELECT id FROM listed_id WHERE entity = ? ORDER BY id LIMIT ? OFFSET ?";
