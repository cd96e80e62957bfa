import { type RejectCodeName, rejectCodeName } from "../base/reject-codes.js";
import { outcomes } from "../batch/event-batch.js";
import { createMapper } from "../mapper/create-mapper.js";
import type { Mapper } from "../mapper/mapper.js";
import type { Mapping } from "../mapper/mapping.js";
import type { Source } from "../sources/source.js";
import { asSourceError, type SampleTools, sampleBatches } from "./sample-rows.js";
import type { MappingTrial } from "./survey.js";

/** The default of an export: events from 1971 on. */
const MIN_TIME_MS = Date.UTC(1971, 0, 1);

/**
 * Maps the sampled rows of sources as an export would. Times at or after `maxTimeMs` (milliseconds since
 * 1970 UTC) are rejected. Sources that cannot be read are skipped.
 */
export async function tryMapping(
  sources: readonly Source[],
  mapping: Mapping,
  maxTimeMs: number,
  tools: SampleTools,
): Promise<MappingTrial> {
  const mapper = createMapper(tools.kernel, { mapping, minTimeMs: MIN_TIME_MS, maxTimeMs });
  const tally = new TrialTally(mapper);
  const { rows } = mapping;
  const own = { ...tools, readerOptions: { ...tools.readerOptions, rows } };
  for (const source of sources) {
    try {
      await sampleBatches(source, mapper.fields, own, (...rows) => tally.take(...rows));
    } catch (error) {
      asSourceError(error);
    }
  }
  return tally.trial();
}

class TrialTally {
  readonly #mapper: Mapper;
  readonly #rejects: Partial<Record<RejectCodeName, number>> = {};
  #rows = 0;
  #delivered = 0;
  #filtered = 0;
  #firstMs = Number.POSITIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(mapper: Mapper) {
    this.#mapper = mapper;
  }

  take(batch: Parameters<Mapper["map"]>[0], start: number, end: number): void {
    if (start === end) return;
    const events = this.#mapper.map(batch);
    const { bytes, doubles } = events.kernel;
    for (let row = start; row < end; row++) {
      const outcome = bytes[events.outcomes + row] ?? outcomes.filtered;
      this.#rows++;
      if (outcome === outcomes.filtered) {
        this.#filtered++;
        continue;
      }
      if (outcome === outcomes.deliver) {
        const timeMs = doubles[events.timestamps / 8 + row] ?? Number.NaN;
        this.#delivered++;
        this.#firstMs = Math.min(this.#firstMs, timeMs);
        this.#lastMs = Math.max(this.#lastMs, timeMs);
      } else {
        const name = rejectCodeName(outcome);
        this.#rejects[name] = (this.#rejects[name] ?? 0) + 1;
      }
    }
  }

  trial(): MappingTrial {
    return {
      rows: this.#rows,
      delivered: this.#delivered,
      filtered: this.#filtered,
      rejects: { ...this.#rejects },
      ...(this.#delivered === 0 ? {} : { firstMs: this.#firstMs, lastMs: this.#lastMs }),
    };
  }
}
