import { z } from "zod";
import {
  creatorEmail,
  creatorID,
  idType,
  owner,
  pageQuery,
  provenance,
  tags,
  team,
  teamID,
  version,
} from "./common.js";
import { entityEnvelope, listEnvelope, messageEnvelope } from "./envelope.js";
import { descriptionText, flag, list, nameLike } from "./fields.js";
import { consoleRoutes, extension, idParams, noParams, type Route } from "./route.js";
import { conditionTypes, rule, ruleRequestOf } from "./rule.js";

const segmentTypes = ["id_list", "rule_based", "analysis_list", "user_store_id_list"] as const;

/** The condition types that a segment may use: those that depend only on the unit. */
const segmentConditionTypes = conditionTypes.filter(
  (type) => type !== "public" && type !== "passes_gate" && type !== "fails_gate" && type !== "time",
);

/** The fields that clients write. */
const fields = {
  id: nameLike(
    /^[a-zA-Z0-9_-]*$/,
    "Name ID; by default the name, or derived from a name with blanks.",
  ),
  name: nameLike(/^[a-zA-Z0-9_\- ]*$/, "Display name."),
  type: z.enum(segmentTypes).describe("Source of its units: a list or rules."),
  description: descriptionText,
  idType,
  tags,
  creatorID,
  creatorEmail,
  team,
  teamID,
  rules: list(ruleRequestOf(segmentConditionTypes)).describe("Rules, in order of evaluation."),
};

const writable = z.object(fields);

/** Defaults of the optional fields of a create. */
export const segmentDefaults: Omit<
  z.output<typeof writable>,
  "id" | "name" | "type" | "creatorID" | "creatorEmail"
> = {
  description: "",
  idType: "userID",
  tags: [],
  team: null,
  teamID: null,
  rules: [],
};

const segmentCreate = writable.exactPartial().extend({ name: fields.name, type: fields.type });

export const segment = z
  .object({
    ...fields,
    ...provenance,
    rules: list(rule),
    isEnabled: flag("True if the segment is evaluated."),
    count: z.int().describe("Units on its list."),
    owner,
    version,
  })
  .describe("A segment.");

export type SegmentCreate = z.output<typeof segmentCreate>;
export type Segment = z.output<typeof segment>;

const path = "/console/v1/segments";
const onSegments = consoleRoutes("Segments", path, noParams);
const onSegment = consoleRoutes("Segments", `${path}/{id}`, idParams);

/** Segments: the specification's row, then the extensions. */
export const segmentRoutes = {
  createSegment: onSegments("POST", "", "Create a segment", {
    body: segmentCreate,
    status: 201,
    message: "Segment created successfully.",
    response: entityEnvelope(segment),
  }),
  listSegments: onSegments("GET", "", "List segments, newest first", {
    ...extension,
    query: pageQuery,
    message: "Segments listed successfully.",
    response: listEnvelope(segment),
  }),
  readSegment: onSegment("GET", "", "Read a segment", {
    ...extension,
    message: "Segment read successfully.",
    response: entityEnvelope(segment),
  }),
  deleteSegment: onSegment("DELETE", "", "Delete a segment", {
    ...extension,
    message: "Segment deleted successfully.",
    response: messageEnvelope,
  }),
} satisfies Record<string, Route>;
