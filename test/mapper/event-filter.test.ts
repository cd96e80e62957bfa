import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mapRows } from "../support/mapping.js";

function delivered(names: readonly string[], includeEvents: string[], excludeEvents: string[]) {
  const rows = names.map((event_type) => ({ event_type, event_time: 1_700_000_000, user_id: "u" }));
  const outcomes = mapRows(rows, { includeEvents, excludeEvents }).rows;
  return names.filter((_, row) => outcomes[row]?.outcome === "deliver");
}

describe("event filters", () => {
  const names = ["session_start", "session_end", "[Amplitude] Page", "checkout", "Session_x", "é"];

  it("let in only what is included, where something is", () => {
    expect(delivered(names, ["session_*", "checkout"], [])).toEqual([
      "session_start",
      "session_end",
      "checkout",
    ]);
  });

  it("let excludes win", () => {
    expect(delivered(names, ["session_*"], ["*_end"])).toEqual(["session_start"]);
  });

  it("take a question mark for one character, brackets for themselves", () => {
    expect(delivered(names, ["?", "[Amplitude] *"], [])).toEqual(["[Amplitude] Page", "é"]);
  });

  it("mark rows as filtered, not rejected, before later faults are looked for", () => {
    const row = { event_type: "noise", event_time: "never" };
    const { rows } = mapRows([row], { excludeEvents: ["noise"] });
    expect(rows).toEqual([{ outcome: "filtered" }]);
  });

  it("agree with regular expressions", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "b", "é", "\u{1f375}", "*"),
      maxLength: 8,
    });
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", "é", "*", "?"), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), pattern, (given, wildcard) => {
        const names = given.filter((name) => name !== "");
        const source = wildcard.replaceAll("*", ".*").replaceAll("?", ".");
        const expression = new RegExp(`^${source}$`, "su");
        expect(delivered(names, [wildcard], [])).toEqual(
          names.filter((name) => expression.test(name)),
        );
        expect(delivered(names, [], [wildcard])).toEqual(
          names.filter((name) => !expression.test(name)),
        );
      }),
      { numRuns: 100 },
    );
  });

  it("judge names rightly beyond the number that is remembered", () => {
    const names = Array.from({ length: 9_000 }, (_, index) => `event_${index}`);
    const twice = [...names, ...names];
    const given = twice.slice(0, 16_000);
    expect(delivered(given, ["*7"], [])).toEqual(given.filter((name) => name.endsWith("7")));
  });
});
