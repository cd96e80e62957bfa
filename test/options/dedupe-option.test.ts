import { expect, test } from "vitest";
import { checkValue } from "../../src/base/schema.js";
import { dedupe } from "../../src/options/dedupe-option.js";

const read = (text: string) => checkValue(dedupe.schema(), dedupe.fromText(text));

test.each([
  ["on", { within: "day" }],
  ["day", { within: "day" }],
  ["all", { within: "all" }],
  ["by=event,timestamp", { within: "day", by: ["event", "timestamp"] }],
  ["all, by=userID,insertID", { within: "all", by: ["userID", "insertID"] }],
])("%j is %j", (text, value) => {
  expect(read(text)).toEqual({ value });
});

test("an object says the same as a text, and false is off", () => {
  const value = { within: "all", by: ["event"] } as const;
  expect(checkValue(dedupe.schema(), value)).toEqual({ value });
  expect(checkValue(dedupe.schema(), { by: ["event"] })).toEqual({
    value: { within: "day", by: ["event"] },
  });
  expect(checkValue(dedupe.schema(), false).value).toBeUndefined();
  expect(checkValue(dedupe.schema(), false).faults).toBeUndefined();
});

test.each([
  ["al", /^must be one of day, all \(got "al"\); did you mean all\?$/],
  ["by=evnt", /^by: must be one of insertID, .*; did you mean event\?$/],
  ["all,event", /^must be one of day, all \(got "event"\)/],
  ["all,key=event", /^key: unknown key/],
])("%j is refused", (text, message) => {
  expect(read(text).faults?.map((fault) => fault.message)).toEqual([
    expect.stringMatching(message),
  ]);
});
