import { z } from "zod";
import { flag, list, numeric, text, textList } from "./fields.js";

const identifierMappingModes = [
  "strictOneToOne",
  "firstTouchOneToMany",
  "lastTouchOneToMany",
] as const;

const scheduledReloadTypes = ["full", "incremental"] as const;

const days = (description: string) => numeric(description, { integer: true, above: 1 });

/** Fields of experiments that are analysed in a warehouse, each once. */
export const warehouseFields = {
  secondaryIDType: z.string().nullable().describe("Second ID type, for identity resolution."),
  identifierMappingMode: z
    .enum(identifierMappingModes)
    .describe("How identifiers of the two types are matched."),
  identityResolutionSource: z
    .string()
    .nullable()
    .describe("Entity property source that identities are resolved by."),
  assignmentSourceName: text("Name of the source that assignments come from."),
  assignmentSourceExperimentName: text("Name of the experiment in that source."),
  assignmentSourceFilters: list(
    z.object({
      condition: text("How the column is compared, e.g. `in`."),
      column: text("Column that is looked at."),
      values: textList("Values that it is compared with."),
    }),
  ).describe("Assignments that are taken from the source."),
  isAnalysisOnly: z
    .boolean()
    .nullable()
    .describe("Whether assignment happens elsewhere and results alone are made here."),
  analysisEndTime: text("When the analysis of such an experiment ends."),
  allocationDuration: days("Days in which units are allocated.").nullable(),
  cohortedAnalysisDuration: days("Days of each unit that are analysed."),
  cohortedMetricsMatureAfterEnd: flag("Whether cohorted metrics mature after the end."),
  cohortWaitUntilEndToInclude: flag(
    "Whether units count only once their days of analysis are complete.",
  ),
  scheduledReloadHour: numeric("Hour of scheduled reloads in UTC.", {
    integer: true,
    min: 0,
    max: 23,
  }).nullable(),
  scheduledReloadType: z.enum(scheduledReloadTypes).describe("What scheduled reloads compute."),
  scheduledReloadDays: list(numeric("A weekday; 0 is Sunday.", { integer: true, min: 0, max: 6 }))
    .nullable()
    .describe("Weekdays of scheduled reloads; null for all days."),
  turboMode: flag("Whether scheduled reloads run in turbo mode."),
  preComputedUserDimensions: list(
    z.object({ name: text("Name."), propertySource: text("Source that it is read from.") }),
  ).describe("Dimensions of users that are computed ahead."),
};

/** Values of the fields above that a create or a full update leaves out; the others stay unset. */
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
