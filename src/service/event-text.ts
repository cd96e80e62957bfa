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

const fieldNames: ReadonlySet<string> = new Set<FieldName>([
  "event",
  "user",
  "timestamp",
  "metadata",
  "value",
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
  const scanner = new Scanner(body);
  if (!scanner.takes(BRACKET_OPEN)) return [cutEvent(scanner)];
  const events: EventText[] = [];
  if (scanner.takes(BRACKET_CLOSE)) return events;
  do events.push(cutEvent(scanner));
  while (scanner.takes(COMMA));
  return events;
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

function cutEvent(scanner: Scanner): EventText {
  const fields: { -readonly [Name in FieldName]?: string } = {};
  let unknown: string[] | undefined;
  scanner.expect(BRACE_OPEN);
  if (scanner.takes(BRACE_CLOSE)) return fields;
  do {
    const name = nameOf(scanner.value());
    scanner.expect(COLON);
    const value = scanner.value();
    if (fieldNames.has(name)) {
      fields[name as FieldName] = value;
    } else {
      unknown ??= [];
      unknown.push(name);
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
