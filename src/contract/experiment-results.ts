import { z } from "zod";
import { messageEnvelope, queryNumber } from "./common.js";
import { eventName } from "./event.js";
import { flag, list, text } from "./fields.js";
import { consoleRoutes, extension, idParams, type Route } from "./route.js";

/** Days of the longest window of a conversion. */
const WINDOW_DAYS_MAX = 365;

const count = (description: string) => z.int().describe(description);
const date = text("UTC day, YYYY-MM-DD.");
const groupID = text("Identifier of the group.");
const groupName = text("Name of the group.");

const interval = z
  .object({
    lower: z.number().describe("Lower end; belongs to the interval."),
    upper: z.number().describe("Upper end; belongs to the interval."),
  })
  .nullable();

const cumulativeExposures = messageEnvelope.extend({
  data: list(
    z.object({
      groupID,
      groupName,
      results: list(
        z.object({
          date,
          exposures: count("Units whose first exposure was on or before the day."),
        }),
      ).describe("Every day from the first exposure of any group to the last one."),
    }),
  ).describe("The groups, in the order of the experiment."),
});

const conversion = z
  .object({
    units: count("Units with a conversion at or after their first exposure."),
    rate: z.number().nullable().describe("Share of the units of the group."),
    confidenceInterval: interval.describe("95 % interval of the rate: Wilson's score interval."),
  })
  .nullable()
  .describe("Conversions of the group; null without `event`.");

const comparison = z
  .object({
    absoluteChange: z.number().nullable().describe("Rate of the group minus rate of the control."),
    confidenceInterval: interval.describe(
      "95 % interval of the change: Newcombe's hybrid score interval.",
    ),
    percentChange: z.number().nullable().describe("Change in percent of the rate of the control."),
    pValue: z.number().nullable().describe("Two-sided p-value of the z-test of two proportions."),
  })
  .nullable()
  .describe("The group compared with the control; null for the control and without `event`.");

const resultGroup = z.object({
  groupID,
  groupName,
  size: z.number().describe("Size in percent."),
  units: count("Units whose exposures are all to this group."),
  firstExposures: list(
    z.object({ date, units: count("Units first exposed on the day.") }),
  ).describe("Units by the day of their first exposure; days without one are left out."),
  conversion,
  comparison,
});

const sampleRatio = z
  .object({
    chiSquare: z.number().describe("Pearson's statistic."),
    degreesOfFreedom: count("Groups of the test minus one."),
    pValue: z.number().describe("Probability of such a difference, or a larger one, by chance."),
    isMismatch: flag("True if the p-value is below 0.001: do not trust the comparisons."),
    groups: list(
      z.object({
        groupID,
        units: count("Units of the group."),
        expectedUnits: z.number().describe("Units that its size promises."),
      }),
    ).describe("The groups that have a size."),
  })
  .nullable()
  .describe("Units of the groups compared with their sizes.");

const pulseResults = messageEnvelope.extend({
  data: z
    .object({
      experimentID: text("Identifier of the experiment."),
      idType: text("Type of ID of a unit."),
      startTime: z
        .int()
        .describe("Start of the experiment, in ms; earlier exposures do not count."),
      controlGroupID: z.string().nullable().describe("Group that the others are compared with."),
      event: z.string().nullable().describe("Name of the event that is a conversion, or null."),
      windowDays: z.int().nullable().describe("Window of a conversion in days; null for none."),
      crossoverUnits: count("Units exposed to several groups; they are in no group."),
      exposuresWithoutUnitID: count("Exposures of users without an ID of the type."),
      groups: list(resultGroup).describe("The groups, in the order of the experiment."),
      sampleRatio,
      reasons: list(
        z.object({ property: text("Field that is null."), message: text("Why it is null.") }),
      ).describe("Why values are null."),
    })
    .describe("The results."),
});

export type CumulativeExposures = z.output<typeof cumulativeExposures>["data"];
export type PulseResults = z.output<typeof pulseResults>["data"];
export type ResultGroup = z.output<typeof resultGroup>;

const query = z
  .object({
    event: eventName.describe("Name of the event that is a conversion; none by default."),
    windowDays: queryNumber(
      "Days after its first exposure in which a unit can convert; no limit by default. Needs `event`.",
      1,
      WINDOW_DAYS_MAX,
    ),
    control: text(
      "Identifier of the group to compare with; by default the control group of the experiment, else its first group.",
    ),
  })
  .exactPartial();

const onExperiment = consoleRoutes("Experiments", "/console/v1/experiments/{id}", idParams);

/** Results of experiments, computed from stored events. */
export const experimentResultRoutes = {
  readCumulativeExposures: onExperiment(
    "GET",
    "/cumulative_exposures",
    "Count the exposed units of an experiment by group and day",
    {
      ...extension,
      message: "Cumulative exposures read successfully.",
      response: cumulativeExposures,
    },
  ),
  readPulseResults: onExperiment(
    "GET",
    "/pulse_results",
    "Compare the conversions of the groups of an experiment",
    { ...extension, message: "Pulse results read successfully.", query, response: pulseResults },
  ),
} satisfies Record<string, Route>;
