import { omitUndefined } from "../../base/omit-undefined.js";
import { rejectCodeName } from "../../base/reject-codes.js";
import type { RawRows, RowOrigin, RowPlace } from "../../batch/batch.js";
import type { EventBatch } from "../../batch/event-batch.js";
import { keptFormat } from "../../formats/input-formats.js";
import type { RejectExample, RejectSummary } from "../../ledger/manifest.js";
import { maskText } from "../../profile/masked-text.js";
import type { Source } from "../../sources/source.js";
import type { SplitRejects } from "./split-rejects.js";

/** Counts rejected rows by code, with one example each, and keeps no rows. */
export class RejectCounts implements SplitRejects {
  readonly #summaries = new Map<number, { rows: number; readonly example: RejectExample }>();

  add(source: Source, events: EventBatch, row: number, code: number): void {
    const known = this.#summaries.get(code);
    // Messages are costly, so only the first row of a code gets one.
    if (known === undefined) this.keep(source, events, row, code)(events.explain(row));
    else known.rows++;
  }

  keep(source: Source, events: EventBatch, row: number, code: number): (message: string) => void {
    const origin = originOf(source, events.batch.raw, events.sourceRow(row));
    return (message) => this.count(code, origin, message);
  }

  count(code: number, origin: RowOrigin, message: string): void {
    const known = this.#summaries.get(code);
    if (known !== undefined) known.rows++;
    else {
      const example = { ...withoutFormat(origin), message: maskText(message) };
      this.#summaries.set(code, { rows: 1, example });
    }
  }

  summary(): readonly RejectSummary[] {
    return [...this.#summaries]
      .sort(([a], [b]) => a - b)
      .map(([code, { rows, example }]) => ({ code: rejectCodeName(code), rows, example }));
  }

  async commit(): Promise<void> {}

  abort(): void {}
}

/** Returns the position in its source of the row that an event or reject came from. */
export function placeOf(source: Source, events: EventBatch, row: number): RowPlace {
  return withoutFormat(originOf(source, events.batch.raw, events.sourceRow(row)));
}

function withoutFormat({ format: _, ...place }: RowOrigin): RowPlace {
  return place;
}

/** Returns the position of a row, and the format to read it in on its own. */
export function originOf(source: Source, raw: RawRows, row: number): RowOrigin {
  return raw.origin?.(row) ?? originIn(source, raw, row);
}

function originIn(source: Source, raw: RawRows, row: number): RowOrigin {
  return {
    source: source.name,
    ...omitUndefined({ row: raw.number(row), byte: raw.offset(row) }),
    format: keptFormat(source.format),
  };
}
