import type { EntityKind } from "../contract/common.js";
import type { Fault } from "../contract/faults.js";
import type { AnyObject } from "../contract/fields.js";
import type { Gate } from "../contract/gate.js";
import type { Segment } from "../contract/segment.js";
import type { Holdout } from "./gate-spec.js";
import { type Reference, ruleReferences } from "./references.js";

interface Entity extends Reference {
  readonly body: AnyObject;
}

/** The stored entities, at once. */
export interface StoredEntities {
  find(key: Reference): Entity | undefined;
  findAll(kind: EntityKind): readonly Entity[];
}

/**
 * Returns a fault that names a cycle which the next state of an entity would close. A stored cycle is not
 * reported while nothing is added to what its entity asks, so that each entity in it can still be changed.
 */
export function cycleFaults(
  next: Entity,
  before: AnyObject | undefined,
  stored: StoredEntities,
): readonly Fault[] {
  const known = new Set(before === undefined ? [] : linksOf({ ...next, body: before }));
  if (linksOf(next).every((link) => known.has(link))) return [];
  const cycle = cycleFrom(next, stored);
  if (cycle === undefined) return [];
  const names = cycle.map(({ kind, id }) => (kind === "holdout" ? `holdout ${id}` : id));
  const errorMessage = `Nobody can evaluate the cycle ${names.join(" → ")}: remove one of its steps`;
  return [{ property: propertyOf(next, cycle[1]), errorMessage }];
}

/** Returns what is evaluated before an entity, without the holdouts that name it. */
function askedBy({ kind, body }: Entity): readonly Reference[] {
  switch (kind) {
    case "gate": {
      const { rules, holdoutIDs } = body as Gate;
      return [
        ...ruleReferences(rules),
        ...holdoutIDs.map((id) => ({ kind: "holdout" as const, id })),
      ];
    }
    case "segment":
      return ruleReferences((body as Segment).rules);
    case "holdout": {
      const { targetingGateID } = body as Partial<Holdout>;
      return targetingGateID ? [{ kind: "gate", id: targetingGateID }] : [];
    }
    default:
      return [];
  }
}

/** Returns a text for each entity that one asks, and for each gate that asks it because it names that. */
function linksOf(entity: Entity): readonly string[] {
  const asked = askedBy(entity).map(({ kind, id }) => `asks ${kind} ${id}`);
  return [...asked, ...gatesOf(entity).map((id) => `names gate ${id}`)];
}

function gatesOf({ kind, body }: Entity): readonly string[] {
  const { gateIDs = [] } = body as Partial<Holdout>;
  return kind === "holdout" ? gateIDs : [];
}

/** Returns the way from an entity back to itself; undefined if there is none. */
function cycleFrom(start: Entity, stored: StoredEntities): readonly Reference[] | undefined {
  let holdouts: readonly Entity[] | undefined;
  const isStart = ({ kind, id }: Reference) => kind === start.kind && id === start.id;
  const find = (key: Reference) => (isStart(key) ? start : stored.find(key));
  const allHoldouts = () => {
    const others = stored.findAll("holdout").filter((one) => !isStart(one));
    return start.kind === "holdout" ? [start, ...others] : others;
  };
  const asked = (key: Reference): readonly Reference[] => {
    const entity = find(key);
    const own = entity === undefined ? [] : askedBy(entity);
    if (key.kind !== "gate") return own;
    holdouts ??= allHoldouts();
    return [...own, ...holdouts.filter((holdout) => gatesOf(holdout).includes(key.id))];
  };
  const seen = new Set<string>();
  const waiting: Step[] = [{ entity: start, before: undefined }];
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    for (const entity of asked(step.entity)) {
      const next = { entity, before: step };
      if (isStart(entity)) return wayTo(next);
      const key = `${entity.kind} ${entity.id}`;
      if (seen.has(key)) continue;
      seen.add(key);
      waiting.push(next);
    }
  }
  return undefined;
}

/** A step of a way, linked to the one before it. */
interface Step {
  readonly entity: Reference;
  readonly before: Step | undefined;
}

function wayTo(last: Step): readonly Reference[] {
  const way: Reference[] = [];
  for (let step: Step | undefined = last; step !== undefined; step = step.before) {
    way.unshift(step.entity);
  }
  return way;
}

/** Returns the field that asks the first step of a cycle. */
function propertyOf({ kind, body }: Entity, step: Reference | undefined): string {
  if (kind === "holdout") return "targetingGateID";
  const { holdoutIDs = [] } = body as Partial<Gate>;
  return step?.kind === "holdout" && holdoutIDs.includes(step.id) ? "holdoutIDs" : "rules";
}
