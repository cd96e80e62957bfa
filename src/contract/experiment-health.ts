import { z } from "zod";
import { text, textList } from "./fields.js";

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
