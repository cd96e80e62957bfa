import {
  type QualifyingEvent,
  type QualifyingEventCreate,
  type QualifyingEventReplace,
  qualifyingEventDefaults,
} from "../contract/qualifying-event.js";
import type { Stamp } from "./entity-operations.js";
import { newProvenance } from "./provenance.js";
import { invalid } from "./service-error.js";

/** A qualifying event at version 1. */
export function createQualifyingEvent(
  { dryRun: _, ...body }: QualifyingEventCreate,
  stamp: Stamp,
): QualifyingEvent {
  // The name leads in answers.
  const { name, ...others } = body;
  return { name, ...structuredClone(qualifyingEventDefaults), ...newProvenance(stamp), ...others };
}

/**
 * Full update: what is left out returns to its default, except the owner and who made it. Throws a
 * 400 where the body has another name: to drop it in silence would look like a rename that worked.
 */
export function replaceQualifyingEvent(
  current: QualifyingEvent,
  { dryRun: _, ...body }: QualifyingEventReplace,
): QualifyingEvent {
  requireSameName(current.name, body.name);
  const { datePartitionColumn: __, ...kept } = current;
  return { ...kept, ...structuredClone(qualifyingEventDefaults), ...body, name: current.name };
}

/** What an update makes of a name that is new. */
export function createNamed(
  name: string,
  body: QualifyingEventReplace,
  stamp: Stamp,
): QualifyingEvent {
  requireSameName(name, body.name);
  return createQualifyingEvent({ ...body, name }, stamp);
}

function requireSameName(name: string, given: string | undefined): void {
  if (given === undefined || given === name) return;
  throw invalid([
    { property: "name", errorMessage: "Cannot be changed: leave it out, or give that of the path" },
  ]);
}
