import { DAY_MS, formatDay, parseDay } from "../base/day.js";
import type { Experiment } from "../contract/experiment.js";
import type {
  CumulativeExposures,
  experimentResultRoutes,
  PulseResults,
  ResultGroup,
} from "../contract/experiment-results.js";
import { loggedNames } from "../evaluation/initialize-response.js";
import type { Handlers } from "../http/handler.js";
import { invalid, ServiceError } from "../http/service-error.js";
import { goodnessOfFit, SAMPLE_RATIO_P_VALUE_MIN } from "../statistics/chi-square.js";
import {
  differencePValue,
  newcombeInterval,
  type Proportion,
  rateOf,
  wilsonInterval,
} from "../statistics/proportions.js";
import type { EventStore } from "../storage/event-store.js";
import type { ExperimentCounts } from "../storage/experiment-counts.js";
import type { EntityOperations } from "./entity-operations.js";
import { experimentType } from "./experiment-states.js";

type Counts = ExperimentCounts["groups"][number];
type Reasons = { property: string; message: string }[];
type Comparison = ResultGroup["comparison"];

/** The conversion that is asked for. */
interface Metric {
  readonly event: string | undefined;
  readonly windowDays: number | undefined;
}

/** Returns the handlers of the results of experiments, which are computed at each request. */
export function experimentResultHandlers(
  operations: EntityOperations,
  events: Pick<EventStore, "countExperiment">,
  now: () => number,
): Handlers<typeof experimentResultRoutes> {
  async function count(experiment: Experiment, { event, windowDays }: Metric) {
    const { id, idType, groups } = experiment;
    return events.countExperiment({
      experimentID: id,
      loggedNames: loggedNames(id),
      groupIDs: groups.map((group) => group.id),
      idType,
      startTime: startOf(experiment),
      // Clocks of devices differ, but an event of another year was not made there.
      endTime: now() + DAY_MS,
      event,
      windowMs: windowDays === undefined ? undefined : windowDays * DAY_MS,
    });
  }

  return {
    async readCumulativeExposures({ params: { id } }) {
      const experiment = await operations.get(experimentType, id);
      const counts = await count(experiment, { event: undefined, windowDays: undefined });
      return { content: { data: cumulative(experiment, counts) } };
    },

    async readPulseResults({ params: { id }, query: { event, windowDays, control } }) {
      const experiment = await operations.get(experimentType, id);
      if (event === undefined && windowDays !== undefined) {
        throw invalid([{ property: "windowDays", errorMessage: "Needs `event`" }]);
      }
      const metric = { event, windowDays };
      const controlGroupID = controlOf(experiment, control);
      const counts = await count(experiment, metric);
      return { content: { data: pulseResults(experiment, counts, metric, controlGroupID) } };
    },
  };
}

function startOf({ id, startTime }: Experiment): number {
  if (startTime !== null) return startTime;
  throw new ServiceError({
    status: 400,
    message: `Experiment ${id} has no start: it has results after it was started.`,
  });
}

/** Returns the group of the query, else that of the experiment, else the first one. Null without groups. */
function controlOf(
  { groups, controlGroupID }: Experiment,
  given: string | undefined,
): string | null {
  const ids = groups.map(({ id }) => id);
  if (given !== undefined && !ids.includes(given)) {
    const errorMessage = `The experiment has no group ${given}: it has ${ids.join(", ")}`;
    throw invalid([{ property: "control", errorMessage }]);
  }
  const own = ids.find((id) => id === controlGroupID);
  return given ?? own ?? ids[0] ?? null;
}

function cumulative({ groups }: Experiment, counts: ExperimentCounts): CumulativeExposures {
  const days = counts.groups.flatMap(({ firstExposures }) =>
    firstExposures.map(({ day }) => parseDay(day)),
  );
  const first = days.reduce((least, day) => Math.min(least, day), Number.POSITIVE_INFINITY);
  const last = days.reduce((greatest, day) => Math.max(greatest, day), Number.NEGATIVE_INFINITY);
  return groups.map(({ id, name }, index) => {
    const firstExposures = counts.groups[index]?.firstExposures ?? [];
    const unitsOf = new Map(firstExposures.map(({ day, units }) => [day, units]));
    const results: { date: string; exposures: number }[] = [];
    let exposures = 0;
    for (let day = first; day <= last; day += 1) {
      const date = formatDay(day);
      exposures += unitsOf.get(date) ?? 0;
      results.push({ date, exposures });
    }
    return { groupID: id, groupName: name, results };
  });
}

