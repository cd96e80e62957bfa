import { z } from "zod";
import { flag, list, numeric, text, textList } from "./fields.js";

/** Who an entity belongs to. */
export const owner = z
  .object({
    ownerID: text("Identifier of the owner."),
    ownerType: text("`USER` or `SDK_KEY`."),
    ownerName: text("Name of the owner."),
    ownerEmail: text("Address of the owner; empty for a key."),
  })
  .exactPartial()
  .describe("Who the entity belongs to; a key where it was made through this API.");

export const reviewSettings = z
  .object({
    requiredReview: flag(
      "Whether changes need a review; without effect where a project or team setting requires them.",
    ),
    allowedReviewers: list(
      z
        .object({
          id: text("Identifier of the reviewer."),
          name: text("Name of the reviewer."),
          email: text("Address of the reviewer."),
        })
        .exactPartial(),
    ).describe("Who may review."),
  })
  .exactPartial()
  .describe("How changes are reviewed.");

export const activeReview = z
  .object({
    reviewID: text("Identifier of the review."),
    reviewStatus: text("State of the review."),
    description: text("What the review is about."),
  })
  .exactPartial()
  .describe("The review that is under way.");

export const tags = textList("Labels, in the order given.");

export const holdoutIDs = textList("Holdouts that the entity belongs to.");

export const targetApps = z
  .union([z.string(), list(z.string())], {
    error: () => "Expected string or array of strings",
  })
  .describe("Applications that the entity is meant for: one or several.");

export const team = z.string().nullable().describe("Team name (enterprise plans only).");

export const teamID = z.string().nullable().describe("Team identifier (enterprise plans only).");

export const creatorID = z.string().nullable().describe("Identifier of who created it.");

export const creatorEmail = z.string().nullable().describe("Address of who created it.");

export const idType = text("Type of the ID that units are told apart by, e.g. `userID`.");

export const releasePipelineID = z
  .string()
  .nullable()
  .describe("Release pipeline that rolls changes out.");

const time = (description: string) => z.int().describe(`${description}, in ms since the epoch.`);

/** Who created and changed an entity, and when: written by the service alone. */
export const provenance = {
  creatorID,
  creatorName: text("Name of who created it.").nullable(),
  creatorEmail,
  createdTime: time("When it was created"),
  lastModifierID: text("Identifier of who changed it last.").nullable(),
  lastModifierName: text("Name of who changed it last.").nullable(),
  lastModifierEmail: text("Address of who changed it last.").nullable(),
  lastModifiedTime: time("When it was changed last"),
};

export const version = z.int().describe("1 after creation, one more with every accepted write.");

/** A metric, as monitoring and experiments name it. */
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
    totalItems: z.int().describe("Results of all pages."),
    all: z.string().describe("Path of the whole list, without query."),
  })
  .describe("Where in the list this page is.");

export type Pagination = z.output<typeof pagination>;

/** Query of every list. */
export const pageQuery = z.object({
  limit: queryNumber("Results per page.", 1, 1_000).default(100),
  page: queryNumber("Page number, from 1.", 1, Number.MAX_SAFE_INTEGER).default(1),
});

export type PageQuery = z.output<typeof pageQuery>;

function queryNumber(description: string, min: number, max: number) {
  return numeric(description, { integer: true, min, max }).transform(Number);
}
