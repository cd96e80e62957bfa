import { expect, it } from "vitest";
import { createFormatDetection } from "../../src/readers/detect-format.js";

const hints = { name: "input", path: "/input", size: 100, seekable: true };
const detect = createFormatDetection({ csv: {} });

it("tells an encrypted Parquet file from a CSV file with a column PARENT_ID", async () => {
  const csv = Buffer.from("PARENT_ID,event_type\n1,open\n2,close\n");
  expect(await detect(csv, hints)).toMatchObject({ kind: "csv", header: true });
  expect(() => detect(Buffer.from("PARE\x15\x00\x00"), hints)).toThrow(/encrypted/);
});

it.each(["", "\r\n \n", "\ufeff", "\ufeff\r\n"])("takes %j for an empty file", async (text) => {
  expect(await detect(Buffer.from(text), hints)).toEqual({ kind: "ndjson" });
});

it("does not take spaces that JSON has not for a file without rows", () => {
  expect(() => detect(Buffer.from("\u00a0\n"), hints)).toThrow(/neither JSON/);
});
