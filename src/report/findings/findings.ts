import { MEND_MODULE_NAME } from "../../pipeline/report/write-report.js";
import { type Finding, type Fix, severities } from "../../profile/report.js";
import { findCaps } from "./caps.js";
import { findDuplicates } from "./duplicates.js";
import {
  findAlikeNames,
  findLongNames,
  findNamesWithIDs,
  findRefusedNames,
  findTooManyNames,
} from "./event-names.js";
import { findLargeEvents } from "./event-sizes.js";
import { findNameChanges } from "./event-times.js";
import { findingCodes } from "./finding-codes.js";
import { fixOf } from "./fix.js";
import { findGapDays, findGapHours } from "./gaps.js";
import { findEmailIDs, findJunkIDs, findMissingUsers } from "./identity.js";
import { mendModule } from "./mend-module.js";
import type { Facts, Finder, Observation } from "./observation.js";
import { findPersonalData } from "./personal-data.js";
import { findAlikeKeys } from "./property-keys.js";
import { findLongValues } from "./property-sizes.js";
import { findJsonTexts, findMixedTypes, findNumberTexts } from "./property-types.js";
import { hasTransform } from "./recorded-options.js";
import { findRejects } from "./rejects.js";
import { findSharedDevices, findSharedUsers } from "./shared-ids.js";
import { findFailedSources, findNoEvents } from "./sources.js";
import { findSpikeDays, findSpikeHours } from "./spikes.js";
import { FINDINGS_PER_CODE } from "./thresholds.js";
import {
  findFutureTimes,
  findMidnights,
  findScatteredTimes,
  findSuspiciousTimes,
} from "./time-moments.js";
import { findTimeUnits } from "./time-unit.js";
import { findDaylightSaving, findShiftedHours } from "./time-zone.js";

const finders: readonly Finder[] = [
  findNoEvents,
  findFailedSources,
  findTimeUnits,
  findRejects,
  findShiftedHours,
  findMidnights,
  findFutureTimes,
  findSuspiciousTimes,
  findAlikeNames,
  findNamesWithIDs,
  findTooManyNames,
  findLongNames,
  findRefusedNames,
  findMissingUsers,
  findJunkIDs,
  findEmailIDs,
  findSharedDevices,
  findSharedUsers,
  findMixedTypes,
  findAlikeKeys,
  findLongValues,
  findJsonTexts,
  findNumberTexts,
  findPersonalData,
  findDuplicates,
  findLargeEvents,
  findCaps,
];

/** What is missing from a sample may well be in the export: these look at all rows or not at all. */
const findersOfAllRows: readonly Finder[] = [
  findDaylightSaving,
  findScatteredTimes,
  findGapDays,
  findGapHours,
  findSpikeDays,
  findSpikeHours,
  findNameChanges,
];

/**
 * Everything that somebody should know of a report: most severe first, then by rows. Pure.
 * `modulePath` is where the module of fixes is written to, as the configuration has to name it.
 */
export function findFindings(
  facts: Facts,
  modulePath = `./${MEND_MODULE_NAME}`,
): readonly Finding[] {
  const looking = facts.sample.share < 1 ? finders : [...finders, ...findersOfAllRows];
  const observations = looking.flatMap((find) => limit(find(facts)));
  const text = mendModule(observations);
  return observations
    .map((observation) => findingOf(observation, facts, { path: modulePath, text }))
    .sort(
      (one, other) =>
        severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
        other.rows - one.rows,
    );
}

/** Of each code the first ones by rows; what is left is told together. */
function limit(observations: readonly Observation[]): readonly Observation[] {
  const codes = [...new Set(observations.map(({ code }) => code))];
  return codes.flatMap((code) => {
    const same = observations.filter((one) => one.code === code);
    if (same.length <= FINDINGS_PER_CODE) return same;
    const sorted = [...same].sort((one, other) => other.rows - one.rows);
    const hidden = sorted.slice(FINDINGS_PER_CODE);
    return [
      ...sorted.slice(0, FINDINGS_PER_CODE),
      {
        code,
        title: `${hidden.length} more of this kind`,
        detail: hidden
          .map(({ title }) => title)
          .join("; ")
          .slice(0, 1_000),
        rows: hidden.reduce((sum, { rows }) => sum + rows, 0),
      },
    ];
  });
}

interface MendModule {
  readonly path: string;
  readonly text: string;
}

function findingOf(observation: Observation, facts: Facts, module: MendModule): Finding {
  const { mend, fix: ownFix, ...finding } = observation;
  const fix = ownFix ?? (mend === undefined ? undefined : moduleFix(facts, module));
  const more =
    mend !== undefined && fix === undefined
      ? ` There is a transform module already: add to it\n${mend}`
      : "";
  return {
    ...finding,
    severity: findingCodes[observation.code],
    detail: `${finding.detail}${more}`,
    ...(fix === undefined ? {} : { fix }),
  };
}

/** One module mends all: a configuration has one transform. */
function moduleFix(facts: Facts, { path, text }: MendModule): Fix | undefined {
  if (hasTransform(facts)) return undefined;
  return {
    ...fixOf(["transform"], path, false),
    module: { name: MEND_MODULE_NAME, text },
  };
}
