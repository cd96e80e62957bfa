import { z } from "zod";
import { entityEnvelope, owner, provenance, tags, team, teamID, version } from "./common.js";
import { flag, kindOf, list, type RuleFault, text, withRule } from "./fields.js";
import { archivable, lifecycleRoutes } from "./lifecycle-routes.js";
import { listQuery } from "./list-query.js";
import { consoleRoutes, extension, noParams, type Route } from "./route.js";

const QUALIFYING_EVENT_NAME_MAX = 255;

const sourceTypes = ["table", "query"] as const;

/**
 * Refuses names that a path cannot carry: control characters, unpaired surrogates, outer blanks, `.` and
 * `..`.
 */
const namePattern = /^(?!\.{1,2}$)(?!\s)(?!.*\s$)[^\p{Cc}\p{Cs}]+$/u;

const idColumn = z.object({
  serviceUnitID: text("ID type of the service."),
  column: text("Column with these IDs."),
  statsigUnitID: text("`serviceUnitID`, if it was sent under this name too.").exactOptional(),
});

/**
 * Adds `serviceUnitID` to a column that has it as `statsigUnitID`: clients of a hosted service send and read
 * that.
 */
function withServiceName(value: unknown, context: z.RefinementCtx): unknown {
  if (kindOf(value) !== "object") return value;
  const { statsigUnitID, serviceUnitID, ...others } = value as Readonly<Record<string, unknown>>;
  if (statsigUnitID === undefined) return value;
  if (typeof serviceUnitID === "string" && serviceUnitID !== statsigUnitID) {
    context.addIssue({
      code: "custom",
      path: ["statsigUnitID"],
      message: "Must equal serviceUnitID: send one of them",
    });
  }
  return { serviceUnitID: serviceUnitID ?? statsigUnitID, statsigUnitID, ...others };
}

/** The fields that clients write. */
const fields = {
  name: z
    .string()
    .min(1)
    .max(QUALIFYING_EVENT_NAME_MAX)
    .regex(namePattern)
    .describe("Name, which is also the id and never changes."),
  description: text("Purpose."),
  tags,
  sql: text("Query that returns the events."),
  timestampColumn: text("Column with the time of an event."),
  timestampAsDay: flag("True if the column has only the day."),
  idTypeMapping: list(z.preprocess(withServiceName, idColumn)).describe(
    "Columns with IDs, and the type of each.",
  ),
  sourceType: z.enum(sourceTypes).describe("Source of the events: a table or the query."),
  tableName: text("Table to read if `sourceType` is `table`; else empty."),
  datePartitionColumn: text("Partition column of the table if `sourceType` is `table`."),
  customFieldMapping: list(
    z.object({ key: text("Name of the field."), formula: text("Formula of the field.") }),
  ).describe("Fields that are computed from columns."),
  isReadOnly: flag("True if only this API can change it."),
  isVerified: flag("True if it has been verified."),
  owner,
  team,
  teamID,
};

const writable = z.object(fields);

/** Defaults of the optional fields of a create and an update. */
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
  dryRun: flag("Validate the request and store nothing.").exactOptional(),
});

const qualifyingEventReplace = withRule(request, tableFaults);

const qualifyingEventPatch = request.exactPartial({
  sql: true,
  timestampColumn: true,
  idTypeMapping: true,
});

export const qualifyingEventCreate = withRule(request.extend({ name: fields.name }), tableFaults);

const qualifyingEvent = z
  .object({
    ...fields,
    ...provenance,
    datePartitionColumn: fields.datePartitionColumn.exactOptional(),
    version,
    ...archivable,
  })
  .describe("A qualifying event.");

/** The name of an update, which may create the qualifying event. */
const newNameParams = z.object({ name: fields.name });

/** Any name: an invalid one answers 404, not 400. */
const nameParams = z.object({ name: text("Name of the qualifying event.") });

/** Returns a fault if `sourceType` is `table` and the table's name is missing. */
export function tableFaults(value: unknown): readonly RuleFault[] {
  const { sourceType, tableName } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (sourceType !== "table") return [];
  if (tableName === undefined) return [{ path: ["tableName"], message: "Required" }];
  if (tableName === "")
    return [
      { path: ["tableName"], message: "Expected the name of a table, received an empty text" },
    ];
  return [];
}

export type QualifyingEventCreate = z.output<typeof qualifyingEventCreate>;
export type QualifyingEventReplace = z.output<typeof qualifyingEventReplace>;
export type QualifyingEventPatch = z.output<typeof qualifyingEventPatch>;
export type QualifyingEvent = z.output<typeof qualifyingEvent>;

const path = "/console/v1/experiments/qualifying_events";
const onEvents = consoleRoutes("Qualifying events", path, noParams);
const onEvent = consoleRoutes("Qualifying events", `${path}/{name}`, nameParams);

const updatedMessage = "Qualifying event updated successfully.";

/** Qualifying events: the specification's row, then the extensions. */
export const qualifyingEventRoutes = {
  upsertQualifyingEvent: consoleRoutes("Qualifying events", `${path}/{name}`, newNameParams)(
    "POST",
    "",
    "Update a qualifying event fully, or create it where the name is new",
    {
      body: qualifyingEventReplace,
      message: updatedMessage,
      response: entityEnvelope(qualifyingEvent),
    },
  ),
  createQualifyingEvent: onEvents("POST", "", "Create a qualifying event", {
    ...extension,
    body: qualifyingEventCreate,
    status: 201,
    message: "Qualifying event created successfully.",
    response: entityEnvelope(qualifyingEvent),
  }),
  patchQualifyingEvent: onEvent("PATCH", "", "Update some fields of a qualifying event", {
    ...extension,
    body: qualifyingEventPatch,
    message: updatedMessage,
    response: entityEnvelope(qualifyingEvent),
  }),
  ...lifecycleRoutes({
    name: "QualifyingEvent",
    title: "Qualifying event",
    noun: "a qualifying event",
    onMany: onEvents,
    onOne: onEvent,
    updated: updatedMessage,
    entity: qualifyingEvent,
    query: listQuery.omit({ type: true, idType: true, targetAppID: true, layerID: true }),
  }),
} satisfies Record<string, Route>;