function pulseResults(
  experiment: Experiment,
  counts: ExperimentCounts,
  metric: Metric,
  controlGroupID: string | null,
): PulseResults {
  const { id, idType, groups } = experiment;
  const reasons: Reasons = [];
  const hasEvent = metric.event !== undefined;
  const control = groups.findIndex((group) => group.id === controlGroupID);
  const controlCounts = counts.groups[control];
  const shown = groups.map((group, index): ResultGroup => {
    const found = counts.groups[index] ?? { units: 0, firstExposures: [], convertedUnits: 0 };
    const path = `groups[${index}]`;
    const isCompared = hasEvent && index !== control && controlCounts !== undefined;
    return {
      groupID: group.id,
      groupName: group.name,
      size: Number(group.size),
      units: found.units,
      firstExposures: found.firstExposures.map(({ day, units }) => ({ date: day, units })),
      conversion: hasEvent ? conversionOf(found, `${path}.conversion`, reasons) : null,
      comparison: isCompared
        ? comparisonOf(found, controlCounts, `${path}.comparison`, reasons)
        : null,
    };
  });
  return {
    experimentID: id,
    idType,
    startTime: startOf(experiment),
    controlGroupID,
    event: metric.event ?? null,
    windowDays: metric.windowDays ?? null,
    crossoverUnits: counts.crossoverUnits,
    exposuresWithoutUnitID: counts.exposuresWithoutUnitID,
    groups: shown,
    sampleRatio: sampleRatioOf(shown, reasons),
    reasons,
  };
}

function proportionOf({ units, convertedUnits }: Counts): Proportion {
  return { count: convertedUnits, total: units };
}

function conversionOf(counts: Counts, path: string, reasons: Reasons): ResultGroup["conversion"] {
  const units = counts.convertedUnits;
  if (counts.units === 0) {
    const message = "The group has no units";
    for (const name of ["rate", "confidenceInterval"]) {
      reasons.push({ property: `${path}.${name}`, message });
    }
    return { units, rate: null, confidenceInterval: null };
  }
  const proportion = proportionOf(counts);
  return { units, rate: rateOf(proportion), confidenceInterval: wilsonInterval(proportion) };
}

function comparisonOf(
  testCounts: Counts,
  controlCounts: Counts,
  path: string,
  reasons: Reasons,
): Comparison {
  const missing = (name: string, message: string) => {
    reasons.push({ property: `${path}.${name}`, message });
    return null;
  };
  if (testCounts.units === 0 || controlCounts.units === 0) {
    const message = `The ${testCounts.units === 0 ? "group" : "control"} has no units`;
    return {
      absoluteChange: missing("absoluteChange", message),
      confidenceInterval: missing("confidenceInterval", message),
      percentChange: missing("percentChange", message),
      pValue: missing("pValue", message),
    };
  }
  const [test, control] = [proportionOf(testCounts), proportionOf(controlCounts)];
  const absoluteChange = rateOf(test) - rateOf(control);
  return {
    absoluteChange,
    confidenceInterval: newcombeInterval(test, control),
    percentChange:
      control.count === 0
        ? missing("percentChange", "The control has no conversion")
        : (100 * absoluteChange) / rateOf(control),
    pValue:
      differencePValue(test, control) ??
      missing("pValue", `${test.count === 0 ? "No unit" : "Every unit"} of both groups converted`),
  };
}

/** Allocation lowers the units of all groups alike, so that their shares are their sizes. */
function sampleRatioOf(
  groups: readonly ResultGroup[],
  reasons: Reasons,
): PulseResults["sampleRatio"] {
  const sized = groups.filter(({ size }) => size > 0);
  const fit = goodnessOfFit(sized.map(({ size, units }) => ({ units, share: size })));
  if (fit === undefined) {
    const message =
      sized.length < 2
        ? "Fewer than two groups have a size"
        : "A group is expected to have fewer than 5 units: too few for the test";
    reasons.push({ property: "sampleRatio", message });
    return null;
  }
  const { expected, ...figures } = fit;
  return {
    ...figures,
    isMismatch: fit.pValue < SAMPLE_RATIO_P_VALUE_MIN,
    groups: sized.map(({ groupID, units }, index) => ({
      groupID,
      units,
      expectedUnits: expected[index] as number,
    })),
  };
}
