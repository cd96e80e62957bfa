import { z } from "zod";
import { entityEnvelope, partFields } from "./common.js";
import { numeric } from "./fields.js";
import { consoleRoutes, extension, idParams, type Route } from "./route.js";

const schedule = z
  .object({
    ...partFields,
    scheduledTime: z
      .int()
      .nullable()
      .describe("Time of the start, in ms since the epoch; null for none."),
  })
  .describe("The scheduled start of an experiment.");

const request = z.object({
  scheduledTime: numeric("Time of the start, in ms since the epoch; in the future.", {
    integer: true,
    min: 0,
  }),
});

export type ExperimentSchedule = z.output<typeof schedule>;

const onSchedule = consoleRoutes(
  "Experiments",
  "/console/v1/experiments/{id}/schedule_start",
  idParams,
);
const response = entityEnvelope(schedule);

/** Scheduled starts of experiments. */
export const experimentScheduleRoutes = {
  scheduleExperimentStart: onSchedule("POST", "", "Schedule the start of an experiment", {
    ...extension,
    message: "Successfully scheduled experiment start",
    body: request,
    response,
  }),
  readExperimentSchedule: onSchedule("GET", "", "Read the scheduled start of an experiment", {
    ...extension,
    message: "Experiment schedule read successfully.",
    response,
  }),
  cancelExperimentStart: onSchedule("DELETE", "", "Cancel the scheduled start of an experiment", {
    ...extension,
    message: "Experiment schedule deleted successfully.",
    response,
  }),
} satisfies Record<string, Route>;
