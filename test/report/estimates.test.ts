import { expect, it } from "vitest";
import { type OutputFormat, outputFormatNames } from "../../src/pipeline/output-formats.js";
import { estimateDelivery } from "../../src/report/estimates.js";
import {
  type ParquetCompression,
  parquetCompressions,
} from "../../src/sinks/parquet/page-compression.js";
import { cleanReport } from "./example-report.js";

const options = { format: "jsonl", compression: "snappy", rate: undefined } as const;

it("estimates the bytes of JSON lines exactly, and the time of the export by that of the dry run", () => {
  expect(estimateDelivery(cleanReport, options)).toEqual({
    export: { bytes: 13_440_000, durationMs: 2_000 },
    send: { eventsPerSecond: 1_000, durationMs: 67_200 },
  });
});

it("scales a sample to all rows, at the configured rate", () => {
  const estimates = estimateDelivery(
    { ...cleanReport, sample: { share: 0.01 } },
    { ...options, rate: 500 },
  );
  expect(estimates.export.bytes).toBe(1_344_000_000);
  expect(estimates.send).toEqual({ eventsPerSecond: 500, durationMs: 13_440_000 });
});

it("knows every format and compression", () => {
  const bytesOf = (format: OutputFormat, compression: ParquetCompression) =>
    estimateDelivery(cleanReport, { ...options, format, compression }).export.bytes;
  const sizes = outputFormatNames.flatMap((format) =>
    parquetCompressions.map((compression) => bytesOf(format, compression)),
  );
  expect(sizes.every((bytes) => bytes > 1_000_000 && bytes < 20_000_000)).toBe(true);
  expect(bytesOf("parquet", "zstd")).toBeLessThan(bytesOf("parquet", "snappy"));
  expect(bytesOf("csv", "zstd")).toBe(bytesOf("csv", "snappy"));
});
