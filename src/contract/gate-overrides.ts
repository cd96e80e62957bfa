import { z } from "zod";
import { entityEnvelope, partFields } from "./common.js";
import { list, text, unitIDs } from "./fields.js";
import { consoleRoutes, extension, idParams, type Route } from "./route.js";

/** IDs in a list of overrides: a larger set of units is a segment. */
export const OVERRIDE_IDS_MAX = 10_000;

/** The lists of units that pass or fail in every environment. */
const overrideLists = {
  passingUserIDs: unitIDs("Users that pass the gate, whatever its rules say."),
  failingUserIDs: unitIDs("Users that fail the gate, whatever its rules say."),
  passingCustomIDs: unitIDs("Units of the gate's ID type that pass the gate."),
  failingCustomIDs: unitIDs("Units of the gate's ID type that fail the gate."),
};

const environmentOverride = z.object({
  environment: z.string().nullable().describe("Environment of the override; null for all."),
  unitID: text("ID type of the units."),
  passingIDs: unitIDs("Units that pass the gate."),
  failingIDs: unitIDs("Units that fail the gate."),
});

const { environment, unitID } = environmentOverride.shape;

const environmentOverrideRequest = environmentOverride.extend({
  environment: environment.exactOptional(),
  unitID: unitID.nullable().describe("ID type of the units; null for `userID`."),
});

const environmentOverrides = "Overrides of one environment or ID type.";

const overridesRequest = z
  .object({
    ...overrideLists,
    environmentOverrides: list(environmentOverrideRequest).describe(environmentOverrides),
  })
  .exactPartial();

const gateOverrides = z
  .object({
    ...partFields,
    ...overrideLists,
    environmentOverrides: list(environmentOverride).describe(environmentOverrides),
  })
  .describe("The units that pass or fail a gate, whatever its rules say.");

export type GateOverridesRequest = z.output<typeof overridesRequest>;
export type GateOverrides = z.output<typeof gateOverrides>;
export type EnvironmentOverride = z.output<typeof environmentOverride>;

const onOverrides = consoleRoutes("Gates", "/console/v1/gates/{id}/overrides", idParams);
const response = entityEnvelope(gateOverrides);
const updated = {
  ...extension,
  message: "Gate Overrides updated successfully.",
  body: overridesRequest,
  response,
};

/** Overrides of gates. */
export const gateOverrideRoutes = {
  readGateOverrides: onOverrides("GET", "", "Read the overrides of a gate", {
    ...extension,
    message: "Gate Overrides read successfully.",
    response,
  }),
  replaceGateOverrides: onOverrides("POST", "", "Replace all overrides of a gate", updated),
  addGateOverrides: onOverrides("PATCH", "", "Add units to the overrides of a gate", updated),
  removeGateOverrides: onOverrides(
    "DELETE",
    "",
    "Remove units from the overrides of a gate",
    updated,
  ),
} satisfies Record<string, Route>;
