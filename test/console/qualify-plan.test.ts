import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CountedEvent,
  matchesWildcard,
  planQualify,
  type QualifyOptions,
  sqlLiteral,
} from "../../src/console/qualify-plan.js";
import {
  type QualifyingEvent,
  qualifyingEventDefaults,
} from "../../src/contract/qualifying-event.js";
import { propertyRuns } from "../support/property-runs.js";

const options: QualifyOptions = {
  includeEvents: [],
  excludeEvents: [],
  nameTemplate: "{event}",
  sqlTemplate: "SELECT * FROM {table} WHERE event = {event}",
  table: "events",
  timestampColumn: "timestamp",
  tags: undefined,
  isExact: true,
};

const idTypeMapping = [
  { serviceUnitID: "userID", column: "userID" },
  { serviceUnitID: "stableID", column: "stableID" },
];

function counted(event: string, changes: Partial<CountedEvent> = {}): CountedEvent {
  return {
    event,
    rows: 12_345,
    firstTimestamp: "2021-01-01T00:00:03.120Z",
    lastTimestamp: "2024-03-31T23:58:11.004Z",
    ...changes,
  };
}

const purchase = {
  name: "purchase",
  description: "12,345 events, 2021-01-01 to 2024-03-31",
  sql: "SELECT * FROM events WHERE event = 'purchase'",
  timestampColumn: "timestamp",
  idTypeMapping,
};

const existing: QualifyingEvent = {
  ...qualifyingEventDefaults,
  ...purchase,
  owner: { ownerID: "k", ownerType: "SDK_KEY", ownerName: "n", ownerEmail: "" },
  createdTime: 1,
  creatorID: "k",
  creatorName: "n",
  creatorEmail: null,
  lastModifierID: "k",
  lastModifiedTime: 1,
  lastModifierName: "n",
  lastModifierEmail: null,
  version: 7,
};

describe("a plan", () => {
  it("creates missing ones, leaves equal ones unchanged, and is frozen", () => {
    const plan = planQualify([counted("purchase"), counted("it's")], [existing], options);
    expect(plan).toEqual([
      { action: "unchanged", event: "purchase", name: "purchase" },
      {
        action: "create",
        event: "it's",
        name: "it's",
        body: {
          ...purchase,
          name: "it's",
          sql: "SELECT * FROM events WHERE event = 'it''s'",
        },
      },
    ]);
    expect(Object.isFrozen(plan) && plan.every((item) => Object.isFrozen(item))).toBe(true);
  });

  it("lists differences field by field, and sends other fields unchanged", () => {
    const before = { ...existing, sql: "SELECT 1", tags: ["mine"], isVerified: true };
    const [item] = planQualify([counted("purchase")], [before], options);
    expect(item).toMatchObject({
      action: "change",
      version: 7,
      differences: [{ field: "sql", before: "SELECT 1", after: purchase.sql }],
      body: { ...purchase, tags: ["mine"], isVerified: true, owner: existing.owner },
    });
  });

  it("changes tags only if some are given", () => {
    const before = { ...existing, tags: ["mine"] };
    const plan = planQualify([counted("purchase")], [before], { ...options, tags: ["a", "b"] });
    expect(plan[0]).toMatchObject({
      differences: [{ field: "tags", before: ["mine"], after: ["a", "b"] }],
    });
  });

  it.each([
    ["one event on one day", { rows: 1, lastTimestamp: "2021-01-01T01:00:00.000Z" }, true],
    ["an export with more names than are counted", {}, false],
  ])("describes %s", (_, changes, isExact) => {
    const [item] = planQualify([counted("e", changes)], [], { ...options, isExact });
    const words = isExact
      ? "1 event, 2021-01-01"
      : "at least 12,345 events, 2021-01-01 to 2024-03-31";
    expect(item).toMatchObject({ body: { description: words } });
  });

  it("selects the events that match the patterns", () => {
    const events = ["page_view", "page_left", "purchase", "session"].map((name) => counted(name));
    const plan = planQualify(events, [], {
      ...options,
      includeEvents: ["p*"],
      excludeEvents: ["page_?eft"],
    });
    expect(plan.map(({ event }) => event)).toEqual(["page_view", "purchase"]);
  });

  it.each([
    ["line\nend", ["the event's name has a backslash or a control character, unsafe in SQL"]],
    ["back\\slash", ["the event's name has a backslash or a control character, unsafe in SQL"]],
    ["..", [expect.stringMatching(/^name: /)]],
    ["x".repeat(256), [expect.stringMatching(/^name: /)]],
    ["", [expect.stringMatching(/^name: /), expect.any(String)]],
  ])("refuses %j before anything is sent", (event, reasons) => {
    const [item] = planQualify([counted(event)], [], options);
    expect(item).toEqual({ action: "refused", event, name: event, reasons });
  });

  it("fills templates in one pass, with any event name", () => {
    const [item] = planQualify([counted("{table}")], [], {
      ...options,
      nameTemplate: "used: {event}",
      table: "w.{event}",
    });
    expect(item).toMatchObject({
      action: "create",
      name: "used: {table}",
      body: { sql: "SELECT * FROM w.{event} WHERE event = '{table}'" },
    });
  });

  it.each([
    [{ nameTemplate: "all" }, /nameTemplate "all" has no \{event\}/],
    [{ nameTemplate: "{event} {table}" }, /has the unknown \{table\}/],
    [{ sqlTemplate: "SELECT {events}" }, /has the unknown \{events\}/],
  ])("is refused for the template %o", (changes, message) => {
    expect(() => planQualify([], [], { ...options, ...changes })).toThrow(
      expect.objectContaining({
        code: "template_invalid",
        message: expect.stringMatching(message),
      }),
    );
  });
});

/** Reads a literal as standard SQL does; undefined where it ends early or not at all. */
function parseLiteral(literal: string): string | undefined {
  let text = "";
  for (let index = 1; index < literal.length; index++) {
    if (literal[index] !== "'") text += literal[index];
    else if (literal[index + 1] === "'") text += literal[++index];
    else return index === literal.length - 1 ? text : undefined;
  }
  return undefined;
}

const tricky = fc.string({ unit: fc.constantFrom("'", '"', "\\", "a", "\n", "\0", "é", "-", ";") });

it("every name is one SQL literal or is refused", () => {
  fc.assert(
    fc.property(fc.oneof(tricky, fc.string({ unit: "binary" })), (name) => {
      const literal = sqlLiteral(name);
      if (literal === undefined) expect(name).toMatch(/[\\\p{Cc}]/u);
      else expect(parseLiteral(literal)).toBe(name);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

it("wildcards match like regular expressions", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", ".", "*", "?"), maxLength: 6 });
  fc.assert(
    fc.property(pattern, text, (given, name) => {
      const source = given.replaceAll(".", "\\.").replaceAll("*", ".*").replaceAll("?", ".");
      expect(matchesWildcard(given, name)).toBe(new RegExp(`^${source}$`).test(name));
    }),
    { numRuns: propertyRuns(1_000) },
  );
});
