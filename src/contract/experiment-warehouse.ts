import { z } from "zod";
import { flag, list, numeric, text, textList } from "./fields.js";

const identifierMappingModes = [
  "strictOneToOne",
  "firstTouchOneToMany",
  "lastTouchOneToMany",
] as const;

const scheduledReloadTypes = ["full", "incremental"] as const;

const days = (description: string) => numeric(description, { integer: true, above: 1 });

/** Fields for experiments that are analysed in a warehouse. */
export const warehouseFields = {
  secondaryIDType: z.string().nullable().describe("Second ID type, for identity resolution."),
  identifierMappingMode: z
    .enum(identifierMappingModes)
    .describe("Method to match identifiers of the two types."),
  identityResolutionSource: z
    .string()
    .nullable()
    .describe("Entity property source for identity resolution."),
  assignmentSourceName: text("Name of the assignment source."),
  assignmentSourceExperimentName: text("Name of the experiment in that source."),
  assignmentSourceFilters: list(
    z.object({
      condition: text("Comparison, e.g. `in`."),
      column: text("Column to compare."),
      values: textList("Values to compare with."),
    }),
  ).describe("Filters on the assignments of the source."),
  isAnalysisOnly: z
    .boolean()
    .nullable()
    .describe("True if units are assigned elsewhere and only results are computed here."),
  analysisEndTime: text("End of the analysis of an analysis-only experiment."),
  allocationDuration: days("Number of days in which units are allocated.").nullable(),
  cohortedAnalysisDuration: days("Number of days to analyse for each unit."),
  cohortedMetricsMatureAfterEnd: flag("True if cohorted metrics mature after the end."),
  cohortWaitUntilEndToInclude: flag("True if units count only after all their days of analysis."),
  scheduledReloadHour: numeric("Hour of scheduled reloads in UTC.", {
    integer: true,
    min: 0,
    max: 23,
  }).nullable(),
  scheduledReloadType: z.enum(scheduledReloadTypes).describe("Kind of scheduled reloads."),
  scheduledReloadDays: list(numeric("A weekday; 0 is Sunday.", { integer: true, min: 0, max: 6 }))
    .nullable()
    .describe("Weekdays of scheduled reloads; null for all days."),
  turboMode: flag("True if scheduled reloads run in turbo mode."),
  preComputedUserDimensions: list(
    z.object({ name: text("Name."), propertySource: text("Source of the dimension.") }),
  ).describe("User dimensions that are computed in advance."),
};

/** Defaults of the fields above. Fields without a default stay unset. */
export const warehouseDefaults = {
  secondaryIDType: null,
  identityResolutionSource: null,
  assignmentSourceFilters: [],
  isAnalysisOnly: null,
  allocationDuration: null,
  cohortedMetricsMatureAfterEnd: false,
  cohortWaitUntilEndToInclude: false,
  scheduledReloadHour: null,
  scheduledReloadDays: null,
  turboMode: false,
  preComputedUserDimensions: [],
};
