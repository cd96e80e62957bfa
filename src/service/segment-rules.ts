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
    id: body.id ?? segmentIdentifierOf(body.name),
    rules: identifyRules(rules, plainRuleIdentifier, newIdentifier),
    isEnabled: true,
    count: 0,
  };
}

/** The name itself, as the specification has it; blanks alone are what an id may not hold of it. */
function segmentIdentifierOf(name: string): string {
  return name.includes(" ") ? identifierOf(name) : name;
}
