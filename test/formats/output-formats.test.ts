import { expect, test } from "vitest";
import { Kernel } from "../../src/batch/kernel.js";
import { outputFormat, outputFormatNames } from "../../src/formats/output-formats.js";

test.each(outputFormatNames)("the row of %s agrees with the parts that it makes", async (name) => {
  const options = { withInsertID: true, compression: "snappy", csvSafe: false } as const;
  const { createFormat, rows } = outputFormat(name);
  const format = await createFormat(new Kernel(), options);
  expect(format).toMatchObject({ extension: name, rows });
});
