import { z } from "zod";
import { text, textList } from "./fields.js";

const deduplicationRate = z
  .object({
    group_id: text("Identifier of the group."),
    rate: z.number().describe("Share of units that were found twice."),
    group_name: text("Name of the group."),
  })
  .exactPartial();

const metricDates = z
  .object({
    metric_name: text("Name of the metric."),
    earliest_date: z.iso.datetime({ offset: true }).describe("When its data begin, ISO 8601."),
    latest_date: z.iso.datetime({ offset: true }).describe("When its data end, ISO 8601."),
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
    lastPulseLoadTime: z.number().describe("When results were loaded last."),
    crossoverPercent: z.number().describe("Percentage of units that were in several groups."),
    deduplication_rate: z.number().describe("Share of units that were found twice."),
    deduplication_rates: z.array(deduplicationRate).describe("The same for each group."),
    missingMetrics: textList("Metrics without data."),
    metrics: z.array(metricDates).describe("Days that the metrics have data for."),
    groups: z.array(groupHealth).describe("Results by group and metric."),
  })
  .exactPartial()
  .describe("What was found, as far as the check tells it.");

/** One check of an experiment's health: shown alone, never written by clients. */
export const healthCheck = z
  .object({
    name: text("Name of the check."),
    description: text("What the check looks at."),
    status: text("Result, e.g. `PASSED`."),
    type: text("Kind of the check, e.g. `has_checks`."),
    metadata,
  })
  .exactPartial();
