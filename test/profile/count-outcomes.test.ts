import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Kernel } from "../../src/batch/kernel.js";

describe("countOutcomes", () => {
  const kernel = new Kernel();
  const place = kernel.allocate(4096);

  test("counts as a loop does, at every address and length", () => {
    const outcome = fc.constantFrom(0, 1, 127, 128, 253, 254, 255);
    const marks = fc.oneof(
      fc.array(outcome, { maxLength: 70 }),
      fc.array(fc.constant(0), { maxLength: 1000 }),
    );
    fc.assert(
      fc.property(marks, fc.nat(17), outcome, (values, shift, wanted) => {
        // Bytes on both sides must not be counted.
        kernel.bytes.fill(wanted, place, place + 4096);
        kernel.bytes.set(values, place + shift);
        const counted = kernel.run.countOutcomes(place + shift, values.length, wanted);
        expect(counted).toBe(values.filter((value) => value === wanted).length);
      }),
    );
  });
});
