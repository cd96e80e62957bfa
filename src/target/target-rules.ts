/** The repairs that can be asked for, in the order in which they are listed. */
export const repairs = ["names", "values", "metadata", "users", "days"] as const;
export type Repair = (typeof repairs)[number];

/** The ways to tell a target that days are complete. */
export const announcements = ["file", "call"] as const;
export type Announcement = (typeof announcements)[number];

/** The rules that an event can break, in the order of their bits in src/kernels/target/event-rules.ts. */
export const targetRules = ["name", "value", "dots", "nested", "size", "user"] as const;
export type TargetRule = (typeof targetRules)[number];

/** The rules for which a target drops the whole event. */
export const lostRules: readonly TargetRule[] = ["name", "size"];

/** The part of a target that has each rule, which is also the name of its repair. */
const parts = {
  name: "names",
  value: "values",
  dots: "metadata",
  nested: "metadata",
  size: "metadata",
  user: "users",
} as const satisfies Readonly<Record<TargetRule, Repair>>;

/** Returns the part of a target that has a rule; the repair of the rule has its name. */
export function partOf(rule: TargetRule): (typeof parts)[TargetRule] {
  return parts[rule];
}

/** Returns true if a rule is among those that are repaired. */
export function isRepaired(rule: TargetRule, repair: readonly Repair[]): boolean {
  return repair.includes(partOf(rule));
}

/** Returns the name of the notice that counts the events of a rule: those that break it, or did before the repair. */
export function noticeOf(rule: TargetRule, repair: readonly Repair[]): string {
  return `${isRepaired(rule, repair) ? "repaired" : "target"}_${rule}`;
}

/** Names of the notices of all events that the target would drop, and of others that it would change. */
export const LOST_NOTICE = "target_lost";
export const CHANGED_NOTICE = "target_changed";

/** Returns the bit of a rule in the marks of rows. */
export function bitOf(rule: TargetRule): number {
  return 1 << targetRules.indexOf(rule);
}
