/** SQL: true if an event is of a user. Takes the id once. The body must be valid JSON. */
export const isOfUser = "coalesce(CAST(body ->> '$.user.userID' AS TEXT) = ?, 0)";

/**
 * SQL: true if an event is of a device, whose id SDKs have among other ids, and OpenFeature as the key.
 * Takes the id once. The body must be valid JSON.
 */
export const isOfDevice = `coalesce(? IN (CAST(body ->> '$.user.stableID' AS TEXT),
  CAST(body ->> '$.user.customIDs.stableID' AS TEXT), body ->> '$.user.targetingKey'), 0)`;
