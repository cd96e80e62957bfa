import { createMapper } from "../../src/mapper/create-mapper.js";
import type { MapperOptions } from "../../src/mapper/mapper-options.js";
import type { WrittenChanges } from "../../src/mapper/mapping.js";
import { type PresetName, presets } from "../../src/mapper/presets.js";
import { resolveWritten } from "../../src/mapper/resolve-mapping.js";
import type { SplitRenames } from "../../src/target/split-renames.js";
import { type CellRow, createBatch, type EventRow, readEvents } from "./cells.js";
import { usedKernel } from "./used-kernel.js";

export interface Mapped {
  readonly rows: readonly EventRow[];
  readonly words: readonly string[];
  readonly sourceRows: readonly number[];
  readonly notices: Readonly<Record<string, number>>;
  readonly renames: SplitRenames | undefined;
}

export interface MapRowsOptions extends Partial<MapperOptions> {
  readonly preset?: PresetName;
  readonly overrides?: WrittenChanges;
  readonly faults?: readonly number[];
}

const wideLimits = { minTimeMs: -8.64e15, maxTimeMs: 8.64e15 };

/** Maps rows of cells in one batch, without time limits unless they are given. */
export function mapRows(rows: readonly CellRow[], given: MapRowsOptions = {}): Mapped {
  const { preset = "amplitude", overrides, faults, ...options } = given;
  const kernel = usedKernel();
  const mapping = resolveWritten({ ...presets[preset].mapping, ...overrides });
  const mapper = createMapper(kernel, { mapping, ...wideLimits, ...options });
  const events = mapper.map(createBatch(kernel, mapper.fields, rows, faults));
  const mapped = readEvents(events);
  return {
    rows: mapped,
    words: mapped.map(({ outcome }, row) => (outcome === "deliver" ? "" : events.explain(row))),
    sourceRows: mapped.map((_, row) => events.sourceRow(row)),
    notices: { ...mapper.notices },
    renames: mapper.takeRenames(),
  };
}

/** The only row of a single row's mapping. */
export function mapRow(row: CellRow, given: MapRowsOptions = {}): EventRow {
  const [mapped] = mapRows([row], given).rows;
  if (mapped === undefined) throw new Error("no row came out");
  return mapped;
}
