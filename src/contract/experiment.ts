import { z } from "zod";
import {
  activeReview,
  entityEnvelope,
  holdoutIDs,
  listEnvelope,
  owner,
  pageQuery,
  provenance,
  reviewSettings,
  version,
} from "./common.js";
import { bodyFaults, patchFaults } from "./experiment-faults.js";
import {
  experimentFields,
  experimentID,
  experimentStatuses,
  group,
  layerID,
  unset,
} from "./experiment-fields.js";
import { flag, list, text, textList, withRule } from "./fields.js";
import { archiveFields, lifecycleRoutes } from "./lifecycle-routes.js";
import { listQuery, statusFilter } from "./list-query.js";
import { consoleRoutes, extension, idParams, noParams, type Route } from "./route.js";
import { rule } from "./rule.js";

const deduplicationRate = z
  .object({
    group_id: text("Identifier of the group."),
    rate: z.number().describe("Share of duplicate units."),
    group_name: text("Name of the group."),
  })
  .exactPartial();

const metricDates = z
  .object({
    metric_name: text("Name of the metric."),
    earliest_date: z.iso.datetime({ offset: true }).describe("Start of its data, ISO 8601."),
    latest_date: z.iso.datetime({ offset: true }).describe("End of its data, ISO 8601."),
  })
  .exactPartial();

const groupHealth = z
  .object({
    groupID: text("Identifier of the group."),
    groupName: text("Name of the group."),
    status: text("Result for the group."),
    metrics: z
      .array(
        z
          .object({
            metricKey: text("Key of the metric."),
            metricTitle: text("Title of the metric."),
            status: text("Result for the metric."),
          })
          .exactPartial(),
      )
      .describe("Results of the group by metric."),
  })
  .exactPartial();

const metadata = z
  .object({
    type: text("Kind of metadata."),
    primary_id_type: text("First ID type."),
    secondary_id_type: text("Second ID type."),
    assignmentSourceID: text("Identifier of the assignment source."),
    assignmentSourceName: text("Name of the assignment source."),
    foreignExperimentID: text("Identifier of the experiment in its source."),
    lastUpdatedDs: text("Day of the last update."),
    lastPulseLoadTime: z.number().describe("Time at which results were last loaded."),
    crossoverPercent: z.number().describe("Percentage of units that were in several groups."),
    deduplication_rate: z.number().describe("Share of duplicate units."),
    deduplication_rates: z.array(deduplicationRate).describe("Share of such units for each group."),
    missingMetrics: textList("Metrics without data."),
    metrics: z.array(metricDates).describe("Days for which the metrics have data."),
    groups: z.array(groupHealth).describe("Results by group and metric."),
  })
  .exactPartial()
  .describe("Details of the result.");

/** A check of an experiment's health. Clients cannot write it. */
export const healthCheck = z
  .object({
    name: text("Name of the check."),
    description: text("Description of the check."),
    status: text("Result, e.g. `PASSED`."),
    type: text("Kind of the check, e.g. `has_checks`."),
    metadata,
  })
  .exactPartial();

const fields = experimentFields;

const writable = z.object(fields);

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

const enableGroups = z.object({
  group_names: textList("Names of the groups to enable."),
});

const disableGroups = z.object({ group_names: textList("Names of the groups to disable.") });

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
  listExperimentReferences: consoleRoutes("Gates", "/console/v1/gates/{id}", idParams)(
    "GET",
    "/experiment_references",
    "List the experiments that reference a gate",
    {
      ...extension,
      message: "Experiments listed successfully.",
      query: pageQuery,
      response: listEnvelope(experiment),
    },
  ),
  disableExperimentGroups: onExperiment(
    "POST",
    "/disable_groups",
    "Disable groups of an experiment",
    { ...step, body: disableGroups, status: 201 },
  ),
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
  ...lifecycleRoutes({
    name: "Experiment",
    title: "Experiment",
    noun: "an experiment",
    onMany: onExperiments,
    onOne: onExperiment,
    updated: updated.message,
    entity: experiment,
    query: listQuery.omit({ type: true }).extend({ status: statusFilter(experimentStatuses) }),
    specified: ["versions"],
  }),
} satisfies Record<string, Route>;
