import { z } from "zod";
import {
  activeReview,
  holdoutIDs,
  owner,
  pageQuery,
  provenance,
  reviewSettings,
  version,
} from "./common.js";
import { entityEnvelope, listEnvelope, messageEnvelope } from "./envelope.js";
import { bodyFaults, patchFaults } from "./experiment-faults.js";
import { healthCheck } from "./experiment-health.js";
import { metricDefaults, metricFields } from "./experiment-metrics.js";
import { experimentID, group, layerID, setupDefaults, setupFields } from "./experiment-setup.js";
import { statisticsDefaults, statisticsFields } from "./experiment-statistics.js";
import { warehouseDefaults, warehouseFields } from "./experiment-warehouse.js";
import { flag, list, text, textList, withRule } from "./fields.js";
import { idParams, noBody, noParams, noQuery, type Route } from "./route.js";
import { rule } from "./rule.js";

/** The fields that a create, a full update and a partial update share, each once. */
const fields = { ...setupFields, ...metricFields, ...statisticsFields, ...warehouseFields };

const writable = z.object(fields);

/** Fields without a default: absent from responses until they are given. */
const unset = {
  controlGroupID: true,
  targetExposures: true,
  fixedAnalysisDuration: true,
  defaultRollupWindow: true,
  defaultChanceToBeatThreshold: true,
  defaultSPRTPowerParam: true,
  defaultSPRTMDE: true,
  sprtBaselineMode: true,
  stratifiedSampling: true,
  identifierMappingMode: true,
  assignmentSourceName: true,
  assignmentSourceExperimentName: true,
  analysisEndTime: true,
  cohortedAnalysisDuration: true,
  scheduledReloadType: true,
} as const;

export const unsetFields = Object.keys(unset) as readonly (keyof typeof unset)[];

/** Values of the other optional fields that a create or a full update leaves out. */
export const experimentDefaults: Omit<
  z.output<typeof writable>,
  keyof typeof unset | "name" | "groups" | "status" | "creatorID" | "creatorEmail"
> = { ...setupDefaults, ...metricDefaults, ...statisticsDefaults, ...warehouseDefaults };

const patch = writable.exactPartial();

export const experimentCreate = withRule(
  patch.extend({
    name: fields.name,
    id: experimentID.exactOptional(),
    layerID: layerID.exactOptional(),
    status: z.enum(["setup"]).describe("A new experiment is in `setup`.").exactOptional(),
  }),
  bodyFaults,
);

export const experimentReplace = withRule(
  patch.extend({
    description: fields.description,
    idType: fields.idType,
    hypothesis: fields.hypothesis,
    groups: fields.groups,
    allocation: fields.allocation,
    targetingGateID: fields.targetingGateID,
    bonferroniCorrection: fields.bonferroniCorrection,
    defaultConfidenceInterval: fields.defaultConfidenceInterval,
    status: fields.status,
  }),
  bodyFaults,
);

/** Whoever applies it has to ask `experimentFaults` about the result: it sees but a part. */
export const experimentPatch = withRule(patch, patchFaults);

const time = (description: string) =>
  z.int().nullable().describe(`${description}, in ms since the epoch; null before.`);

export const experiment = writable
  .exactPartial(unset)
  .extend({
    ...provenance,
    id: experimentID,
    groups: list(group).describe("Groups, each with its identifier."),
    layerID,
    startTime: time("When it became active"),
    endTime: time("When it ended"),
    decisionTime: time("When the decision was made"),
    experimentType: text("Kind of experiment."),
    subtype: text("Kind within the kind."),
    healthCheckStatus: text("Result of all health checks."),
    healthChecks: list(healthCheck).describe("Health checks that were made."),
    isStale: flag("Whether it has been left alone for long."),
    reviewSettings,
    activeReview: activeReview.exactOptional(),
    holdoutIDs,
    version,
    externalExperimentName: text("Name of the experiment in its source."),
    owner,
    inlineTargetingRules: list(rule).describe("Rules that units have to pass to take part."),
    inlineTargetingRulesJSON: text("The same rules as JSON text."),
    summarySections: list(
      z.object({ name: text("Heading."), content: text("What stands below it.") }),
    ).describe("Sections of the written summary."),
  })
  .describe("An experiment.");

export const enableGroups = z.object({
  group_names: textList("Names of the groups to enable."),
});

export const restartAsNew = z.object({ name: fields.name.describe("Name of the new experiment.") });

export type ExperimentCreate = z.output<typeof experimentCreate>;
export type ExperimentReplace = z.output<typeof experimentReplace>;
export type ExperimentPatch = z.output<typeof experimentPatch>;
export type Experiment = z.output<typeof experiment>;

const path = "/console/v1/experiments";
const onExperiments = {
  access: "console",
  group: "Experiments",
  params: noParams,
  query: noQuery,
} as const;
const onExperiment = { ...onExperiments, params: idParams, status: 200, body: noBody } as const;
const specified = { origin: "specification" } as const;
const extension = { origin: "extension" } as const;
const updated = {
  message: "Experiment updated successfully.",
  response: entityEnvelope(experiment),
} as const;
const listed = {
  message: "Experiments listed successfully.",
  response: listEnvelope(experiment),
} as const;

/** Experiments, in the order of the specification's table. */
export const experimentRoutes = {
  createExperiment: {
    ...onExperiments,
    ...specified,
    method: "POST",
    path,
    summary: "Create an experiment",
    body: experimentCreate,
    status: 201,
    message: "Experiment created successfully.",
    response: entityEnvelope(experiment),
  },
  replaceExperiment: {
    ...onExperiment,
    ...specified,
    ...updated,
    method: "POST",
    path: `${path}/{id}`,
    summary: "Update an experiment fully",
    body: experimentReplace,
  },
  patchExperiment: {
    ...onExperiment,
    ...specified,
    ...updated,
    method: "PATCH",
    path: `${path}/{id}`,
    summary: "Update some fields of an experiment",
    body: experimentPatch,
  },
  enableExperimentGroups: {
    ...onExperiment,
    ...specified,
    ...updated,
    method: "POST",
    path: `${path}/{id}/enable_groups`,
    summary: "Enable groups of an experiment",
    body: enableGroups,
    status: 201,
  },
  restartExperimentAsNew: {
    ...onExperiment,
    ...specified,
    method: "POST",
    path: `${path}/{id}/restart_as_new`,
    summary: "Start a copy of an experiment under another name",
    body: restartAsNew,
    message: "Restart As New Experiment Success",
    response: entityEnvelope(experiment),
  },
  listExperimentVersions: {
    ...onExperiment,
    ...specified,
    ...listed,
    method: "GET",
    path: `${path}/{id}/versions`,
    summary: "List the versions of an experiment, newest first",
    query: pageQuery,
  },
  listExperiments: {
    ...onExperiments,
    ...extension,
    ...listed,
    method: "GET",
    path,
    summary: "List experiments, newest first",
    query: pageQuery,
    body: noBody,
    status: 200,
  },
  readExperiment: {
    ...onExperiment,
    ...extension,
    method: "GET",
    path: `${path}/{id}`,
    summary: "Read an experiment",
    message: "Experiment read successfully.",
    response: entityEnvelope(experiment),
  },
  deleteExperiment: {
    ...onExperiment,
    ...extension,
    method: "DELETE",
    path: `${path}/{id}`,
    summary: "Delete an experiment",
    message: "Experiment deleted successfully.",
    response: messageEnvelope,
  },
} as const satisfies Record<string, Route>;
