import { z } from "zod";
import {
  entityEnvelope,
  listEnvelope,
  messageEnvelope,
  owner,
  provenance,
  version,
} from "./common.js";
import { descriptionText, nameLike, numeric, text } from "./fields.js";
import { knownFilter, listQuery } from "./list-query.js";
import { consoleRoutes, extension, idParams, noParams, type Route } from "./route.js";

/** Kinds of entities whose changes can be scheduled. */
const scheduledKinds = ["gate", "dynamic_config", "experiment", "segment"] as const;

const states = ["pending", "applied", "failed"] as const;

const fields = {
  id: nameLike(/^[a-zA-Z0-9_\-.]*$/, "Name ID; made by the service by default."),
  description: descriptionText,
  entityType: z.enum(scheduledKinds).describe("Kind of the entity."),
  entityID: text("Name ID of the entity."),
  change: z
    .record(z.string(), z.unknown())
    .check(({ value, issues }) => {
      if (Object.keys(value).length > 0) return;
      issues.push({ code: "custom", message: "Must have a field to change", input: value });
    })
    .describe("The body of a PATCH of the entity, with at least one field."),
};

const scheduledChange = z
  .object({
    ...fields,
    name: text("The id."),
    scheduledTime: z.int().describe("Time of the change, in ms since the epoch."),
    status: z.enum(states).describe("`pending` until its time, then `applied` or `failed`."),
    error: text("Why it failed; else null.").nullable(),
    ...provenance,
    owner,
    version,
  })
  .describe("A change of an entity at a time.");

const request = z.object({
  id: fields.id.exactOptional(),
  description: descriptionText.exactOptional(),
  entityType: fields.entityType,
  entityID: fields.entityID,
  change: fields.change,
  scheduledTime: numeric("Time of the change, in ms since the epoch; in the future.", {
    integer: true,
    min: 0,
  }),
});

const onAll = consoleRoutes("Scheduled changes", "/console/v1/scheduled_changes", noParams);
const onOne = consoleRoutes("Scheduled changes", "/console/v1/scheduled_changes/{id}", idParams);

export type ScheduledChange = z.output<typeof scheduledChange>;

/** Changes that are made at a time. */
export const scheduledChangeRoutes = {
  createScheduledChange: onAll("POST", "", "Schedule a change of an entity", {
    ...extension,
    status: 201,
    message: "Scheduled change created successfully.",
    moreStatuses: [404],
    body: request,
    response: entityEnvelope(scheduledChange),
  }),
  listScheduledChanges: onAll("GET", "", "List scheduled changes, newest first", {
    ...extension,
    message: "Scheduled changes listed successfully.",
    moreStatuses: [304],
    query: listQuery
      .pick({ limit: true, page: true, offset: true, search: true })
      .extend({ status: knownFilter("Only changes in this state.", states) }),
    response: listEnvelope(scheduledChange),
  }),
  readScheduledChange: onOne("GET", "", "Read a scheduled change", {
    ...extension,
    message: "Scheduled change read successfully.",
    moreStatuses: [304],
    response: entityEnvelope(scheduledChange),
  }),
  deleteScheduledChange: onOne("DELETE", "", "Cancel a scheduled change", {
    ...extension,
    message: "Scheduled change deleted successfully.",
    response: messageEnvelope,
  }),
} satisfies Record<string, Route>;
