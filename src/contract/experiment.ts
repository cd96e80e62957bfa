import { z } from "zod";
import { activeReview, holdoutIDs, owner, provenance, reviewSettings, version } from "./common.js";
import { entityEnvelope } from "./envelope.js";
import { bodyFaults, patchFaults } from "./experiment-faults.js";
import { healthCheck } from "./experiment-health.js";
import { metricDefaults, metricFields } from "./experiment-metrics.js";
import { experimentID, group, layerID, setupDefaults, setupFields } from "./experiment-setup.js";
import { statisticsDefaults, statisticsFields } from "./experiment-statistics.js";
import { warehouseDefaults, warehouseFields } from "./experiment-warehouse.js";
import { flag, list, text, textList, withRule } from "./fields.js";
import { archiveFields, lifeRoutes } from "./life-routes.js";
import { listQuery } from "./list-query.js";
import { consoleRoutes, extension, idParams, noParams, type Route } from "./route.js";
import { rule } from "./rule.js";

/** The fields that a create, a full update and a partial update share. */
const fields = { ...setupFields, ...metricFields, ...statisticsFields, ...warehouseFields };

const writable = z.object(fields);

/** Fields without a default: absent from answers until a client sets them. */
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

/** Defaults of the other optional fields of a create and a full update. */
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

/** Checks only the patch: check the patched experiment with `experimentFaults`. */
export const experimentPatch = withRule(patch, patchFaults);

const time = (description: string) =>
  z.int().nullable().describe(`${description}, in ms since the epoch, or null.`);

export const experiment = writable
  .exactPartial(unset)
  .extend({
    ...provenance,
    id: experimentID,
    groups: list(group).describe("Groups, each with its identifier."),
    layerID,
    startTime: time("Time at which it became active"),
    endTime: time("Time of its end"),
    decisionTime: time("Time of the decision"),
    experimentType: text("Type of experiment."),
    subtype: text("Subtype of experiment."),
    healthCheckStatus: text("Result of all health checks; absent without a check.").exactOptional(),
    healthChecks: list(healthCheck).describe("Results of the health checks."),
    isStale: flag("True if it has not changed for a long time.").exactOptional(),
    reviewSettings,
    activeReview: activeReview.exactOptional(),
    holdoutIDs,
    version,
    externalExperimentName: text("Name of the experiment in its source."),
    owner,
    inlineTargetingRules: list(rule).describe("Rules that units must pass to take part."),
    inlineTargetingRulesJSON: text("`inlineTargetingRules` as JSON text."),
    summarySections: list(
      z.object({ name: text("Heading."), content: text("Text of the section.") }),
    ).describe("Sections of the written summary."),
    ...archiveFields,
  })
  .describe("An experiment.");

export const enableGroups = z.object({
  group_names: textList("Names of the groups to enable."),
});

const restartAsNew = z.object({ name: fields.name.describe("Name of the new experiment.") });

const decision = z.object({
  id: text("Identifier of the group to launch."),
  decisionReason: fields.decisionReason.exactOptional(),
  removeTargeting: flag("Remove the targeting gate.").exactOptional(),
});

const abandon = z.object({ decisionReason: fields.decisionReason }).exactPartial().optional();

export type Decision = z.output<typeof decision>;
export type ExperimentCreate = z.output<typeof experimentCreate>;
export type ExperimentReplace = z.output<typeof experimentReplace>;
export type ExperimentPatch = z.output<typeof experimentPatch>;
export type Experiment = z.output<typeof experiment>;

const path = "/console/v1/experiments";
const onExperiments = consoleRoutes("Experiments", path, noParams);
const onExperiment = consoleRoutes("Experiments", `${path}/{id}`, idParams);
const updated = {
  message: "Experiment updated successfully.",
  response: entityEnvelope(experiment),
};
const step = { ...updated, ...extension };

/** Experiments. */
export const experimentRoutes = {
  createExperiment: onExperiments("POST", "", "Create an experiment", {
    body: experimentCreate,
    status: 201,
    message: "Experiment created successfully.",
    response: entityEnvelope(experiment),
  }),
  replaceExperiment: onExperiment("POST", "", "Update an experiment fully", {
    ...updated,
    body: experimentReplace,
  }),
  patchExperiment: onExperiment("PATCH", "", "Update some fields of an experiment", {
    ...updated,
    body: experimentPatch,
  }),
  enableExperimentGroups: onExperiment("POST", "/enable_groups", "Enable groups of an experiment", {
    ...updated,
    body: enableGroups,
    status: 201,
  }),
  restartExperimentAsNew: onExperiment(
    "POST",
    "/restart_as_new",
    "Start a copy of an experiment under another name",
    {
      body: restartAsNew,
      message: "Restart As New Experiment Success",
      response: entityEnvelope(experiment),
    },
  ),
  startExperiment: onExperiment("PUT", "/start", "Start an experiment", step),
  decideExperiment: onExperiment("PUT", "/make_decision", "Launch a group of an experiment", {
    ...step,
    body: decision,
  }),
  abandonExperiment: onExperiment("PUT", "/abandon", "Abandon an experiment", {
    ...step,
    body: abandon,
  }),
  resetExperiment: onExperiment("PUT", "/reset", "Return an experiment to its setup", step),
  ...lifeRoutes({
    name: "Experiment",
    title: "Experiment",
    noun: "an experiment",
    group: "Experiments",
    path,
    idPath: "/{id}",
    params: idParams,
    updated: updated.message,
    entity: experiment,
    query: listQuery.omit({ type: true }),
    specified: ["versions"],
  }),
} satisfies Record<string, Route>;
