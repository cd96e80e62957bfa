import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { rejectCodes } from "../../src/base/reject-codes.js";

test("kernels know the reject codes that they use by the same numbers", () => {
  const file = new URL("../../src/kernels/reject-codes.ts", import.meta.url);
  const constants = readFileSync(file, "utf8").matchAll(/^export const (\w+): u8 = (\d+);$/gm);
  const inKernels = Object.fromEntries(
    [...constants].map(([, name = "", code]) => [name.toLowerCase(), Number(code)]),
  );
  expect(Object.keys(inKernels).length).toBeGreaterThan(10);
  expect(rejectCodes).toMatchObject(inKernels);
});
