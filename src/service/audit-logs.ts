import { omitUndefined } from "../base/omit-undefined.js";
import type { AuditEntry, auditLogRoutes } from "../contract/audit-log.js";
import type { AnyObject } from "../contract/fields.js";
import type { Handlers } from "../http/handler.js";
import { notFound } from "../http/service-error.js";
import type { KeyStore } from "../storage/key-store.js";
import type { AuditFilter, AuditRecord, EntityKey, EntityStore, Store } from "../storage/store.js";
import { pageAnswer, sliceOf } from "./pagination.js";
import { propertyChanges } from "./property-changes.js";

/** Answers who wrote what, and differences of versions. */
export function auditLogHandlers({
  entities,
  keys,
}: Pick<Store, "entities" | "keys">): Handlers<typeof auditLogRoutes> {
  return {
    listAuditLogs: async (call) => {
      const { entityType, entityID: id, actionType, updatedBy, ...query } = call.query;
      const filter = omitUndefined({
        kinds: folded(entityType) as AuditFilter["kinds"],
        id,
        actions: folded(actionType) as AuditFilter["actions"],
        authors: updatedBy,
        requestID: query.requestID,
        from: query.startDate,
        to: query.endDate,
      });
      const { items, totalItems } = await entities.auditLog(filter, sliceOf(call.query));
      return pageAnswer(call, { items: items.map(entryOf), totalItems });
    },

    readAuditLog: async ({ params: { id } }) => {
      const sequence = /^\d{1,15}$/.test(id) ? Number(id) : 0;
      const record = await entities.auditRecord(sequence);
      if (record === undefined) throw notFound("Audit log");
      const [before, after] = await (record.kind === "key"
        ? statesOfKey(keys, record)
        : statesOf(entities, { ...record, kind: record.kind }));
      const isKnown = before !== undefined && after !== undefined;
      const changes = isKnown ? propertyChanges(before, after) : null;
      return { content: { data: { ...entryOf(record), changes } } };
    },

    compareVersions: async ({ query: { entityType: kind, id, ...versions } }) => {
      const read = async (version: unknown) => {
        const body = await bodyAt(entities, { kind, id }, Number(version));
        if (body === undefined) throw notFound(`Version ${version} of ${kind} ${id}`);
        return body;
      };
      const data = propertyChanges(await read(versions.from), await read(versions.to));
      return { content: { data } };
    },
  };
}

function folded(words: readonly string[] | undefined): readonly string[] | undefined {
  return words?.map((word) => word.toLowerCase());
}

/** Returns a write as answers show it. */
export function entryOf({
  sequence,
  time,
  kind,
  id,
  version,
  fromVersion,
  author,
}: AuditRecord): AuditEntry {
  return {
    id: String(sequence),
    time,
    actionType: version === null ? "delete" : fromVersion === null ? "create" : "update",
    entityType: kind,
    entityID: id,
    fromVersion,
    toVersion: version,
    updatedBy: author?.keyName ?? null,
    updatedByKeyID: author?.keyID || null,
    requestID: author?.requestID ?? null,
  };
}

/** Returns the states before and after a write: empty where there was no entity, undefined if it is gone. */
async function statesOf(
  entities: EntityStore,
  { kind, id, sequence, version, fromVersion, removed }: AuditRecord & EntityKey,
): Promise<readonly [AnyObject | undefined, AnyObject | undefined]> {
  if (version === null) return [removed ?? undefined, {}];
  // Another entity with the same id, which was created later, has the same versions.
  const removals = { kinds: [kind], id, actions: ["delete"] } as const;
  const { items } = await entities.auditLog(removals, { start: 0, count: 1 });
  if (items.some((later) => later.sequence > sequence)) return [undefined, undefined];
  const before = fromVersion === null ? {} : await bodyAt(entities, { kind, id }, fromVersion);
  return [before, await bodyAt(entities, { kind, id }, version)];
}

/** A key has one state until it is revoked, and one afterwards. */
async function statesOfKey(
  keys: KeyStore,
  { id, fromVersion }: AuditRecord,
): Promise<readonly [AnyObject | undefined, AnyObject | undefined]> {
  const key = (await keys.list()).find((one) => one.id === id);
  if (key === undefined) return [undefined, undefined];
  const { kind, name, owner, scopes, requestsPerMinuteMax, targetApp, expiresTime } = key;
  const facts = { kind, name, owner, scopes, requestsPerMinuteMax, targetApp, expiresTime };
  return fromVersion === null ? [{}, facts] : [{}, { revokedTime: key.revokedTime }];
}

async function bodyAt(
  entities: EntityStore,
  key: EntityKey,
  version: number,
): Promise<AnyObject | undefined> {
  const newest = (await entities.get(key))?.version ?? 0;
  if (version > newest) return undefined;
  const { items } = await entities.versions(key, { start: newest - version, count: 1 });
  return items.find((body) => body["version"] === version);
}
