/** An entity with its current body. */
const entityWithBody = `SELECT entity.row, entity.kind, entity.id, entity.name,
    entity.version, entity.created_time, entity.reference_keys, entity.archived,
    entity.filter_values, entity.search_text, current.body
  FROM entity JOIN entity_version AS current
    ON current.entity = entity.row AND current.version = entity.version`;

/** Takes rows as JSON. The order is not that of the rows. */
export const selectRows = `${entityWithBody} WHERE entity.row IN (SELECT value FROM json_each(?))`;

/** SQLite stores the length of a text in front of it, so no body is read for its size. */
export const selectSizes = `SELECT entity.row, octet_length(current.body) AS bytes
  FROM entity JOIN entity_version AS current
    ON current.entity = entity.row AND current.version = entity.version
  WHERE entity.row IN (SELECT value FROM json_each(?))`;

export const selectEntity = `${entityWithBody} WHERE entity.kind = ? AND entity.id = ?`;
export const selectOfKind = `${entityWithBody} WHERE entity.kind = ?`;
/** Takes the row before the first one, and the number of rows. */
export const scanEntities = `${entityWithBody} WHERE entity.row > ? ORDER BY entity.row LIMIT ?`;
export const selectListed = `SELECT 1 FROM entity JOIN listed_id ON listed_id.entity = entity.row
  WHERE entity.kind = ? AND entity.id = ? AND listed_id.id = ?`;
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

/** All entities of a kind: the row of each, in the order of lists. */
export const entityRows = `SELECT row FROM entity WHERE kind = ?
  ORDER BY created_time DESC, id LIMIT ? OFFSET ?`;
export const entityTotal = "SELECT entities AS total FROM entity_total WHERE kind = ?";

/** These take the kind of the source too. */
export const kindReferrerRows = `SELECT source AS row FROM reference
  WHERE target_kind = ? AND target_id = ? AND source_kind = ?
  ORDER BY created_time DESC, source_id LIMIT ? OFFSET ?`;
export const kindReferrerTotal = `SELECT count(*) AS total FROM reference
  WHERE target_kind = ? AND target_id = ? AND source_kind = ?`;
export const referrerRows = `SELECT source AS row FROM reference
  WHERE target_kind = ? AND target_id = ?
  ORDER BY created_time DESC, source_id, source_kind LIMIT ? OFFSET ?`;
export const referrerTotal =
  "SELECT referrers AS total FROM referrer_total WHERE target_kind = ? AND target_id = ?";

const versions = `FROM entity JOIN entity_version ON entity_version.entity = entity.row
  WHERE entity.kind = ? AND entity.id = ?`;
const versionPage = `${versions} ORDER BY entity_version.version DESC LIMIT ? OFFSET ?`;
export const selectVersions = `SELECT entity_version.body ${versionPage}`;
export const versionSizes = `SELECT octet_length(entity_version.body) AS bytes ${versionPage}`;
export const versionTotal = `SELECT count(*) AS total ${versions}`;

/** These take the ids as one JSON array: a statement for each id would take ten times as long. */
export const insertListed =
  "INSERT OR IGNORE INTO listed_id (entity, id) SELECT ?, value FROM json_each(?)";
export const deleteListed =
  "DELETE FROM listed_id WHERE entity = ? AND id IN (SELECT value FROM json_each(?))";
export const deleteListedIDs = "DELETE FROM listed_id WHERE entity = ?";
export const selectListedIDs = `SELECT id FROM listed_id
  WHERE entity = (SELECT row FROM entity WHERE kind = ? AND id = ?) ORDER BY id LIMIT ? OFFSET ?`;
/** Finds an id if the list has more than a number of ids. */
export const selectOneListed = `SELECT id FROM listed_id
  WHERE entity = (SELECT row FROM entity WHERE kind = ? AND id = ?) LIMIT 1 OFFSET ?`;

export const selectFollower = "SELECT sequence FROM change_follower WHERE name = ?";
export const moveFollower = `INSERT INTO change_follower VALUES (?, ?)
  ON CONFLICT DO UPDATE SET sequence = excluded.sequence`;
