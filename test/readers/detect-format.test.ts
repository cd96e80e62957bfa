import { expect, it } from "vitest";
import { createFormatDetection } from "../../src/readers/detect-format.js";

const hints = { name: "input", path: "/input", size: 100, seekable: true };
const detect = createFormatDetection({ csv: {} });

it("tells an encrypted Parquet file from a CSV file with a column PARENT_ID", async () => {
  const csv = Buffer.from("PARENT_ID,event_type\n1,open\n2,close\n");
  expect(await detect(csv, hints)).toMatchObject({ kind: "csv", header: true });
  expect(() => detect(Buffer.from("PARE\x15\x00\x00"), hints)).toThrow(/encrypted/);
});
