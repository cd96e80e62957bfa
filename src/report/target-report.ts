import { omitUndefined } from "../base/omit-undefined.js";
import type { RunAccounts } from "../ledger/manifest.js";
import type { TargetReport } from "../profile/report.js";
import type { Rename, Renames } from "../target/renames.js";
import type { EventRules } from "../target/target.js";
import {
  CHANGED_NOTICE,
  isRepaired,
  LOST_NOTICE,
  noticeOf,
  partOf,
  type Repair,
  type TargetRule,
  targetRules,
} from "../target/target-rules.js";

/** Names that the report lists for a rule. */
const NAMES_MAX = 100;

interface TargetFacts {
  readonly accounts: Pick<RunAccounts, "notices" | "rows">;
  readonly renames: Renames;
  /** Parts of the target that have more names than `renames`. */
  readonly cut: ReadonlySet<Repair>;
  /** Events on another day in the zone of the target. */
  readonly shifted: number;
}

/** Returns what a target would do with the events of a dry run. */
export function targetReportOf(
  { rules, repair }: { readonly rules: EventRules; readonly repair: readonly Repair[] },
  { accounts: { notices, rows }, renames, cut, shifted }: TargetFacts,
): TargetReport {
  const lost = notices[LOST_NOTICE] ?? 0;
  const told = targetRules.map((rule) => ({
    rule,
    isRepaired: isRepaired(rule, repair),
    events: notices[noticeOf(rule, repair)] ?? 0,
    ...listOf(namesOf(rule, renames), cut.has(partOf(rule))),
    sources: rules[partOf(rule)]?.sources ?? [],
  }));
  const day = rules.days && {
    rule: "day" as const,
    isRepaired: repair.includes("days"),
    events: shifted,
    names: [],
    otherNames: 0,
    sources: rules.days.sources,
  };
  return {
    name: rules.name,
    title: rules.title,
    repair,
    events: rows.delivered,
    lost,
    changed: notices[CHANGED_NOTICE] ?? 0,
    rules: [...told, ...Object.values(omitUndefined({ day }))].filter(({ events }) => events > 0),
    billed: rules.billing === undefined ? null : rows.delivered - lost,
  };
}

function namesOf(
  rule: TargetRule,
  { names, metadata, users }: Renames,
): TargetReport["rules"][number]["names"] {
  const keys = (isOf: (path: readonly string[]) => boolean) =>
    metadata.filter(({ old }) => isOf(old)).map((one) => ({ ...one, old: one.old.join(".") }));
  const lists: Readonly<Record<TargetRule, readonly Rename<string>[]>> = {
    name: names,
    dots: keys(([first = ""]) => first.includes(".")),
    nested: keys((path) => path.length > 1),
    user: users,
    value: [],
    size: [],
  };
  return lists[rule];
}

function listOf(names: TargetReport["rules"][number]["names"], isCut: boolean) {
  return {
    names: names.slice(0, NAMES_MAX),
    otherNames: Math.max(0, names.length - NAMES_MAX),
    ...(isCut && names.length > 0 && { moreNames: true as const }),
  };
}
