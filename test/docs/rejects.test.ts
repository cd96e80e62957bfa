import { expect, it } from "vitest";
import { rejectCodes } from "../../src/base/reject-codes.js";
import { codesInTables } from "./tables.js";

it("docs/rejects.md explains each reject code once, and none that does not exist", () => {
  expect(codesInTables("rejects.md")).toEqual(Object.keys(rejectCodes));
});
