import { UsageError } from "../base/errors.js";
import { formatCount } from "../base/format-count.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { faultsOf } from "../contract/faults.js";
import {
  type QualifyingEvent,
  type QualifyingEventCreate,
  qualifyingEventCreate,
} from "../contract/qualifying-event.js";

/** An event that was exported. */
export interface CountedEvent {
  readonly event: string;
  readonly rows: number;
  /** ISO 8601 in UTC. */
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
}

export interface QualifyOptions {
  /** Names to include, with wildcards; an empty list includes all. */
  readonly includeEvents: readonly string[];
  readonly excludeEvents: readonly string[];
  /** `{event}` is the event's name. */
  readonly nameTemplate: string;
  /** `{event}` is the event's name as a quoted literal, `{table}` the table. */
  readonly sqlTemplate: string;
  readonly table: string;
  readonly timestampColumn: string;
  /** Undefined keeps the tags of existing qualifying events. */
  readonly tags: readonly string[] | undefined;
  /** False if the export has more names than it counts; counts are then lower bounds. */
  readonly isExact: boolean;
}

/** Fields of a qualifying event that are derived from the export. */
const managedFields = ["description", "tags", "sql", "timestampColumn", "idTypeMapping"] as const;

interface FieldDifference {
  readonly field: (typeof managedFields)[number];
  readonly before: unknown;
  readonly after: unknown;
}

interface Planned {
  /** Name of the exported event. */
  readonly event: string;
  /** Name of the qualifying event. */
  readonly name: string;
}

export interface Creation extends Planned {
  readonly action: "create";
  readonly body: QualifyingEventCreate;
}

export interface Change extends Planned {
  readonly action: "change";
  readonly body: QualifyingEventCreate;
  /** The version that the change is based on. */
  readonly version: number;
  readonly differences: readonly FieldDifference[];
}

export type PlanItem =
  | Creation
  | Change
  | (Planned & { readonly action: "unchanged" })
  | (Planned & { readonly action: "refused"; readonly reasons: readonly string[] });

/** In the order of the events. */
export type QualifyPlan = readonly PlanItem[];

const idTypeMapping = ["userID", "stableID"].map((id) => ({ serviceUnitID: id, column: id }));

/**
 * Plans the changes that give each event its qualifying event. Pure. Existing qualifying events keep all
 * fields that are not derived from the export. Throws `UsageError` for an invalid template.
 */
export function planQualify(
  events: readonly CountedEvent[],
  existing: readonly QualifyingEvent[],
  options: QualifyOptions,
): QualifyPlan {
  checkTemplate("nameTemplate", options.nameTemplate, ["event"]);
  checkTemplate("sqlTemplate", options.sqlTemplate, ["event", "table"]);
  const known = new Map(existing.map((one) => [one.name, one]));
  const taken = new Map<string, string>();
  const items = events
    .filter(({ event }) => isWanted(event, options))
    .map((counted): PlanItem => {
      const name = fill(options.nameTemplate, { event: counted.event });
      const other = taken.get(name);
      taken.set(name, counted.event);
      if (other === undefined) return planOne(counted, name, known.get(name), options);
      const reasons = [
        `the event ${JSON.stringify(other)} has the same name of a qualifying event`,
      ];
      return { action: "refused", event: counted.event, name, reasons };
    });
  return Object.freeze(items.map((item) => Object.freeze(item)));
}

