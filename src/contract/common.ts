import { z } from "zod";
import {
  descriptionText,
  FAULTS_MAX,
  flag,
  list,
  nameLike,
  numeric,
  text,
  textList,
} from "./fields.js";

/** The kinds of entities that the console manages. */
export const entityKinds = [
  "gate",
  "dynamic_config",
  "experiment",
  "segment",
  "prompt",
  "qualifying_event",
  "tag",
  "gate_override",
  "experiment_override",
  "experiment_schedule",
  "environments",
  "unit_id_type",
  "target_app",
  "layer",
  "holdout",
  "scheduled_change",
] as const;

export type EntityKind = (typeof entityKinds)[number];

/** The kinds of what the audit log tells: entities, and keys, which are created and revoked. */
export const auditedKinds = [...entityKinds, "key"] as const;

export type AuditedKind = (typeof auditedKinds)[number];

/** The owner of an entity. */
export const owner = z
  .object({
    ownerID: text("Identifier of the owner."),
    ownerType: text("`USER` or `SDK_KEY`."),
    ownerName: text("Name of the owner."),
    ownerEmail: text("Email address of the owner; empty for a key."),
  })
  .exactPartial()
  .describe("Owner of the entity: a key if it was created through this API.");

export const reviewSettings = z
  .object({
    requiredReview: flag(
      "True if changes need a review. A project or team setting that requires reviews overrides it.",
    ),
    allowedReviewers: list(
      z
        .object({
          id: text("Identifier of the reviewer."),
          name: text("Name of the reviewer."),
          email: text("Email address of the reviewer."),
        })
        .exactPartial(),
    ).describe("Reviewers that may review changes."),
  })
  .exactPartial()
  .describe("Settings for reviews of changes.");

/** The review settings of a write. Reviews are not made here, so nothing may require them. */
export const reviewSettingsRequest = reviewSettings
  .extend({
    requiredReview: z
      .boolean()
      .refine(
        (isRequired) => !isRequired,
        "This service does not hold changes for review: send false, or leave it out",
      )
      .meta({ description: "Must be false: reviews are not made.", enum: [false] })
      .exactOptional(),
  })
  .describe("Settings for reviews of changes.");

export const activeReview = z
  .object({
    reviewID: text("Identifier of the review."),
    reviewStatus: text("State of the review."),
    description: text("Subject of the review."),
  })
  .exactPartial()
  .describe("The review in progress.");

export const tags = textList("Labels, in the order given.");

export const holdoutIDs = textList("Holdouts that the entity belongs to.");

export const targetApps = z
  .union([z.string(), list(z.string())], {
    error: () => "Expected string or array of strings",
  })
  .describe("Applications that use the entity: one or several.");

export const team = z.string().nullable().describe("Team name (enterprise plans only).");

export const teamID = z.string().nullable().describe("Team identifier (enterprise plans only).");

export const creatorID = z.string().nullable().describe("Identifier of the creator.");

export const creatorEmail = z.string().nullable().describe("Email address of the creator.");

export const idType = text("Type of the ID that identifies a unit, e.g. `userID`.");

export const releasePipelineID = z
  .string()
  .nullable()
  .describe("Release pipeline that rolls out changes.");

/** The first fields of gates and dynamic configs, in the order of answers. */
export const identityFields = {
  id: nameLike(/^[a-zA-Z0-9_\-.]*$/, "Name ID; derived from the name by default."),
  name: nameLike(/^[a-zA-Z0-9_\-. ]*$/, "Display name."),
  description: descriptionText,
  idType,
};

/** Further fields of gates and dynamic configs, in the order of answers. */
export const ownershipFields = {
  tags,
  targetApps,
  holdoutIDs,
  team,
  teamID,
  creatorID,
  creatorEmail,
};

/** Defaults of the ownership. The service sets the creator. */
export const ownershipDefaults = {
  tags: [],
  targetApps: [],
  holdoutIDs: [],
  team: null,
  teamID: null,
};

const time = (description: string) => z.int().describe(`${description}, in ms since the epoch.`);

