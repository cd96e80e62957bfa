import {
  listedSegmentTypes,
  type Segment,
  type SegmentCreate,
  type SegmentPatch,
  type SegmentReplace,
  segmentDefaults,
  type segmentRoutes,
} from "../contract/segment.js";
import { ruleReferences } from "../evaluation/references.js";
import { ruleWarnings } from "../evaluation/rule-warnings.js";
import type { Handlers } from "../http/handler.js";
import { invalid, ServiceError } from "../http/service-error.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityType, Stamp } from "./entity-type.js";
import { lifecycleHandlers } from "./lifecycle-handlers.js";
import { identifierOf, identityFirst, type NewIdentifier, newProvenance } from "./new-entity.js";
import { identifyRules, plainIdentifiers } from "./rules.js";
import type { WriteFacts } from "./write-facts.js";

export const segmentType: EntityType<Segment> = {
  kind: "segment",
  title: "Segment",
  idOf: ({ id }) => id,
  referencesOf: ({ rules }) => ruleReferences(rules),
  warningsOf: ({ rules }, surroundings) => ruleWarnings(rules, surroundings),
};

export function segmentHandlers(
  operations: EntityOperations,
  newIdentifier: NewIdentifier,
): Handlers<typeof segmentRoutes> {
  return {
    createSegment: (call) =>
      operations.create(segmentType, call, (stamp) =>
        createSegment(call.body, stamp, newIdentifier),
      ),
    replaceSegment: (call) =>
      operations.change(segmentType, call.params.id, call, (current) =>
        replaceSegment(current, call.body, newIdentifier),
      ),
    patchSegment: (call) =>
      operations.change(segmentType, call.params.id, call, (current) =>
        patchSegment(current, call.body, newIdentifier),
      ),
    listSegmentIDs: (call) =>
      operations.listedIDs(segmentType, call.params.id, call, ({ count }) => count),
    addSegmentIDs: (call) =>
      operations.change(segmentType, call.params.id, call, withListChange, {
        list: { how: "add", ids: call.body.ids },
      }),
    removeSegmentIDs: (call) =>
      operations.change(segmentType, call.params.id, call, withListChange, {
        list: { how: "remove", ids: call.body.ids },
      }),
    resetSegmentIDs: (call) =>
      operations.change(segmentType, call.params.id, call, withListChange, {
        list: { how: "replace", ids: call.body?.ids ?? [] },
      }),
    addIDsToSegment: (call) =>
      operations.change(segmentType, call.params.id, ofVersion(call), withListChange, {
        list: { how: "add", ids: call.body.ids },
      }),
    removeIDsFromSegment: (call) =>
      operations.change(segmentType, call.params.id, ofVersion(call), withListChange, {
        list: { how: "remove", ids: call.body.ids },
      }),
    listSegmentReferences: (call) =>
      operations.referrers(segmentType, call.params.id, call, ({ kind, body: { id, name } }) => ({
        id,
        name,
        entityType: kind,
      })),
    replaceSegmentRules: (call) =>
      operations.change(segmentType, call.params.id, call, (current) => {
        requireType(current, ["rule_based"], "rules");
        return patchSegment(current, { rules: call.body }, newIdentifier);
      }),
    ...lifecycleHandlers("Segment", operations, segmentType, {
      kept: ({ isArchived = false, count }) => ({ isArchived, count }),
    }),
  };
}

/** Returns a new segment at version 1, with an empty list. */
export function createSegment(
  body: SegmentCreate,
  stamp: Stamp,
  newIdentifier: NewIdentifier,
): Segment {
  const { rules = segmentDefaults.rules } = body;
  return {
    ...identityFirst,
    ...structuredClone(segmentDefaults),
    ...newProvenance(stamp),
    ...body,
    id: body.id ?? segmentIdentifierOf(body.name),
    rules: identifyRules(rules, [], plainIdentifiers, newIdentifier),
    isEnabled: true,
    count: 0,
    isArchived: false,
  };
}

/** Makes a full update: omitted fields get their defaults, except name, type, ID type and creator. */
function replaceSegment(
  current: Segment,
  body: SegmentReplace,
  newIdentifier: NewIdentifier,
): Segment {
  const { idType: _, ...defaults } = segmentDefaults;
  return patchSegment(current, { ...structuredClone(defaults), ...body }, newIdentifier);
}

/** Makes a partial update: only given fields change. */
function patchSegment(
  current: Segment,
  { rules, ...others }: SegmentPatch,
  newIdentifier: NewIdentifier,
): Segment {
  if (others.type !== undefined && others.type !== current.type) {
    const errorMessage = `The type of a segment cannot change; it is ${current.type}`;
    throw invalid([{ property: "type", errorMessage }]);
  }
  return {
    ...current,
    ...others,
    ...(rules && {
      rules: identifyRules(rules, current.rules, plainIdentifiers, newIdentifier),
    }),
  };
}

function withListChange(current: Segment, _: Stamp, listChange: number): Segment {
  requireType(current, listedSegmentTypes, "ids");
  return { ...current, count: current.count + listChange };
}

/** Throws a 400 if segments of this type do not have `what`. */
function requireType({ id, type }: Segment, types: readonly string[], what: string): void {
  if (types.includes(type)) return;
  throw new ServiceError({
    status: 400,
    message: `Segment ${id} is of type ${type}: only ${types.join(" and ")} have ${what}.`,
  });
}

/** Makes the version of a body a condition of the write. */
function ofVersion<
  Call extends WriteFacts & { readonly body: { readonly version?: number | string } },
>(call: Call): Call {
  const { version } = call.body;
  return version === undefined || call.ifMatch !== undefined
    ? call
    : { ...call, ifMatch: [String(version)] };
}

/** Returns the name itself, as specified, unless it has blanks, which an id must not have. */
function segmentIdentifierOf(name: string): string {
  return name.includes(" ") ? identifierOf(name) : name;
}
