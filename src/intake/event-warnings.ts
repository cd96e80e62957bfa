import type { EventRules } from "../target/target.js";
import type { EventText } from "./event-text.js";
import { type EventWarning, WARNINGS_MAX, type WarningKind } from "./event-warning.js";
import { TargetWarnings } from "./target-warnings.js";

/** Seconds since 1973. As milliseconds such times are in 1970 to 1973, before any tool for events. */
const SECONDS_MIN = 1e8;
const SECONDS_MAX = 1e11;

/** Fields of comparable webhooks, and where their values belong. */
const meant: Readonly<Record<string, string>> = {
  anonymousId: "user.stableID",
  deviceId: "user.stableID",
  device_id: "user.stableID",
  eventName: "event",
  event_properties: "metadata",
  event_type: "event",
  insertID: "the header Idempotency-Key",
  name: "event",
  properties: "metadata",
  stableID: "user.stableID",
  time: "timestamp",
  userID: "user.userID",
  userId: "user.userID",
  user_id: "user.userID",
  user_properties: "user",
};

/** Collects the likely mistakes in the events of one request. */
export class EventWarnings {
  readonly #unknown = new Map<string, number>();
  readonly #ofTarget: TargetWarnings | undefined;
  #inSeconds = 0;
  #withUnknown = 0;

  constructor(target: EventRules | undefined) {
    this.#ofTarget = target && new TargetWarnings(target);
  }

  add(text: EventText, event: string, timestampMs: number): void {
    this.#ofTarget?.add(text, event);
    const { unknown } = text;
    if (Math.abs(timestampMs) >= SECONDS_MIN && Math.abs(timestampMs) < SECONDS_MAX) {
      this.#inSeconds += 1;
    }
    if (unknown === undefined) return;
    this.#withUnknown += 1;
    for (const name of new Set(unknown)) {
      const events = this.#unknown.get(name) ?? 0;
      if (events > 0 || this.#unknown.size < WARNINGS_MAX) this.#unknown.set(name, events + 1);
    }
  }

  /** Calls `observe` with the number of events for each kind of mistake. */
  count(observe: (kind: WarningKind, events: number) => void): void {
    if (this.#withUnknown > 0) observe("unknown_field", this.#withUnknown);
    if (this.#inSeconds > 0) observe("timestamp_in_seconds", this.#inSeconds);
    this.#ofTarget?.count(observe);
  }

  /** Returns the warnings of an answer; undefined if there are none. */
  list(): EventWarning[] | undefined {
    const ofUnknown = [...this.#unknown].map(([property, events]) => ({
      property,
      message: unknownMessage(property),
      events,
    }));
    const warnings = [...(this.#ofTarget?.list() ?? []), ...ofUnknown];
    if (this.#inSeconds > 0) {
      const message =
        "Stored as ms since the epoch, which is before 1974. Send milliseconds if these are seconds.";
      warnings.unshift({ property: "timestamp", message, events: this.#inSeconds });
    }
    return warnings.length === 0 ? undefined : warnings.slice(0, WARNINGS_MAX);
  }
}

function unknownMessage(property: string): string {
  const target = Object.hasOwn(meant, property) ? meant[property] : undefined;
  const hint = target === undefined ? "Move it into user or metadata" : `Send it as ${target}`;
  return `Not a field of an event, so it was not stored. ${hint}.`;
}
