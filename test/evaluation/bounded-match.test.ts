import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { boundedMatch } from "../../src/evaluation/bounded-match.js";

/** Returns a test that takes all its time, or says a match after `tookMs`, and the times it got. */
function tests(tookMs = Number.POSITIVE_INFINITY) {
  const given: number[] = [];
  const test = (_: RegExp, __: string, ms: number) => {
    given.push(ms);
    return tookMs < ms ? { matches: true, tookMs } : { matches: undefined, tookMs: ms };
  };
  return { given, test };
}

describe("a match in bounded time", () => {
  // Expressions share the time of a turn of the event loop.
  beforeEach(() => nextTurn());

  it("gives many slow expressions less time together than each alone may take", async () => {
    const { given, test } = tests();
    const slow = Array.from({ length: 50 }, () => boundedMatch(/(a|a)*b/, test));
    for (const [index, match] of slow.entries()) expect(match(`one ${index}`)).toBe(false);
    expect(given).toEqual([20, 20, 20, ...Array(47).fill(5)]);
    // Expressions that were cut are not tried again in a turn without time, but in the next one.
    for (const [index, match] of slow.entries()) expect(match(`two ${index}`)).toBe(false);
    expect(given.length).toBe(50);
    await nextTurn();
    expect(slow[0]?.("three")).toBe(false);
    expect(given.at(-1)).toBe(20);
  });

  it("keeps the first outcome for a text, so that the answer does not depend on the load", async () => {
    const { given, test } = tests(7);
    const match = boundedMatch(/(first|outcome)*/, test);
    const cut = boundedMatch(/(no|time)*/, test);
    expect(match("before")).toBe(true);
    const { test: busy } = tests();
    for (const text of ["x", "y", "z"]) boundedMatch(/(busy|turn)*/, busy)(text);
    expect(match("before")).toBe(true);
    expect(cut("meanwhile")).toBe(false);
    await nextTurn();
    expect(cut("meanwhile")).toBe(false);
    expect(cut("after")).toBe(true);
    expect(given).toEqual([20, 5, 20]);
  });

  it("tries an expression that was never cut, also in a turn without time", () => {
    const { test: busy } = tests();
    for (const text of ["1", "2", "3"]) boundedMatch(/(other|turn)*/, busy)(text);
    expect(boundedMatch(/(quick|one)*/, tests(0.5).test)("text")).toBe(true);
  });
});
