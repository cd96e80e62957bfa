/** The fields of an event as JSON text, cut from the request body. */
export interface EventText {
  readonly event?: string;
  readonly user?: string;
  readonly timestamp?: string;
  readonly metadata?: string;
  readonly value?: string;
  /** Names of members that are not fields of an event. */
  readonly unknown?: readonly string[];
}

type FieldName = Exclude<keyof EventText, "unknown">;

/** The field of an event that each member is; null for a member that is not stored. */
type Members = ReadonlyMap<string, FieldName | null>;

const eventMembers: Members = new Map<string, FieldName>([
  ["event", "event"],
  ["user", "user"],
  ["timestamp", "timestamp"],
  ["metadata", "metadata"],
  ["value", "value"],
]);

/** The members of events of SDKs. */
const loggedMembers: Members = new Map<string, FieldName | null>([
  ["eventName", "event"],
  ["time", "timestamp"],
  ["user", "user"],
  ["metadata", "metadata"],
  ["value", "value"],
  ["secondaryExposures", null],
  ["statsigMetadata", null],
]);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;

/**
 * Cuts the events out of a body, in order and digit for digit: numbers do not go through a double.
 * Unknown fields are named. If a field is repeated, the last one counts, as with `JSON.parse`. The body
 * must be one object or an array of objects that `JSON.parse` accepts.
 */
export function cutEvents(body: string): readonly EventText[] {
  return cutAll(body, eventMembers);
}

/**
 * Cuts the events out of a body of `/v1/log_event`, like `cutEvents`. Those without a user get the one of
 * the body. A member that is null is absent.
 */
export function cutLoggedEvents(body: string): readonly EventText[] {
  const { events = "[]", user } = Object.fromEntries(membersOf(body));
  return cutAll(events, loggedMembers).map((event) => {
    const given = Object.fromEntries(Object.entries(event).filter(([, text]) => text !== "null"));
    const own = (given as EventText).user ?? user;
    return own === undefined || own === "null" ? given : { ...given, user: own };
  });
}

function cutAll(body: string, members: Members): readonly EventText[] {
  const scanner = new Scanner(body);
  if (!scanner.takes(BRACKET_OPEN)) return [cutEvent(scanner, members)];
  const events: EventText[] = [];
  if (scanner.takes(BRACKET_CLOSE)) return events;
  do events.push(cutEvent(scanner, members));
  while (scanner.takes(COMMA));
  return events;
}

/** Returns the members of an object with their texts; of a repeated one the last. Throws at a fault between them. */
export function membersOf(body: string): ReadonlyMap<string, string> {
  const scanner = new Scanner(body);
  const members = new Map<string, string>();
  scanner.expect(BRACE_OPEN);
  if (!scanner.takes(BRACE_CLOSE)) {
    do {
      const name = nameOf(scanner.value());
      scanner.expect(COLON);
      members.set(name, scanner.value());
    } while (scanner.takes(COMMA));
    scanner.expect(BRACE_CLOSE);
  }
  scanner.expectEnd();
  return members;
}

/**
 * Returns the texts of the items of an array, or undefined if the body is not an array. Iterating throws
 * at a fault between items. The items themselves may be malformed.
 */
export function eventTexts(body: string): Iterable<string> | undefined {
  const scanner = new Scanner(body);
  return scanner.takes(BRACKET_OPEN) ? itemsOf(scanner) : undefined;
}

function* itemsOf(scanner: Scanner): Generator<string> {
  if (!scanner.takes(BRACKET_CLOSE)) {
    do yield scanner.value();
    while (scanner.takes(COMMA));
    scanner.expect(BRACKET_CLOSE);
  }
  scanner.expectEnd();
}

/** Returns the event with every field as it was sent, and `timestampMs` if it has no time. */
export function eventBody(text: EventText, timestampMs: number): string {
  const { event = '""', user, timestamp = String(timestampMs), metadata, value } = text;
  const userMember = user === undefined ? "" : `,"user":${user}`;
  const metadataMember = metadata === undefined ? "" : `,"metadata":${metadata}`;
  const valueMember = value === undefined ? "" : `,"value":${value}`;
  return `{"event":${event}${userMember},"timestamp":${timestamp}${metadataMember}${valueMember}}`;
}

function cutEvent(scanner: Scanner, members: Members): EventText {
  const fields: { -readonly [Name in FieldName]?: string } = {};
  let unknown: string[] | undefined;
  scanner.expect(BRACE_OPEN);
  if (scanner.takes(BRACE_CLOSE)) return fields;
  do {
    const name = nameOf(scanner.value());
    scanner.expect(COLON);
    const value = scanner.value();
    const field = members.get(name);
    if (field === undefined) {
      unknown ??= [];
      unknown.push(name);
    } else if (field !== null) {
      fields[field] = value;
    }
  } while (scanner.takes(COMMA));
  scanner.expect(BRACE_CLOSE);
  return unknown === undefined ? fields : { ...fields, unknown };
}

function nameOf(text: string): string {
  return text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
}

/** Walks a JSON text. Checks only as much as it needs to find the ends of values. */
class Scanner {
  #at = 0;

  constructor(private readonly text: string) {}

  /** Skips one character if it is the next one. */
  takes(code: number): boolean {
    this.#skipSpace();
    if (this.text.charCodeAt(this.#at) !== code) return false;
    this.#at += 1;
    return true;
  }

  expect(code: number): void {
    if (!this.takes(code)) throw new Error(`not valid JSON at character ${this.#at}`);
  }

  expectEnd(): void {
    this.#skipSpace();
    if (this.#at < this.text.length) throw new Error(`unexpected text at character ${this.#at}`);
  }

  /** Skips one value and returns its text. */
  value(): string {
    this.#skipSpace();
    const start = this.#at;
    const code = this.text.charCodeAt(start);
    if (code === QUOTE) this.#at = this.#endOfString(start);
    else if (code === BRACE_OPEN || code === BRACKET_OPEN) this.#at = this.#endOfNest(start);
    else this.#at = this.#endOfScalar(start);
    return this.text.slice(start, this.#at);
  }

  #skipSpace(): void {
    while (this.text.charCodeAt(this.#at) <= SPACE) this.#at += 1;
  }

  #endOfString(start: number): number {
    const { text } = this;
    for (let at = start + 1; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at + 1;
      if (code === BACKSLASH) at += 1;
    }
    throw new Error(`unterminated string at character ${start}`);
  }

  #endOfNest(start: number): number {
    const { text } = this;
    let depth = 0;
    for (let at = start; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = this.#endOfString(at) - 1;
      else if (code === BRACE_OPEN || code === BRACKET_OPEN) depth += 1;
      else if (code === BRACE_CLOSE || code === BRACKET_CLOSE) {
        depth -= 1;
        if (depth === 0) return at + 1;
      }
    }
    throw new Error(`unterminated value at character ${start}`);
  }

  #endOfScalar(start: number): number {
    const { text } = this;
    let at = start;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code <= SPACE || code === COMMA || code === BRACE_CLOSE || code === BRACKET_CLOSE) break;
    }
    if (at === start) throw new Error(`no value at character ${start}`);
    return at;
  }
}
