import {
  type Segment,
  type SegmentCreate,
  segmentDefaults,
  type segmentRoutes,
} from "../contract/segment.js";
import type { EntityOperations, EntityType, Stamp } from "./entity-operations.js";
import type { Handlers } from "./handler.js";
import { identifierOf, identityFirst, type NewIdentifier, newProvenance } from "./new-entity.js";
import { identifyRules, plainIdentifiers, ruleReferences } from "./rules.js";

export const segmentType: EntityType<Segment> = {
  kind: "segment",
  title: "Segment",
  idOf: ({ id }) => id,
  referencesOf: ({ rules }) => ruleReferences(rules),
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
    listSegments: (call) => operations.list(segmentType, call),
    readSegment: (call) => operations.read(segmentType, call.params.id),
    deleteSegment: (call) => operations.remove(segmentType, call.params.id, call),
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
  };
}

/** Returns the name itself, as specified. Only blanks of a name are not allowed in an id. */
function segmentIdentifierOf(name: string): string {
  return name.includes(" ") ? identifierOf(name) : name;
}
