import { formatCount } from "../../base/format-count.js";
import { groupBy } from "../../base/group-by.js";
import { sum } from "../../base/sum.js";
import type { ReportEvent } from "../../profile/report.js";
import { formatLeast } from "../quantities.js";
import { listFix } from "./configuration-fixes.js";
import { type Observation, quoted, quotedList, type ReportedFacts } from "./observation.js";
import { NAME_CHARACTERS_MAX, NAMES_USUAL_MAX, NAMES_WITH_IDS } from "./thresholds.js";

/** Names that one module renames. */
export const RENAMED_MAX = 200;

/** UUIDs, long hexadecimal words, and numbers: the parts that vary in a name that contains an id. */
const idPattern =
  /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b(?=[a-f]*\d)[0-9a-f]{12,}\b|\d+/gi;

/** Many names that differ only by an id, such as `Viewed /product/123`. */
export function findNamesWithIDs({
  events,
  otherEvents,
}: ReportedFacts): Observation | readonly Observation[] {
  const formOf = ({ event }: ReportEvent) => event.replaceAll(idPattern, "*");
  const varying = events.filter((one) => formOf(one) !== one.event);
  const forms = groupBy(varying, formOf);
  const found = [...forms].filter(([, names]) => names.length >= NAMES_WITH_IDS);
  if (found.length === 0) return [];
  const names = found.flatMap(([, same]) => same);
  const formNames = found.map(([form]) => form);
  const examples = names.map(({ event }) => event);
  return {
    code: "names_with_ids",
    title: `${formatLeast(names.length, "event name", otherEvents.rows > 0)} contain ids and are really ${quotedList(formNames, 3)}`,
    detail:
      `For example ${quotedList(examples, 3)}. Each would become a separate event, and most occur once. ` +
      "The module replaces the ids with *.",
    rows: sum(names, ({ rows }) => rows),
    statements:
      `const forms = new Set(${JSON.stringify(formNames.slice(0, RENAMED_MAX))});\n` +
      `const form = event.event.replaceAll(${idPattern}, "*");\n` +
      "if (forms.has(form)) event.event = form;",
  };
}

export function findTooManyNames({
  events,
  otherEvents,
}: ReportedFacts): Observation | readonly Observation[] {
  const names = events.length + (otherEvents.names ?? 0);
  if (names <= NAMES_USUAL_MAX) return [];
  return {
    code: "names_too_many",
    title: `There are ${otherEvents.names === null ? "more than " : ""}${formatCount(names)} event names`,
    detail:
      "That is too many to review, and each becomes one qualifying event. Choose the events that you " +
      "need with includeEvent, or leave out the others with excludeEvent.",
    rows: otherEvents.rows,
  };
}

/** Names that the event route refuses. */
export function findLongNames(facts: ReportedFacts): readonly Observation[] {
  return facts.events
    .filter(({ event }) => event.length > NAME_CHARACTERS_MAX)
    .map(({ event, rows }) => ({
      code: "name_too_long" as const,
      title: `An event name has ${formatCount(event.length)} characters`,
      detail:
        `Services accept at most ${formatCount(NAME_CHARACTERS_MAX)}: ${quoted(event)}. ` +
        "The line filters these events out.",
      rows,
      event,
      fix: listFix(facts, "excludeEvent", [`${[...event].slice(0, 60).join("")}*`]),
    }));
}

/** Names that are not valid for qualifying events. */
export function findRefusedNames({
  estimates,
  events,
  otherEvents,
}: ReportedFacts): Observation | readonly Observation[] {
  const refused = estimates.qualifyingEvents.filter((one) => one.refused !== undefined);
  if (refused.length === 0) return [];
  const names = new Set(refused.map(({ event }) => event));
  const reasons = refused.slice(0, 3).map((one) => `${quoted(one.event)}: ${one.refused}`);
  return {
    code: "name_refused",
    title: `${formatLeast(refused.length, "event name", otherEvents.rows > 0)} ${refused.length === 1 ? "is" : "are"} not valid for a qualifying event`,
    detail:
      `${reasons.join("; ")}. The events are exported and sent nevertheless. ` +
      "The module makes such names valid.",
    rows: sum(
      events.filter(({ event }) => names.has(event)),
      ({ rows }) => rows,
    ),
    event: refused.length === 1 ? refused[0]?.event : undefined,
    statements:
      'event.event = event.event.replaceAll(/[\\\\\\p{Cc}\\p{Cs}]+/gu, " ").trim();\n' +
      'event.event = [...event.event].slice(0, 120).join("") || "unnamed";',
  };
}
