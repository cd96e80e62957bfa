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
import { idParams, noBody, noParams, noQuery, type Route } from "./route.js";
import { conditionTypes, rule, ruleRequestOf } from "./rule.js";

const segmentTypes = ["id_list", "rule_based", "analysis_list", "user_store_id_list"] as const;

/** Types of a condition that a segment's rules may have: those that look at a unit alone. */
const segmentConditionTypes = conditionTypes.filter(
  (type) => type !== "public" && type !== "passes_gate" && type !== "fails_gate" && type !== "time",
);

/** The fields that clients write, each once. */
const fields = {
  id: nameLike(
    /^[a-zA-Z0-9_-]*$/,
    "Name ID; the name when it is left out, or made from one that holds blanks.",
  ),
  name: nameLike(/^[a-zA-Z0-9_\- ]*$/, "Display name."),
  type: z.enum(segmentTypes).describe("How its units are told: by a list or by rules."),
  description: descriptionText,
  idType,
  tags,
  creatorID,
  creatorEmail,
  team,
  teamID,
  rules: list(ruleRequestOf(segmentConditionTypes)).describe(
    "Rules, in the order in which they are tried.",
  ),
};

const writable = z.object(fields);

/** Values of the fields that a create leaves out. */
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

export const segmentCreate = writable
  .exactPartial()
  .extend({ name: fields.name, type: fields.type });

export const segment = z
  .object({
    ...fields,
    ...provenance,
    rules: list(rule),
    isEnabled: flag("Whether the segment is evaluated."),
    count: z.int().describe("Units on its list."),
    owner,
    version,
  })
  .describe("The segment.");

export type SegmentCreate = z.output<typeof segmentCreate>;
export type Segment = z.output<typeof segment>;

const path = "/console/v1/segments";
const onSegments = {
  access: "console",
  group: "Segments",
  params: noParams,
  query: noQuery,
} as const;
const onSegment = { ...onSegments, params: idParams, status: 200, body: noBody } as const;
const extension = { origin: "extension" } as const;

/** Segments: the specification's row, then the extensions. */
export const segmentRoutes = {
  createSegment: {
    ...onSegments,
    origin: "specification",
    method: "POST",
    path,
    summary: "Create a segment",
    body: segmentCreate,
    status: 201,
    message: "Segment created successfully.",
    response: entityEnvelope(segment),
  },
  listSegments: {
    ...onSegments,
    ...extension,
    method: "GET",
    path,
    summary: "List segments, newest first",
    query: pageQuery,
    body: noBody,
    status: 200,
    message: "Segments listed successfully.",
    response: listEnvelope(segment),
  },
  readSegment: {
    ...onSegment,
    ...extension,
    method: "GET",
    path: `${path}/{id}`,
    summary: "Read a segment",
    message: "Segment read successfully.",
    response: entityEnvelope(segment),
  },
  deleteSegment: {
    ...onSegment,
    ...extension,
    method: "DELETE",
    path: `${path}/{id}`,
    summary: "Delete a segment",
    message: "Segment deleted successfully.",
    response: messageEnvelope,
  },
} as const satisfies Record<string, Route>;