function planOne(
  counted: CountedEvent,
  name: string,
  before: QualifyingEvent | undefined,
  options: QualifyOptions,
): PlanItem {
  const { event } = counted;
  const literal = sqlLiteral(event);
  if (literal === undefined) {
    const reasons = ["the event's name has a backslash or a control character, unsafe in SQL"];
    return { action: "refused", event, name, reasons };
  }
  const wanted: QualifyingEventCreate = {
    ...(before === undefined ? {} : writableOf(before)),
    name,
    description: describe(counted, options.isExact),
    ...omitUndefined({ tags: options.tags && [...options.tags] }),
    sql: fill(options.sqlTemplate, { event: literal, table: options.table }),
    timestampColumn: options.timestampColumn,
    idTypeMapping,
  };
  const checked = qualifyingEventCreate.safeParse(wanted, { reportInput: true });
  if (!checked.success) {
    const reasons = faultsOf(checked.error).map((one) => `${one.property}: ${one.errorMessage}`);
    return { action: "refused", event, name, reasons };
  }
  if (before === undefined) return { action: "create", event, name, body: wanted };
  const differences = managedFields.flatMap((field) => difference(field, before, wanted));
  return differences.length === 0
    ? { action: "unchanged", event, name }
    : { action: "change", event, name, body: wanted, version: before.version, differences };
}

/** Returns all fields, because a full update resets a field that is left out to its default. */
function writableOf(event: QualifyingEvent): Partial<QualifyingEventCreate> {
  const parsed = qualifyingEventCreate.safeParse(event);
  return parsed.success ? parsed.data : {};
}

function difference(
  field: FieldDifference["field"],
  before: QualifyingEvent,
  wanted: QualifyingEventCreate,
): readonly FieldDifference[] {
  const after = wanted[field] ?? before[field];
  if (JSON.stringify(before[field]) === JSON.stringify(after)) return [];
  return [{ field, before: before[field], after }];
}

/** Describes an event. The text depends only on the export, so a second run changes nothing. */
function describe({ rows, firstTimestamp, lastTimestamp }: CountedEvent, isExact: boolean): string {
  const [first, last] = [firstTimestamp, lastTimestamp].map((time) => time.slice(0, -14));
  const words = `${isExact ? "" : "at least "}${formatCount(rows)} event${rows === 1 ? "" : "s"}`;
  return first === last ? `${words}, ${first}` : `${words}, ${first} to ${last}`;
}

function isWanted(event: string, { includeEvents, excludeEvents }: QualifyOptions): boolean {
  const isIn = (patterns: readonly string[]) =>
    patterns.some((pattern) => matchesWildcard(pattern, event));
  return (includeEvents.length === 0 || isIn(includeEvents)) && !isIn(excludeEvents);
}

/** Fills a template in one pass: placeholders in inserted texts stay. */
function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, key: string) => values[key] ?? whole);
}

function checkTemplate(option: string, template: string, keys: readonly string[]): void {
  const used = [...template.matchAll(/\{(\w+)\}/g)].map(([, key = ""]) => key);
  const unknown = used.find((key) => !keys.includes(key));
  if (unknown === undefined && used.includes("event")) return;
  const reason = unknown === undefined ? "has no {event}" : `has the unknown {${unknown}}`;
  throw new UsageError(
    "template_invalid",
    `The ${option} ${JSON.stringify(template)} ${reason}. It takes ${keys.map((key) => `{${key}}`).join(" and ")}; {event} must be in it.`,
  );
}

/**
 * Returns a text as an SQL string literal with doubled quotes. Returns undefined if no literal is safe:
 * warehouses disagree on backslashes and control characters in literals.
 */
export function sqlLiteral(text: string): string | undefined {
  if (/[\\\p{Cc}\p{Cs}]/u.test(text)) return undefined;
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns true if a name matches a pattern: `*` is any text, `?` any character. */
export function matchesWildcard(pattern: string, name: string): boolean {
  const wanted = [...pattern];
  const given = [...name];
  let position = 0;
  // If the text after the last `*` does not match, retry one character further.
  let afterStar = -1;
  let retryAt = 0;
  for (let index = 0; index < given.length; ) {
    const one = wanted[position];
    if (one === "*") {
      afterStar = ++position;
      retryAt = index;
    } else if (one === "?" || (one !== undefined && one === given[index])) {
      position++;
      index++;
    } else if (afterStar >= 0) {
      position = afterStar;
      index = ++retryAt;
    } else {
      return false;
    }
  }
  return wanted.slice(position).every((one) => one === "*");
}
