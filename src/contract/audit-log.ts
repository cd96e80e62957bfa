import { z } from "zod";
import { auditedKinds, entityEnvelope, entityKinds, listEnvelope, pageQuery } from "./common.js";
import { list, numeric, text } from "./fields.js";
import { knownFilter } from "./list-query.js";
import { consoleRoutes, extension, noParams, type Route } from "./route.js";

const auditActions = ["create", "update", "delete"] as const;

const entry = z
  .object({
    id: text("Identifier of the entry; later ones are larger."),
    time: z.int().describe("Time of the write, in ms since the epoch."),
    actionType: z.enum(auditActions).describe("Kind of the write."),
    entityType: z.enum(auditedKinds).describe("Kind of the entity; `key` for a key."),
    entityID: text("Name ID of the entity, or the identifier of the key."),
    fromVersion: z.int().nullable().describe("The version before; null for a creation."),
    toVersion: z
      .int()
      .nullable()
      .describe("The version after; null for a removal. A key that is revoked has version 2."),
    updatedBy: text("Name of the key that wrote; null before the audit log began.").nullable(),
    updatedByKeyID: text("Identifier of that key; null for a command.").nullable(),
    requestID: text("`X-Request-Id` of the request; `schedule` for a scheduled start.").nullable(),
  })
  .describe("A write that was accepted.");

const change = z.object({
  property: text("Path of the property; items of lists are named by their id, key or name."),
  before: z.unknown().describe("Value before; absent if there was none.").optional(),
  after: z.unknown().describe("Value after; absent if there is none.").optional(),
});

const changes = z.array(change).describe("Properties that differ, in the order of the entity.");

const entryWithChanges = entry
  .extend({
    changes: changes
      .nullable()
      .describe("What the write changed; null if a version is gone: its entity was removed."),
  })
  .describe("A write that was accepted, with what it changed.");

/** A time, as a number or as text. */
const moment = (description: string) =>
  z
    .string()
    .check(({ value, issues }) => {
      if (momentOf(value) !== undefined) return;
      const message = `Expected a day as YYYY-MM-DD, a time as 2026-01-31T12:00:00Z, or ms since the epoch; received "${value.slice(0, 40)}"`;
      issues.push({ code: "custom", message, input: value });
    })
    .transform((value) => momentOf(value) ?? 0)
    .describe(`${description} A UTC day, a time of RFC 3339, or ms since the epoch.`)
    .exactOptional();

/** Returns a UTC day, a time of RFC 3339 or ms as ms since the epoch; undefined for other texts. */
export function momentOf(value: string): number | undefined {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  const [, day = "", time] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(value) ?? [];
  const dayMs = Date.parse(day);
  // `Date` takes February 31 for March 3.
  if (Number.isNaN(dayMs) || !new Date(dayMs).toISOString().startsWith(day)) return undefined;
  const ms = time === undefined ? dayMs : Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

const listed = pageQuery.extend({
  entityType: knownFilter("Only writes of these kinds of entities, or of `key`.", auditedKinds),
  entityID: text("Only entities with this name ID.").exactOptional(),
  actionType: knownFilter("Only writes of these kinds.", auditActions),
  updatedBy: z
    .union([z.string().transform((one) => [one]), list(z.string())])
    .describe("Only writes of keys with this name or identifier. It can be repeated.")
    .exactOptional(),
  requestID: text("Only writes of the request with this identifier.").exactOptional(),
  startDate: moment("Only writes from then on."),
  endDate: moment("Only writes before that."),
});

const compared = z.object({
  entityType: z.enum(entityKinds).describe("Kind of the entity."),
  id: text("Name ID of the entity."),
  from: numeric("Version before.", { integer: true, min: 1 }),
  to: numeric("Version after.", { integer: true, min: 1 }),
});

const onLog = consoleRoutes("Audit log", "/console/v1/audit_logs", noParams);
const onEntry = consoleRoutes(
  "Audit log",
  "/console/v1/audit_logs/{id}",
  z.object({ id: text("Identifier of the entry.") }),
);

/** Who wrote which entity or key, and what that changed. Every accepted write has an entry. */
export const auditLogRoutes = {
  listAuditLogs: onLog("GET", "", "List accepted writes, newest first", {
    ...extension,
    message: "Audit logs listed successfully.",
    query: listed,
    response: listEnvelope(entry),
  }),
  readAuditLog: onEntry("GET", "", "Read an accepted write and what it changed", {
    ...extension,
    message: "Audit log read successfully.",
    response: entityEnvelope(entryWithChanges),
  }),
  compareVersions: onLog("GET", "/compare", "Compare two versions of an entity", {
    ...extension,
    message: "Versions compared successfully.",
    query: compared,
    moreStatuses: [404],
    response: entityEnvelope(changes),
  }),
} satisfies Record<string, Route>;

export type AuditEntry = z.output<typeof entry>;
export type PropertyChange = z.output<typeof change>;
