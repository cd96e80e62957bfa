import { type Segment, type SegmentCreate, segmentDefaults } from "../contract/segment.js";
import type { Stamp } from "./entity-operations.js";
import { identifierOf, type NewIdentifier } from "./identifiers.js";
import { identityFirst, newProvenance } from "./provenance.js";
import { identifyRules, plainRuleIdentifier } from "./rule-identifiers.js";

/** A segment at version 1, with nobody on its list. */
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
    id: body.id ?? identifierOf(body.name),
    rules: identifyRules(rules, plainRuleIdentifier, newIdentifier),
    isEnabled: true,
    count: 0,
  };
}
