import { describe, expect, it } from "vitest";
import { idempotencyKeyOf, ifMatchOf, requestIdOf } from "../../src/http/request-headers.js";
import { serviceLimits } from "../../src/http/service-limits.js";

describe("If-Match", () => {
  it.each([
    [undefined, undefined],
    ["*", "*"],
    [" * ", "*"],
    ['"3"', ["3"]],
    ['"3", "4"', ["3", "4"]],
    ['"3","4"', ["3", "4"]],
    ['W/"3"', ['W/"3"']],
    ['""', [""]],
  ])("reads %j as %j", (header, versions) => {
    expect(ifMatchOf({ "if-match": header })).toEqual(versions);
  });

  it.each(["", "3", '"3', '3"', '"3" "4"', '"3",', '*, "3"', 'w/"3"'])("refuses %j", (header) => {
    expect(() => ifMatchOf({ "if-match": header })).toThrow(/^If-Match must be \* or versions/);
  });
});

describe("Idempotency-Key", () => {
  const read = (header?: string) =>
    idempotencyKeyOf(header === undefined ? {} : { "idempotency-key": header }, serviceLimits);

  it("is what was sent, up to 255 characters", () => {
    expect(read()).toBeUndefined();
    expect(read("part-7/0001")).toBe("part-7/0001");
    expect(read("x".repeat(255))).toHaveLength(255);
  });

  it.each(["", "two words", "x".repeat(256), "é"])("refuses %j", (header) => {
    expect(() => read(header)).toThrow(/^Idempotency-Key must be 1 to 255 visible/);
  });
});

describe("X-Request-Id", () => {
  const read = (header: string) => requestIdOf({ "x-request-id": header }, serviceLimits);

  it("is accepted if it is safe in a log", () => {
    for (const id of ["a", "4bf92f35-77b3.4da6:1/2=@+_", "x".repeat(128)])
      expect(read(id)).toBe(id);
  });

  it.each(["", "two words", "x".repeat(129), 'a"b', "a\nb", "é", "<b>"])(
    "is not taken: %j",
    (id) => {
      expect(read(id)).toBeUndefined();
    },
  );
});
