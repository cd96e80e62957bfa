import { expect, it } from "vitest";
import { outputFormats } from "../../src/pipeline/options.js";
import { estimateDelivery } from "../../src/report/estimates.js";
import { parquetCompressions } from "../../src/sinks/parquet/page-compression.js";
import { cleanReport } from "./example-report.js";

const options = { format: "jsonl", compression: "snappy", rate: undefined };

it("takes JSON lines for what they are, and the dry run's time for the export's", () => {
  expect(estimateDelivery(cleanReport, options)).toEqual({
    export: { bytes: 13_440_000, durationMs: 2_000 },
    send: { eventsPerSecond: 1_000, durationMs: 67_200 },
  });
});

it("counts a sample for all rows, at the rate that is configured", () => {
  const estimates = estimateDelivery(
    { ...cleanReport, sample: { share: 0.01 } },
    { ...options, rate: 500 },
  );
  expect(estimates.export.bytes).toBe(1_344_000_000);
  expect(estimates.send).toEqual({ eventsPerSecond: 500, durationMs: 13_440_000 });
});

it("knows every format and compression", () => {
  const sizes = outputFormats.flatMap((format) =>
    parquetCompressions.map(
      (compression) =>
        estimateDelivery(cleanReport, { ...options, format, compression }).export.bytes,
    ),
  );
  // What is not known would be taken for JSON lines.
  const asLines = sizes.filter((bytes) => bytes === 13_440_000);
  expect(asLines).toHaveLength(parquetCompressions.length);
});
