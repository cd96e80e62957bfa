import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { outputFormatNames } from "../../src/formats/output-formats.js";
import type { Report } from "../../src/profile/report.js";
import { runInProcess } from "../support/command-line.js";
import { someOf } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";

const directory = scratchDirectory("true-sizes");
const random = createRandom(5);
const below = (count: number) => Math.floor(random() * count);
const hex = () => Array.from({ length: 4 }, () => below(2 ** 32).toString(16)).join("");

/** Properties that repeat, and properties that do not. */
const properties = {
  narrow: () => ({ page: `/${below(20)}`, n: below(100) }),
  wide: () =>
    Object.fromEntries(
      Array.from({ length: 30 }, (_, key) => [
        `property_${key}`,
        key % 3 === 0 ? hex() : key % 3 === 1 ? below(1_000_000) / 100 : `value ${below(12)}`,
      ]),
    ),
};

const DAY_MS = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);
/** Moments of the rows: of one day, of many in order, and of many in no order. */
const times = {
  "one day": (index: number, rows: number) => startMs + (index * DAY_MS) / rows,
  "120 days": (index: number, rows: number) => startMs + (index * 120 * DAY_MS) / rows,
  "120 days in no order": () => startMs + below(120 * DAY_MS),
};

/** Returns all formats in CI, and one elsewhere, another for each shape. */
const formatsOf = (shape: number) => someOf(outputFormatNames, outputFormatNames.length, shape);

const shapes = (Object.keys(properties) as (keyof typeof properties)[]).flatMap((width, wide) =>
  (Object.keys(times) as (keyof typeof times)[]).map(
    (days, index) => [width, days, formatsOf(wide * 3 + index)] as const,
  ),
);

const fileOf = (width: string, days: string) => join(directory, `${width} ${days}.jsonl`);

describe.each(someOf(shapes, 2))(
  "the size of an export of %s events on %s",
  (width, days, formats) => {
    const file = fileOf(width, days);
    beforeAll(() => {
      const rows = width === "wide" ? 6_000 : 30_000;
      const lines = Array.from({ length: rows }, (_, index) =>
        JSON.stringify({
          event_type: `event ${below(8)}`,
          event_time: new Date(times[days](index, rows)).toISOString(),
          user_id: hex().slice(0, 16),
          event_properties: properties[width](),
        }),
      );
      writeFileSync(file, lines.join("\n"));
    });

    it.each(formats)("is estimated as %s", async (format) => {
      const options = { cwd: directory };
      const output = join(directory, `${width} ${days} ${format}`);
      writeFileSync(
        join(directory, "pipeline.config.json"),
        JSON.stringify({ inputs: [file], preset: "amplitude", export: { format, to: output } }),
      );
      await runInProcess(["validate"], options);
      const report = JSON.parse(
        readFileSync(join(directory, "report/report.json"), "utf8"),
      ) as Report;
      await runInProcess(["export"], options);
      const manifest = JSON.parse(readFileSync(join(output, "manifest.json"), "utf8"));
      const ratio = report.estimates.export.bytes / manifest.totals.bytes;
      expect(ratio).toBeGreaterThan(0.9);
      expect(ratio).toBeLessThan(1.1);
    });
  },
);
