import { formatCount } from "../../base/format-count.js";
import { formatShare } from "../../base/format-share.js";
import type { Fix, TargetReport } from "../../profile/report.js";
import { type Repair, repairs } from "../../target/target-rules.js";
import { formatLeast, formatNumberOf } from "../quantities.js";
import { fixOf } from "./configuration-fixes.js";
import type { FindingCode } from "./finding-codes.js";
import { type Observation, quoted, type ReportedFacts } from "./observation.js";

type Rule = TargetReport["rules"][number];
type RuleName = Rule["rule"];

/** Names that a finding shows, with their counts. */
const SHOWN = 5;

/** The finding of each rule: its code, its repair, and what the target does with the events. */
const rows: Readonly<Record<RuleName, RuleRow>> = {
  name: {
    code: "target_names",
    repair: "names",
    does: ({ title }) => `would be dropped by ${title}: the name is not valid there`,
  },
  size: {
    code: "target_metadata_large",
    does: ({ title }) => `would be dropped by ${title}: the metadata is too large`,
    advice: "Remove long properties with drop.",
  },
  value: {
    code: "target_values_long",
    repair: "values",
    does: ({ title, has }) => `${has} a value that is longer than ${title} stores`,
    advice: "With the line, such events are rejected and kept.",
  },
  dots: {
    code: "target_keys_dotted",
    repair: "metadata",
    does: ({ title, has }) =>
      `${has} metadata keys with a dot, whose values ${title} reads as null`,
  },
  nested: {
    code: "target_metadata_nested",
    repair: "metadata",
    does: ({ title, has }) => `${has} nested metadata, which ${title} stores as text`,
  },
  user: {
    code: "target_users",
    repair: "users",
    does: ({ title, has }) => `${has} user properties where ${title} does not look for them`,
  },
  day: {
    code: "target_days",
    repair: "days",
    does: ({ title, is }) => `${is} on another day for ${title} than in the day directories`,
  },
};

interface RuleRow {
  readonly code: FindingCode;
  /** Absent if nothing repairs it. */
  readonly repair?: Repair;
  does(words: Words): string;
  readonly advice?: string;
}

/** The words of a sentence about one event or several. */
interface Words {
  readonly title: string;
  readonly has: "has" | "have";
  readonly is: "is" | "are";
}

function wordsFor(events: number, { title }: TargetReport): Words {
  return events === 1 ? { title, has: "has", is: "is" } : { title, has: "have", is: "are" };
}

/** Events that the target would drop or change, one finding for each rule; and those that are repaired. */
export function findForTarget(facts: ReportedFacts): readonly Observation[] {
  const { target } = facts;
  if (target === undefined) return [];
  // An export would end with `names_too_many`.
  const isTold = (rule: Rule) => rule.isRepaired && rule.moreNames !== true;
  const broken = target.rules.filter((rule) => !isTold(rule));
  const repaired = target.rules.filter(isTold);
  return [
    ...broken.map((rule) => describeRule(rule, target)),
    ...(repaired.length === 0 ? [] : [describeRepaired(repaired, target)]),
  ];
}

const TOO_MANY =
  "These are too many to be repaired: they hold ids or times. Move these into a property with a transform.";

function describeRule(rule: Rule, target: TargetReport): Observation {
  const { code, repair, advice } = rows[rule.rule];
  const share = formatShare(rule.events, target.events);
  const sources = rule.sources.length === 0 ? "" : ` See ${rule.sources.join(", ")}.`;
  const pieces = [
    namesText(rule),
    rule.moreNames ? TOO_MANY : advice,
    `That is ${share} of the events.${sources}`,
  ];
  return {
    code,
    title: `${formatNumberOf(rule.events, "event")} ${ruleText(rule, target)}`,
    detail: pieces.filter((piece) => piece !== undefined).join(" "),
    rows: rule.events,
    fix: repair === undefined || rule.moreNames ? undefined : repairFix(target),
  };
}

function describeRepaired(rules: readonly Rule[], target: TargetReport): Observation {
  const parts = rules.map(
    (rule) => `${formatNumberOf(rule.events, "event")} that ${ruleText(rule, target)}`,
  );
  const names = rules.map(namesText).filter((text) => text !== undefined);
  return {
    code: "target_repaired",
    title: `Events are repaired for ${target.title}`,
    detail: [`The repair takes care of ${parts.join(", ")}.`, ...names].join(" "),
    rows: Math.max(...rules.map(({ events }) => events)),
  };
}

/** `"$pageview" becomes "auto:pageview" (1,204 events), …`. */
function namesText({ names, otherNames, moreNames }: Rule): string | undefined {
  if (names.length === 0) return undefined;
  const shown = names.slice(0, SHOWN).map((one) => {
    const change = moreNames ? "" : ` to ${quoted(one.new)}`;
    return `${quoted(one.old)}${change} (${formatNumberOf(one.events, "event")})`;
  });
  const count = names.length - shown.length + otherNames;
  const hidden = formatLeast(count, "more name", moreNames === true);
  if (moreNames) return `They have the names ${shown.join(", ")} and ${hidden}.`;
  return `The repair changes ${shown.join(", ")}${hidden.startsWith("0 ") ? "" : ` and ${hidden}`}.`;
}

/** Asks for the repair of all rules that are broken, in addition to those of the run: one line for all. */
function repairFix({ rules, repair }: TargetReport): Fix {
  const repairsOf = (some: readonly Rule[]) => some.flatMap(({ rule }) => rows[rule].repair ?? []);
  const wanted = [...repair, ...repairsOf(rules)];
  const impossible = repairsOf(rules.filter(({ moreNames }) => moreNames));
  const all = repairs.filter((one) => wanted.includes(one) && !impossible.includes(one));
  return fixOf(["repair"], all.length === repairs.length ? true : all, false);
}

/** `would be dropped by Statsig: the name is not valid there`: the rest of a sentence about the events of a rule. */
export function ruleText({ rule, events }: Rule, target: TargetReport): string {
  return rows[rule].does(wordsFor(events, target));
}

/** `of 1,204,331 events 311,902 (25.8 %) would be dropped by Statsig: 41 names`; undefined if none would be. */
export function lostWords(target: TargetReport | undefined): string | undefined {
  if (target === undefined || target.lost === 0) return undefined;
  const { rules, events, lost, title } = target;
  const rule = rules.find((one) => one.rule === "name" && !one.isRepaired);
  const names = (rule?.names.length ?? 0) + (rule?.otherNames ?? 0);
  const of = names === 0 ? "" : `: ${formatLeast(names, "name", rule?.moreNames === true)}`;
  return `of ${formatNumberOf(events, "event")} ${formatCount(lost)} (${formatShare(lost, events)}) would be dropped by ${title}${of}`;
}
