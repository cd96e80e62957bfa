import { z } from "zod";
import {
  creatorEmail,
  creatorID,
  entityEnvelope,
  entityKinds,
  idType,
  listEnvelope,
  messageEnvelope,
  owner,
  pageQuery,
  pagination,
  provenance,
  tags,
  team,
  teamID,
  version,
} from "./common.js";
import { descriptionText, flag, list, nameLike, numeric, text, unitIDs } from "./fields.js";
import { archivable, lifecycleRoutes } from "./lifecycle-routes.js";
import { listQuery, typeFilter } from "./list-query.js";
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

/** The types of segments that have a list of ids. */
export const listedSegmentTypes: readonly string[] = ["id_list", "user_store_id_list"];

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

/** `type` may be sent back as it is. */
const segmentPatch = writable.omit({ id: true }).exactPartial();

const segmentReplace = segmentPatch.extend({
  description: fields.description,
  rules: fields.rules,
});

const idsBody = z.object({ ids: unitIDs("IDs of units.") });

const idsOfVersion = idsBody.extend({
  version: numeric("Version that the segment must have, as in `If-Match`.", {
    integer: true,
  }).exactOptional(),
});

const idsReset = idsBody.exactPartial().optional();

const segmentCreate = writable.exactPartial().extend({ name: fields.name, type: fields.type });

const segment = z
  .object({
    ...fields,
    ...provenance,
    rules: list(rule),
    isEnabled: flag("True if the segment is evaluated."),
    count: z.int().describe("Units on its list."),
    owner,
    version,
    ...archivable,
  })
  .describe("A segment.");

const segmentReferrer = z
  .object({
    id: text("Name ID of the referencing entity."),
    name: text("Its display name."),
    entityType: z.enum(entityKinds).describe("Its kind."),
  })
  .describe("An entity that references a segment.");

export type SegmentCreate = z.output<typeof segmentCreate>;
export type SegmentPatch = z.output<typeof segmentPatch>;
export type SegmentReplace = z.output<typeof segmentReplace>;
export type Segment = z.output<typeof segment>;

const path = "/console/v1/segments";
const onSegments = consoleRoutes("Segments", path, noParams);
const onSegment = consoleRoutes("Segments", `${path}/{id}`, idParams);

const updated = {
  ...extension,
  message: "Segment updated successfully.",
  response: entityEnvelope(segment),
};

/** Segments: the specification's row, then the extensions. */
export const segmentRoutes = {
  createSegment: onSegments("POST", "", "Create a segment", {
    body: segmentCreate,
    status: 201,
    message: "Segment created successfully.",
    response: entityEnvelope(segment),
  }),
  replaceSegment: onSegment("POST", "", "Update a segment fully", {
    ...updated,
    body: segmentReplace,
  }),
  patchSegment: onSegment("PATCH", "", "Update some fields of a segment", {
    ...updated,
    body: segmentPatch,
  }),
  listSegmentIDs: onSegment("GET", "/id_list", "List the ids of a segment", {
    ...extension,
    query: pageQuery,
    message: "Segment IDs listed successfully.",
    response: messageEnvelope.extend({
      data: z.array(z.string()).describe("IDs of the page, in the order of their bytes."),
      pagination,
    }),
  }),
  addSegmentIDs: onSegment("PATCH", "/id_list", "Add ids to a segment", {
    ...updated,
    body: idsBody,
    listsIDs: true,
  }),
  removeSegmentIDs: onSegment("DELETE", "/id_list", "Remove ids from a segment", {
    ...updated,
    body: idsBody,
    listsIDs: true,
  }),
  resetSegmentIDs: onSegment("POST", "/id_list/reset", "Empty or replace the ids of a segment", {
    ...updated,
    body: idsReset,
    listsIDs: true,
  }),
  addIDsToSegment: onSegment("PATCH", "/add_ids", "Add ids to a segment of some version", {
    ...updated,
    body: idsOfVersion,
    listsIDs: true,
  }),
  removeIDsFromSegment: onSegment(
    "PATCH",
    "/remove_ids",
    "Remove ids from a segment of some version",
    { ...updated, body: idsOfVersion, listsIDs: true },
  ),
  listSegmentReferences: onSegment(
    "GET",
    "/references",
    "List the entities that reference a segment",
    {
      ...extension,
      message: "Segments listed successfully.",
      query: pageQuery,
      response: listEnvelope(segmentReferrer),
    },
  ),
  replaceSegmentRules: onSegment("POST", "/conditional", "Replace the rules of a segment", {
    ...updated,
    body: fields.rules,
  }),
  ...lifecycleRoutes({
    name: "Segment",
    title: "Segment",
    noun: "a segment",
    onMany: onSegments,
    onOne: onSegment,
    updated: updated.message,
    entity: segment,
    query: listQuery
      .omit({ targetAppID: true, layerID: true })
      .extend({ type: typeFilter(segmentTypes) }),
  }),
} satisfies Record<string, Route>;
