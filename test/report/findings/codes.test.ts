import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { findingCodes } from "../../../src/report/findings/finding-codes.js";

const directory = fileURLToPath(new URL("../../../src/report/findings", import.meta.url));

it("each code of the table is found by something", () => {
  const text = readdirSync(directory)
    .filter((file) => file !== "finding-codes.ts")
    .map((file) => readFileSync(join(directory, file), "utf8"))
    .join("\n");
  const unused = Object.keys(findingCodes).filter((code) => !text.includes(`"${code}"`));
  expect(unused).toEqual([]);
});
