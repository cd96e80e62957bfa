import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutEvents, eventBody } from "../../src/intake/event-text.js";

const bodies = (text: string) => cutEvents(text).map((event) => eventBody(event, 5));

/** Returns the known fields as `JSON.parse` reads them, in the order of the specification. */
function known(value: Record<string, unknown>) {
  const { event, user, timestamp = 5, metadata, value: worth } = value;
  return JSON.parse(JSON.stringify({ event, user, timestamp, metadata, value: worth }));
}

describe("the text of events", () => {
  it("is cut from a single event and from an array", () => {
    const event =
      '{"event":"e","user":{"userID":"u"},"timestamp":7,"metadata":{"a":[1]},"value":2}';
    expect(bodies(event)).toEqual([event]);
    expect(bodies(`[${event},${event}]`)).toEqual([event, event]);
    expect(bodies(` [ ${event} , ${event} ] `)).toEqual([event, event]);
  });

  it.each([
    "9007199254740993123",
    "0.1000000000000000055511151231257827",
    "1.50",
    "1e400",
    "-0",
    "-1.50E+01",
  ])("keeps every digit of %s", (digits) => {
    const event = `{"event":"e","user":{"n":${digits}},"timestamp":7,"metadata":{"n":[${digits}]},"value":${digits}}`;
    expect(bodies(event)).toEqual([event]);
  });

  it("keeps a timestamp as it was sent, and uses the time of arrival if there is none", () => {
    expect(bodies('{"event":"e","timestamp":"1704067200000"}')).toEqual([
      '{"event":"e","timestamp":"1704067200000"}',
    ]);
    expect(bodies('{"event":"e"}')).toEqual(['{"event":"e","timestamp":5}']);
  });

  it("omits unknown fields, and uses the last of repeated ones", () => {
    expect(bodies('{"id":1,"event":"a","x":{"event":"no"},"event":"b"}')).toEqual([
      '{"event":"b","timestamp":5}',
    ]);
  });

  it("recognizes names with escapes, and ignores braces inside texts", () => {
    expect(bodies('{"\\u0065vent":"}\\"]{","metadata":{"a\\\\":"]\\\\"}}')).toEqual([
      '{"event":"}\\"]{","timestamp":5,"metadata":{"a\\\\":"]\\\\"}}',
    ]);
  });

  it("has the value that JSON.parse returns, in any notation", () => {
    const json = fc.jsonValue({ depthSize: "small", noUnicodeString: false });
    const record = fc.dictionary(fc.string({ unit: "binary" }), json, { maxKeys: 4 });
    const event = fc.record(
      {
        event: fc.string({ unit: "binary" }),
        user: record,
        timestamp: fc.oneof(fc.integer(), fc.integer().map(String)),
        metadata: record,
        value: fc.oneof(
          fc.string({ unit: "binary" }),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
        ),
        other: json,
      },
      { requiredKeys: ["event"] },
    );
    const indent = fc.constantFrom(undefined, 1, "\t", "\r\n");
    fc.assert(
      fc.property(fc.array(event, { maxLength: 5 }), indent, (events, space) => {
        const text = JSON.stringify(events, null, space);
        const meant = (JSON.parse(text) as Record<string, unknown>[]).map(known);
        expect(bodies(text).map((body) => JSON.parse(body))).toEqual(meant);
        for (const [index, single] of events.entries()) {
          const [body] = bodies(JSON.stringify(single, null, space));
          expect(JSON.parse(body as string)).toEqual(meant[index]);
        }
      }),
    );
  });
});
