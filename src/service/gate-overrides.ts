import type { Fault } from "../contract/faults.js";
import type { Gate } from "../contract/gate.js";
import {
  type EnvironmentOverride,
  type GateOverrides,
  type GateOverridesRequest,
  type gateOverrideRoutes,
  OVERRIDE_IDS_MAX,
} from "../contract/gate-overrides.js";
import { gateOverrideWarnings } from "../evaluation/entity-warnings.js";
import type { Handlers } from "../http/handler.js";
import { refuseFaults } from "../http/service-error.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityBody, PartType } from "./entity-type.js";
import { gateType } from "./gates.js";
import { type Combine, overrideHandlers, union } from "./override-handlers.js";

/** Overrides as they are stored. */
type OverridesBody = EntityBody & GateOverrides;

const noOverrides = {
  passingUserIDs: [],
  failingUserIDs: [],
  passingCustomIDs: [],
  failingCustomIDs: [],
  environmentOverrides: [],
} satisfies Partial<GateOverrides>;

const overridesType: PartType<OverridesBody, Gate> = {
  kind: "gate_override",
  title: "Gate Overrides",
  idOf: ({ id }) => id,
  referencesOf: () => [],
  warningsOf: gateOverrideWarnings,
  ownerType: gateType,
  initial: noOverrides,
};

export function gateOverrideHandlers(
  operations: EntityOperations,
): Handlers<typeof gateOverrideRoutes> {
  return overrideHandlers("Gate", operations, overridesType, noOverrides, changedOverrides);
}

type Overrides = Pick<GateOverrides, keyof typeof noOverrides>;
/** Returns overrides after ids are added or removed. Throws a 400 if an id then both passes and fails. */
function changedOverrides(
  current: Overrides,
  given: GateOverridesRequest,
  combine: Combine,
): Overrides {
  const entries = new Map(current.environmentOverrides.map((entry) => [keyOf(entry), entry]));
  const { environmentOverrides = [] } = given;
  for (const { environment = null, unitID, passingIDs, failingIDs } of environmentOverrides) {
    const units = { environment, unitID: unitID ?? "userID" };
    const before = entries.get(keyOf(units)) ?? { passingIDs: [], failingIDs: [] };
    entries.set(keyOf(units), {
      ...units,
      passingIDs: combine(before.passingIDs, passingIDs),
      failingIDs: combine(before.failingIDs, failingIDs),
    });
  }
  const { passingUserIDs, failingUserIDs, passingCustomIDs, failingCustomIDs } = current;
  const next = {
    passingUserIDs: combine(passingUserIDs, given.passingUserIDs ?? []),
    failingUserIDs: combine(failingUserIDs, given.failingUserIDs ?? []),
    passingCustomIDs: combine(passingCustomIDs, given.passingCustomIDs ?? []),
    failingCustomIDs: combine(failingCustomIDs, given.failingCustomIDs ?? []),
    environmentOverrides: [...entries.values()],
  };
  refuseFaults([
    ...pairFaults(next, "passingUserIDs", "failingUserIDs"),
    ...pairFaults(next, "passingCustomIDs", "failingCustomIDs"),
    ...next.environmentOverrides.flatMap((entry, index) =>
      pairFaults(entry, "passingIDs", "failingIDs", `environmentOverrides[${index}].`),
    ),
  ]);
  return {
    ...next,
    environmentOverrides: next.environmentOverrides.filter(
      ({ passingIDs, failingIDs }) =>
        combine === union || passingIDs.length + failingIDs.length > 0,
    ),
  };
}

/** Overrides of one environment and ID type are one entry. */
function keyOf({
  environment,
  unitID,
}: Pick<EnvironmentOverride, "environment" | "unitID">): string {
  return JSON.stringify([environment, unitID]);
}

/** Returns the faults of two lists that may not share an id. */
function pairFaults<Name extends string>(
  holder: { readonly [Key in Name]: readonly string[] },
  passing: Name,
  failing: Name,
  path = "",
): Fault[] {
  const passes = new Set(holder[passing]);
  const both = holder[failing].filter((id) => passes.has(id));
  const tooLong = [passing, failing].filter((name) => holder[name].length > OVERRIDE_IDS_MAX);
  return [
    ...both.map((id) => ({
      property: `${path}${failing}`,
      errorMessage: `${id} is in ${passing} too: remove it from one of them first`,
    })),
    ...tooLong.map((name) => ({
      property: `${path}${name}`,
      errorMessage: `Must have at most ${OVERRIDE_IDS_MAX} ids: use a segment for more`,
    })),
  ];
}
