import { expect, it } from "vitest";
import { ReadRate } from "../../src/store/read-rate.js";

/** The verdicts of each second of a body that sends `bytes` a second. */
function verdicts(rate: ReadRate, bytes: number, seconds: number): readonly string[] {
  return Array.from({ length: seconds }, () => rate.take(bytes, 1_000));
}

it("finds a body slow after ten seconds, and too slow after twenty", () => {
  const found = verdicts(new ReadRate(), 1_000, 20);
  expect(found.slice(0, 9)).toEqual(Array(9).fill("good"));
  expect(found.slice(9, 19)).toEqual(Array(10).fill("slow"));
  expect(found[19]).toBe("too slow");
});

it("forgives a slow time, and does not count the time in which nothing was awaited", () => {
  const rate = new ReadRate();
  verdicts(rate, 1_000, 10);
  expect(verdicts(rate, 20_000, 10).at(-1)).toBe("good");
  expect(verdicts(rate, 1_000, 15).at(-1)).toBe("slow");
  const busy = new ReadRate();
  for (let piece = 0; piece < 1_000; piece++) expect(busy.take(1_000, 10)).toBe("good");
});