/** The creator, the last writer and their times. Only the service writes these fields. */
export const provenance = {
  creatorID,
  creatorName: text("Name of the creator.").nullable(),
  creatorEmail,
  createdTime: time("Time of creation"),
  lastModifierID: text("Identifier of the last writer.").nullable(),
  lastModifierName: text("Name of the last writer.").nullable(),
  lastModifierEmail: text("Email address of the last writer.").nullable(),
  lastModifiedTime: time("Time of the last change"),
};

export const version = z.int().describe("1 after creation; every accepted write adds 1.");

/** Fields of what exists before its first write, and has version 0 then. */
export const partFields = {
  id: text("Name ID: that of the entity that it belongs to, if there is one."),
  name: text("The id."),
  version: z.int().describe("0 before the first write; every accepted write adds 1."),
  ...z.object({ ...provenance, owner }).exactPartial().shape,
};

/** A reference to a metric, in monitoring and experiments. */
export const metricName = z.object({
  name: text("Name of the metric."),
  type: text("Type of the metric."),
});

export const pagination = z
  .object({
    itemsPerPage: z.int().describe("Results per page."),
    pageNumber: z.int().describe("Page number, from 1."),
    nextPage: z.string().nullable().describe("Relative URL of the next page."),
    previousPage: z.string().nullable().describe("Relative URL of the previous page."),
    totalItems: z.int().describe("Results on all pages."),
    all: z.string().describe("Path of the whole list, without a query."),
  })
  .describe("Position of this page in the list.");

export type Pagination = z.output<typeof pagination>;

/** The query of every list. */
export const pageQuery = z.object({
  limit: queryNumber("Results per page.", 1, 1_000).default(100),
  page: queryNumber("Page number, from 1.", 1, Number.MAX_SAFE_INTEGER).default(1),
  offset: queryNumber(
    "Results before the page, instead of those that `page` and `limit` give. URLs of pages have it " +
      "after a page that ended early by its size.",
    0,
    Number.MAX_SAFE_INTEGER,
  ).exactOptional(),
});

export type PageQuery = z.output<typeof pageQuery>;

export function queryNumber(description: string, min: number, max: number) {
  return numeric(description, { integer: true, min, max }).transform(Number);
}

/** An answer without an entity. */
export const messageEnvelope = z.object({ message: text("Result as text.") });

/** A warning about a write that was stored, although it cannot work as meant. */
export const warnings = z
  .array(
    z.object({
      property: text("Path of the property, with indexes."),
      message: text("Reason why it does not work, and what to do."),
    }),
  )
  .describe("Fields that were stored, but do not work as meant; only in answers to writes.");

export type Warning = z.output<typeof warnings>[number];

/** Returns the first FAULTS_MAX warnings, and a last one if there are more. */
export function toldWarnings(found: readonly Warning[]): readonly Warning[] {
  if (found.length <= FAULTS_MAX) return found;
  const more = { property: "", message: "Further warnings are not listed" };
  return [...found.slice(0, FAULTS_MAX), more];
}

/** An answer with one entity. */
export function entityEnvelope<Entity extends z.ZodType>(entity: Entity) {
  return messageEnvelope.extend({ data: entity, warnings: warnings.exactOptional() });
}

/** An answer with one page of entities. */
export function listEnvelope<Entity extends z.ZodType>(entity: Entity) {
  return messageEnvelope.extend({
    data: z.array(entity).describe("Items of the page."),
    pagination,
  });
}

/** The body of every answer with a status of 400 or above. */
export const errorBody = z.object({
  status: z.int().describe("HTTP status."),
  message: z.string().describe("Reason of the error."),
  errors: z
    .array(
      z.object({
        property: z.string().describe("Path of the property, with indexes, e.g. `rules[0].name`."),
        errorMessage: z.string().describe("Reason why the property is refused."),
      }),
    )
    .describe("One entry per fault; empty if no property is at fault."),
});

export type ErrorBody = z.output<typeof errorBody>;
