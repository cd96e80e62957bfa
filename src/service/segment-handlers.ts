import type { Segment } from "../contract/segment.js";
import type { segmentRoutes } from "../contract/segment-routes.js";
import type { EntityOperations, EntityType } from "./entity-operations.js";
import type { Handlers } from "./handler.js";
import type { NewIdentifier } from "./identifiers.js";
import { ruleReferences } from "./rule-references.js";
import { createSegment } from "./segment-rules.js";

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
