import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { digestLines } from "../../../src/base/line-file.js";
import { verifyInputs } from "../../../src/check/verify/verify.js";
import { exampleManifest } from "../../report/example-result.js";
import { scratchDirectory } from "../../support/scratch.js";

it("finds a list of inputs that is missing, changed or has other inputs than the epochs", async () => {
  const directory = scratchDirectory("inputs");
  const file = join(directory, "inputs.jsonl");
  const inputs = { path: "inputs.jsonl", count: 1, ...digestLines(['{"name":"a"}']) };
  const [epoch] = exampleManifest.epochs;
  const manifest = { ...exampleManifest, inputs, epochs: [{ ...epoch!, sources: 1 }] };
  const codes = async () => (await verifyInputs(directory, manifest)).map(({ code }) => code);
  expect(await codes()).toEqual(["file_missing"]);
  writeFileSync(file, '{"name":"a"}\n');
  expect(await codes()).toEqual([]);
  writeFileSync(file, '{"name":"b"}\n');
  expect(await codes()).toEqual(["sha256_differs"]);
  writeFileSync(file, '{"name":"b"}\n{"name":"c"}\n');
  expect(await codes()).toEqual([
    "bytes_differ",
    "sha256_differs",
    "totals_differ",
    "totals_differ",
  ]);
});
