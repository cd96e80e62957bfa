import { omitUndefined } from "../../base/omit-undefined.js";
import { sum } from "../../base/sum.js";
import { type FixStatements, fixesModule, functionsFor } from "../../output/fixes-module.js";
import { FIXES_MODULE_NAME } from "../../output/write-report.js";
import { type Finding, type Fix, severities } from "../../profile/report.js";
import { fixOf, hasTransform } from "./configuration-fixes.js";
import {
  findLongNames,
  findNamesWithIDs,
  findRefusedNames,
  findTooManyNames,
} from "./event-names.js";
import { type FindingCode, findingCodes } from "./finding-codes.js";
import {
  findAnonymousUsers,
  findEmailIDs,
  findIdentityEvents,
  findJunkIDs,
  findMissingUsers,
  findSharedDevices,
  findSharedUsers,
} from "./identity.js";
import {
  findCaps,
  findCsvNulls,
  findDuplicates,
  findFailedSources,
  findJoinedFiles,
  findMisplacedCommas,
  findMissingFields,
  findNoEvents,
  findRowsWithoutElements,
} from "./input-findings.js";
import { findNameChanges } from "./name-changes.js";
import type { Finder, Observation, ReportedFacts } from "./observation.js";
import { findOddTexts } from "./odd-texts.js";
import {
  findFutureTimes,
  findMidnights,
  findOldTimes,
  findPlaceholderTimes,
  findTimeUnits,
} from "./odd-times.js";
import { findPersonalData } from "./personal-data.js";
import { findJsonTexts, findMixedTypes, findNumberTexts } from "./property-types.js";
import { findRejects } from "./rejects.js";
import { findRenamed } from "./renamed-fields.js";
import { findLargeEvents, findLongValues } from "./sizes.js";
import { findAlikeKeys, findAlikeNames } from "./spellings.js";
import { findForTarget } from "./target.js";
import { FINDINGS_PER_CODE } from "./thresholds.js";
import { findDaylightSaving, findShiftedHours } from "./time-zone.js";
import { findUnmappedFields } from "./unmapped-fields.js";
import { findGapDays, findGapHours, findSpikeDays, findSpikeHours } from "./unusual-counts.js";
import { findVanishedFields, findVanishedProperties } from "./vanished-values.js";

/** The function that looks for each code; a function that looks for several codes runs once. */
const finders: Readonly<Record<FindingCode, Finder>> = {
  no_events: findNoEvents,
  target_names: findForTarget,
  target_metadata_large: findForTarget,
  target_values_long: findForTarget,
  target_keys_dotted: findForTarget,
  target_metadata_nested: findForTarget,
  target_users: findForTarget,
  target_days: findForTarget,
  target_repaired: findForTarget,
  source_failed: findFailedSources,
  time_unit_seconds: findTimeUnits,
  time_unit_milliseconds: findTimeUnits,
  time_unit_microseconds: findTimeUnits,
  time_unit_nanoseconds: findTimeUnits,
  time_epoch_unknown: findTimeUnits,
  field_missing: findMissingFields,
  field_renamed: findRenamed,
  field_vanished: findVanishedFields,
  commas_misplaced: findMisplacedCommas,
  files_joined: findJoinedFiles,
  rows_without_elements: findRowsWithoutElements,
  rows_rejected: findRejects,
  zone_daylight_saving: findDaylightSaving,
  zone_hours_shifted: findShiftedHours,
  times_midnight: findMidnights,
  times_future: findFutureTimes,
  times_suspicious: findPlaceholderTimes,
  times_scattered: findOldTimes,
  gap_days: findGapDays,
  gap_hours: findGapHours,
  spike_day: findSpikeDays,
  spike_hour: findSpikeHours,
  name_vanished: findNameChanges,
  name_appeared: findNameChanges,
  name_changed: findNameChanges,
  names_alike: findAlikeNames,
  names_with_ids: findNamesWithIDs,
  names_too_many: findTooManyNames,
  name_too_long: findLongNames,
  name_refused: findRefusedNames,
  users_missing: findMissingUsers,
  users_anonymous: findAnonymousUsers,
  identity_events: findIdentityEvents,
  ids_junk: findJunkIDs,
  ids_decimal: findOddTexts,
  blanks_around: findOddTexts,
  quotes_around: findOddTexts,
  csv_nulls_as_text: findCsvNulls,
  ids_emails: findEmailIDs,
  device_shared: findSharedDevices,
  user_many_devices: findSharedUsers,
  property_mixed_types: findMixedTypes,
  property_vanished: findVanishedProperties,
  property_keys_alike: findAlikeKeys,
  property_too_long: findLongValues,
  property_long: findLongValues,
  property_json_text: findJsonTexts,
  property_numbers_as_text: findNumberTexts,
  property_personal: findPersonalData,
  fields_unmapped: findUnmappedFields,
  duplicates: findDuplicates,
  event_too_large: findLargeEvents,
  cap_reached: findCaps,
};

/**
 * Returns the findings of a report, most severe first, then by rows. Pure. `modulePath` is the path of
 * the module of fixes as the configuration names it.
 */
export function findFindings(
  facts: ReportedFacts,
  modulePath = `./${FIXES_MODULE_NAME}`,
): readonly Finding[] {
  const observations = findersFor(facts).flatMap((find) => limit([find(facts)].flat()));
  const text = fixesModule(
    observations.filter((one): one is Observation & FixStatements => one.statements !== undefined),
  );
  return observations
    .map((observation) => findingOf(observation, facts, { path: modulePath, text }))
    .sort(
      (one, other) =>
        severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
        other.rows - one.rows,
    );
}

/** Returns the finders for a report. Finders that need all rows come last, and are omitted for a sample. */
function findersFor({ sample }: ReportedFacts): readonly Finder[] {
  const codes = Object.keys(finders) as FindingCode[];
  const needsAllRows = (code: FindingCode) => findingCodes[code].needsAllRows;
  const always = codes.filter((code) => !needsAllRows(code));
  const chosen = sample.share < 1 ? always : [...always, ...codes.filter(needsAllRows)];
  return [...new Set(chosen.map((code) => finders[code]))];
}

/** Keeps the first observations of each code by rows, and counts the others together. */
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
        rows: sum(hidden, ({ rows }) => rows),
      },
    ];
  });
}

interface FixesModule {
  readonly path: string;
  readonly text: string;
}

function findingOf(observation: Observation, facts: ReportedFacts, module: FixesModule): Finding {
  const { statements, fix: ownFix, ...finding } = observation;
  const fix = ownFix ?? (statements === undefined ? undefined : moduleFix(facts, module));
  const more =
    statements !== undefined && fix === undefined
      ? ` The configuration already names a transform module. Add to it:\n${functionsFor(statements)}${statements}`
      : "";
  return omitUndefined({
    ...finding,
    severity: findingCodes[observation.code].severity,
    detail: `${finding.detail}${more}`,
    fix,
  });
}

/** All findings share one module, because a configuration has one transform. */
function moduleFix(facts: ReportedFacts, { path, text }: FixesModule): Fix | undefined {
  if (hasTransform(facts)) return undefined;
  return { ...fixOf(["transform"], path, false), module: { name: FIXES_MODULE_NAME, text } };
}
