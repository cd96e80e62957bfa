import { type CheckedEvent, checkEvent } from "../target/check-event.js";
import type { EventRules } from "../target/target.js";
import { lostRules, type TargetRule } from "../target/target-rules.js";
import type { EventText } from "./event-text.js";
import { type EventWarning, WARNINGS_MAX, type WarningKind } from "./event-warning.js";

/** Characters of a name in a warning. */
const NAME_CHARACTERS_MAX = 100;

/** Tells for each rule how the platform treats the part of an event that breaks it. */
const consequences: Readonly<
  Record<TargetRule, (rules: EventRules, { event }: CheckedEvent) => string>
> = {
  name: ({ title }, { event }) =>
    `${title} drops events of this name: ${JSON.stringify(event.slice(0, NAME_CHARACTERS_MAX))}.`,
  size: ({ title, metadata }) =>
    `${title} drops events with more than ${metadata?.charactersMax} characters of metadata.`,
  value: ({ title, values }) => `${title} cuts values after ${values?.charactersMax} characters.`,
  dots: ({ title }) => `${title} reads a key with a dot as a path: the value is lost.`,
  nested: ({ title }) => `${title} stores objects and lists in metadata as text.`,
  user: ({ title }) => `${title} does not look for this property of a user here.`,
};

/** Collects what a platform would drop or change of the events of one request. They are stored as they are. */
export class TargetWarnings {
  readonly #drops = new Map<string, EventWarning>();
  readonly #changes = new Map<string, EventWarning>();
  #dropped = 0;
  #changed = 0;

  constructor(private readonly rules: EventRules) {}

  add({ value, metadata, user }: EventText, event: string): void {
    const { users, ...others } = this.rules;
    const given = objectOf(user);
    const checked = {
      event,
      value: value === undefined ? undefined : (JSON.parse(value) as unknown),
      metadata: objectOf(metadata),
      // A platform looks for other properties of a user in `custom`.
      user: { ...membersOf(given["custom"]), ...given },
    };
    const placed = users && { ...users, fields: withoutPlaced(users.fields, given) };
    const rules = placed === undefined ? others : { ...others, users: placed };
    const breaches = checkEvent(checked, rules);
    if (breaches.length === 0) return;
    if (breaches.some(({ isLost }) => isLost)) this.#dropped += 1;
    else this.#changed += 1;
    for (const { rule, property } of breaches) this.#note(rule, property, checked);
  }

  count(observe: (kind: WarningKind, events: number) => void): void {
    if (this.#dropped > 0) observe("target_dropped", this.#dropped);
    if (this.#changed > 0) observe("target_changed", this.#changed);
  }

  list(): readonly EventWarning[] {
    return [...this.#drops.values(), ...this.#changes.values()];
  }

  #note(rule: TargetRule, property: string, event: CheckedEvent): void {
    const message = consequences[rule](this.rules, event);
    const warnings = lostRules.includes(rule) ? this.#drops : this.#changes;
    const key = `${property}: ${message}`;
    const events = warnings.get(key)?.events ?? 0;
    if (events === 0 && warnings.size >= WARNINGS_MAX) return;
    warnings.set(key, { property, message, events: events + 1 });
  }
}

type Fields = NonNullable<EventRules["users"]>["fields"];

/** Leaves out the fields that a user has where the platform looks for them. */
function withoutPlaced(fields: Fields, user: Readonly<Record<string, unknown>>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => user[field] == null));
}

function objectOf(text: string | undefined): Readonly<Record<string, unknown>> {
  return membersOf(text === undefined ? undefined : JSON.parse(text));
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
