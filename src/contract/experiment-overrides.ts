import { z } from "zod";
import { entityEnvelope, partFields } from "./common.js";
import { list, text, unitIDs } from "./fields.js";
import { consoleRoutes, extension, idParams, type Route } from "./route.js";

const environment = z.string().nullable().describe("Environment of the override; null for all.");

const conditionalOverride = z.object({
  type: z.enum(["gate", "segment"]).describe("Kind of the entity whose units are assigned."),
  id: text("Name ID of the gate or segment that units must pass."),
  groupID: text("Group that the units get."),
  environment,
});

const unitOverride = z.object({
  groupID: text("Group that the units get."),
  ids: unitIDs("Units that get the group."),
  environment,
  unitType: text("ID type of the units."),
});

const groupID = text("Group that the units get, by its identifier or its name.");
const overridden = "Gates and segments whose units get a group.";
const assigned = "Units that get a group; they come before gates and segments.";

const overridesRequest = z
  .object({
    overrides: list(
      conditionalOverride.extend({ groupID, environment: environment.exactOptional() }),
    ).describe(overridden),
    userIDOverrides: list(
      unitOverride.extend({
        groupID,
        environment: environment.exactOptional(),
        unitType: z
          .string()
          .nullable()
          .describe("ID type of the units; null or absent for `userID`.")
          .exactOptional(),
      }),
    ).describe(assigned),
  })
  .exactPartial();

const experimentOverrides = z
  .object({
    ...partFields,
    overrides: list(conditionalOverride).describe(overridden),
    userIDOverrides: list(unitOverride).describe(assigned),
  })
  .describe("The units that an experiment assigns to a group, whatever their bucket.");

export type ExperimentOverridesRequest = z.output<typeof overridesRequest>;
export type ExperimentOverrides = z.output<typeof experimentOverrides>;

const onOverrides = consoleRoutes(
  "Experiments",
  "/console/v1/experiments/{id}/overrides",
  idParams,
);
const response = entityEnvelope(experimentOverrides);
const updated = {
  ...extension,
  message: "Experiment Overrides updated successfully.",
  body: overridesRequest,
  response,
};

/** Overrides of experiments. */
export const experimentOverrideRoutes = {
  readExperimentOverrides: onOverrides("GET", "", "Read the overrides of an experiment", {
    ...extension,
    message: "Experiment Overrides read successfully.",
    response,
  }),
  replaceExperimentOverrides: onOverrides(
    "POST",
    "",
    "Replace all overrides of an experiment",
    updated,
  ),
  addExperimentOverrides: onOverrides("PATCH", "", "Add overrides to an experiment", updated),
  removeExperimentOverrides: onOverrides(
    "DELETE",
    "",
    "Remove overrides from an experiment",
    updated,
  ),
} satisfies Record<string, Route>;
