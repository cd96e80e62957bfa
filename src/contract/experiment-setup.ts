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

/** The one id that no experiment can have: the path of the qualifying events ends with it. */
export const RESERVED_EXPERIMENT_ID = "qualifying_events";

export const experimentID = nameLike(
  /^[a-zA-Z0-9_-]*$/,
  `Name ID; made from the name when it is left out. \`${RESERVED_EXPERIMENT_ID}\` is reserved.`,
);

export const layerID = z.string().nullable().describe("Layer that the experiment is placed in.");

/** What JSON cannot keep would come back as something else: 1e400 as null. */
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
  id: text("Identifier of the group; generated where it is empty or left out.").exactOptional(),
  disabled: flag("Whether the group takes no units.").exactOptional(),
  description: text("What the group is for.").exactOptional(),
  foreignGroupID: text("Identifier of the group in its source.").exactOptional(),
  highlighted: flag("Whether the group is shown highlighted.").exactOptional(),
});

/** A group in a response: always with its identifier. */
export const group = groupRequest.extend({ id: text("Identifier of the group.") });

export type GroupRequest = z.output<typeof groupRequest>;
export type Group = z.output<typeof group>;

const days = (description: string) => numeric(description, { integer: true, above: 1 });

/** Fields that say what an experiment is, whom it concerns and where it stands, each once. */
export const setupFields = {
  name: nameLike(/^[a-zA-Z0-9_\- ]*$/, "Display name."),
  description: descriptionText,
  idType,
  hypothesis: text("Statement that the experiment tests."),
  links: list(
    z.object({ url: text("Address."), title: text("What is found there.").exactOptional() }),
  ).describe("Where more is written about the experiment."),
  externalEvents: list(
    z.object({
      name: text("Name of the event."),
      timestamp: numeric("When it happened, in ms since the epoch.", { integer: true }),
    }),
  ).describe("Events from outside that may show in the results."),
  groups: list(groupRequest).describe("Groups; their sizes add up to at most 100."),
  controlGroupID: text("Group that the others are compared with."),
  allocation: numeric("Percentage of the layer that is allocated.", { min: 0, max: 100 }),
  userBuckets: list(numeric("A bucket.", { min: 0, below: 1_000 })).describe(
    "Buckets of units that take part.",
  ),
  targetApps,
  tags,
  duration: days("Expected length in days."),
  targetExposures: numeric("Expected number of exposures.", { integer: true, above: 1 }),
  targetingGateID: z
    .string()
    .nullable()
    .describe("Gate that units have to pass to take part; null for all units."),
  status: z.enum(experimentStatuses).describe("State of the experiment."),
  launchedGroupID: z.string().nullable().describe("Group that was launched; null while none is."),
  creatorID,
  creatorEmail,
  team,
  teamID,
  fixedAnalysisDuration: days("Days that are analysed."),
  isSidecar: flag("Whether it is a sidecar experiment."),
  decisionReason: text("Notes after completion."),
  enabledNonProdEnvironments: textList("Environments besides production that it runs in."),
};

/** Values of the optional fields above that a create or a full update leaves out. */
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
