import { z } from "zod";
import { creatorEmail, creatorID, idType, tags, targetApps, team, teamID } from "./common.js";
import {
  descriptionText,
  flag,
  jsonObject,
  list,
  nameLike,
  numeric,
  text,
  textList,
} from "./fields.js";
import { jsonFault, VALUE_DEPTH_MAX } from "./json-text.js";

export const experimentStatuses = [
  "active",
  "setup",
  "decision_made",
  "abandoned",
  "archived",
  "experiment_stopped",
  "assignment_stopped",
] as const;

export type ExperimentStatus = (typeof experimentStatuses)[number];

/** The id that no experiment can have, because it is part of the path of qualifying events. */
export const RESERVED_EXPERIMENT_ID = "qualifying_events";

export const experimentID = nameLike(
  /^[a-zA-Z0-9_-]*$/,
  `Name ID; derived from the name by default. \`${RESERVED_EXPERIMENT_ID}\` is reserved.`,
);

export const layerID = z.string().nullable().describe("Layer of the experiment.");

/** Refuses values that JSON cannot represent: 1e400 would come back as null. */
const parameterValues = jsonObject("Values that the units of the group get.").check(
  ({ value, issues }) => {
    const fault = jsonFault(value, VALUE_DEPTH_MAX);
    if (fault !== undefined) issues.push({ code: "custom", message: fault, input: value });
  },
);

const groupRequest = z.object({
  name: text("Name of the group."),
  size: numeric("Percentage of the experiment's units.", { min: 0, max: 100 }),
  parameterValues: parameterValues.exactOptional(),
  id: text("Identifier of the group; generated if it is empty or absent.").exactOptional(),
  disabled: flag("True if the group gets no units.").exactOptional(),
  description: text("Purpose of the group.").exactOptional(),
  foreignGroupID: text("Identifier of the group in its source.").exactOptional(),
  highlighted: flag("True if the group is highlighted.").exactOptional(),
});

/** A group in a response: always with its identifier. */
export const group = groupRequest.extend({ id: text("Identifier of the group.") });

export type GroupRequest = z.output<typeof groupRequest>;
export type Group = z.output<typeof group>;

const days = (description: string) => numeric(description, { integer: true, above: 1 });

/** Fields for the setup, the units and the state of an experiment. */
export const setupFields = {
  name: nameLike(/^[a-zA-Z0-9_\- ]*$/, "Display name."),
  description: descriptionText,
  idType,
  hypothesis: text("Statement that the experiment tests."),
  links: list(
    z.object({ url: text("Address."), title: text("Title of the page.").exactOptional() }),
  ).describe("Links about the experiment."),
  externalEvents: list(
    z.object({
      name: text("Name of the event."),
      timestamp: numeric("Time of the event, in ms since the epoch.", { integer: true }),
    }),
  ).describe("External events that may affect the results."),
  groups: list(groupRequest).describe("Groups; their sizes add up to at most 100."),
  controlGroupID: text("Group that the other groups are compared with."),
  allocation: numeric("Percentage of the layer that is allocated.", { min: 0, max: 100 }),
  userBuckets: list(numeric("A bucket.", { min: 0, below: 1_000 })).describe(
    "Buckets of the units that take part.",
  ),
  targetApps,
  tags,
  duration: days("Expected length in days."),
  targetExposures: numeric("Expected number of exposures.", { integer: true, above: 1 }),
  targetingGateID: z
    .string()
    .nullable()
    .describe("Gate that units must pass to take part; null for all units."),
  status: z.enum(experimentStatuses).describe("State of the experiment."),
  launchedGroupID: z.string().nullable().describe("Launched group, or null."),
  creatorID,
  creatorEmail,
  team,
  teamID,
  fixedAnalysisDuration: days("Number of days to analyse."),
  isSidecar: flag("True for a sidecar experiment."),
  decisionReason: text("Notes on the decision."),
  enabledNonProdEnvironments: textList("Environments besides production."),
};

/** Defaults of the optional fields above. */
export const setupDefaults = {
  description: "",
  idType: "userID",
  hypothesis: "",
  links: [],
  externalEvents: [],
  allocation: 100,
  userBuckets: [],
  targetApps: [],
  tags: [],
  duration: 14,
  targetingGateID: null,
  launchedGroupID: null,
  team: null,
  teamID: null,
  isSidecar: false,
  decisionReason: "",
  enabledNonProdEnvironments: [],
};
