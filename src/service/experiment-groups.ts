import type { Group, GroupRequest } from "../contract/experiment-setup.js";
import type { NewIdentifier } from "./identifiers.js";
import { invalid } from "./service-error.js";

/** The groups of an experiment that is created without any: half of the units each. */
export function defaultGroups(newIdentifier: NewIdentifier): Group[] {
  return ["Control", "Test"].map((name) => ({
    name,
    size: 50,
    parameterValues: {},
    id: newIdentifier(),
    disabled: false,
    description: "",
  }));
}

/**
 * Groups as they are kept: each with its identifier. One that is given none keeps that of the
 * `existing` group of its name, so that units stay told apart by the same identifiers.
 */
export function identifyGroups(
  groups: readonly GroupRequest[],
  existing: readonly Group[],
  newIdentifier: NewIdentifier,
): Group[] {
  const taken = new Set(groups.map(({ id }) => id));
  const known = new Map(existing.map(({ name, id }) => [name, id]));
  return groups.map((group) => {
    if (group.id !== undefined && group.id !== "") return { ...group, id: group.id };
    const before = known.get(group.name);
    return { ...group, id: before === undefined || taken.has(before) ? newIdentifier() : before };
  });
}

/**
 * Groups of which those of some names take units. One that did so before is no fault: a repeated call
 * does no harm. Throws a 400 with all names that no group has.
 */
export function enabledGroups(groups: readonly Group[], names: readonly string[]): Group[] {
  const known = new Set(groups.map(({ name }) => name));
  const faults = names.flatMap((name, index) =>
    known.has(name)
      ? []
      : [{ property: `group_names[${index}]`, errorMessage: `There is no group ${name}` }],
  );
  if (faults.length > 0) throw invalid(faults);
  const enabled = new Set(names);
  return groups.map((group) => (enabled.has(group.name) ? { ...group, disabled: false } : group));
}
