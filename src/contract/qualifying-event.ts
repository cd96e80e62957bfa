import { z } from "zod";
import { owner, pageQuery, provenance, tags, team, teamID, version } from "./common.js";
import { entityEnvelope, listEnvelope, messageEnvelope } from "./envelope.js";
import { flag, list, type RuleFault, text, withRule } from "./fields.js";
import { noBody, noParams, noQuery, type Route } from "./route.js";

/** Characters of a qualifying event's name. */
const QUALIFYING_EVENT_NAME_MAX = 255;

const sourceTypes = ["table", "query"] as const;

/**
 * No control characters, which no path carries, and no half characters and no `.` or `..`, under
 * which no client could reach it: they cannot be written into a path, or are resolved away.
 */
const namePattern = /^(?!\.{1,2}$)[^\p{Cc}\p{Cs}]+$/u;

/** The fields that clients write, each once. */
const fields = {
  name: z
    .string()
    .min(1)
    .max(QUALIFYING_EVENT_NAME_MAX)
    .regex(namePattern)
    .describe("Name, which is its id too and never changes."),
  description: text("What it is for."),
  tags,
  sql: text("Query that gives the events."),
  timestampColumn: text("Column with the time of an event."),
  timestampAsDay: flag("Whether the time is exact to the day alone."),
  idTypeMapping: list(
    z.object({
      serviceUnitID: text("ID type of the service."),
      column: text("Column that holds such IDs."),
    }),
  ).describe("Which column holds which type of ID."),
  sourceType: z.enum(sourceTypes).describe("Whether it reads a table or the result of the query."),
  tableName: text("Table to read, with `sourceType` `table`; empty for none."),
  datePartitionColumn: text("Column that a table is partitioned by, with `sourceType` `table`."),
  customFieldMapping: list(
    z.object({ key: text("Name of the field."), formula: text("How it is computed.") }),
  ).describe("Fields that are computed from columns."),
  isReadOnly: flag("Whether it can be edited through this API alone."),
  isVerified: flag("Whether it has been verified."),
  owner,
  team,
  teamID,
};

const writable = z.object(fields);

/** Values of the fields that a create or an update leaves out. */
export const qualifyingEventDefaults: Omit<
  z.output<typeof writable>,
  "name" | "sql" | "timestampColumn" | "idTypeMapping" | "datePartitionColumn" | "owner"
> = {
  description: "",
  tags: [],
  timestampAsDay: false,
  sourceType: "query",
  tableName: "",
  customFieldMapping: [],
  isReadOnly: false,
  isVerified: false,
  team: null,
  teamID: null,
};

const request = writable.exactPartial().extend({
  sql: fields.sql,
  timestampColumn: fields.timestampColumn,
  idTypeMapping: fields.idTypeMapping,
  dryRun: flag("Validate alone: nothing is kept.").exactOptional(),
});

export const qualifyingEventReplace = withRule(request, tableFaults);

export const qualifyingEventCreate = withRule(request.extend({ name: fields.name }), tableFaults);

export const qualifyingEvent = z
  .object({
    ...fields,
    ...provenance,
    datePartitionColumn: fields.datePartitionColumn.exactOptional(),
    version,
  })
  .describe("The qualifying event.");

/** Whom an update may create. */
export const newNameParams = z.object({ name: fields.name });

/** A name that nothing can have is one that is not found. */
export const nameParams = z.object({ name: text("Name of the qualifying event.") });

/** A table has to be named. */
function tableFaults(value: unknown): readonly RuleFault[] {
  const { sourceType, tableName } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (sourceType !== "table") return [];
  if (tableName === undefined) return [{ path: ["tableName"], message: "Required" }];
  if (tableName === "")
    return [{ path: ["tableName"], message: "Expected the name of a table, received nothing" }];
  return [];
}

export type QualifyingEventCreate = z.output<typeof qualifyingEventCreate>;
export type QualifyingEventReplace = z.output<typeof qualifyingEventReplace>;
export type QualifyingEvent = z.output<typeof qualifyingEvent>;

const path = "/console/v1/experiments/qualifying_events";
const onEvents = {
  access: "console",
  group: "Qualifying events",
  params: noParams,
  query: noQuery,
} as const;
const onEvent = { ...onEvents, params: nameParams, status: 200, body: noBody } as const;
const extension = { origin: "extension" } as const;

/** Qualifying events: the specification's row, then the extensions. */
export const qualifyingEventRoutes = {
  upsertQualifyingEvent: {
    ...onEvent,
    origin: "specification",
    params: newNameParams,
    method: "POST",
    path: `${path}/{name}`,
    summary: "Update a qualifying event fully, or create it where the name is new",
    body: qualifyingEventReplace,
    message: "Qualifying event updated successfully.",
    response: entityEnvelope(qualifyingEvent),
  },
  createQualifyingEvent: {
    ...onEvents,
    ...extension,
    method: "POST",
    path,
    summary: "Create a qualifying event",
    body: qualifyingEventCreate,
    status: 201,
    message: "Qualifying event created successfully.",
    response: entityEnvelope(qualifyingEvent),
  },
  listQualifyingEvents: {
    ...onEvents,
    ...extension,
    method: "GET",
    path,
    summary: "List qualifying events, newest first",
    query: pageQuery,
    body: noBody,
    status: 200,
    message: "Qualifying events listed successfully.",
    response: listEnvelope(qualifyingEvent),
  },
  readQualifyingEvent: {
    ...onEvent,
    ...extension,
    method: "GET",
    path: `${path}/{name}`,
    summary: "Read a qualifying event",
    message: "Qualifying event read successfully.",
    response: entityEnvelope(qualifyingEvent),
  },
  deleteQualifyingEvent: {
    ...onEvent,
    ...extension,
    method: "DELETE",
    path: `${path}/{name}`,
    summary: "Delete a qualifying event",
    message: "Qualifying event deleted successfully.",
    response: messageEnvelope,
  },
} as const satisfies Record<string, Route>;
