import { SourceError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { rejectCodeName } from "../base/reject-codes.js";
import { inTemporaryDirectory } from "../base/temporary-directory.js";
import type { Batch, RawRows } from "../batch/batch.js";
import { type EventBatch, outcomes } from "../batch/event-batch.js";
import { Kernel } from "../batch/kernel.js";
import { createMapper } from "../mapper/create-mapper.js";
import type { Mapper } from "../mapper/mapper.js";
import type { MapperOptions } from "../mapper/mapper-options.js";
import type { CountRequest } from "../options/options.js";
import { discover } from "../run/run-inputs.js";
import { openMapperOptions } from "../run/run-setup.js";
import { openSources } from "../run/run-tools.js";
import type { Source } from "../sources/source.js";
import { type Breach, type CheckedEvent, checkEvent } from "../target/check-event.js";
import { EventLines } from "../webhook/event-lines.js";

/** An event as JSON has it. */
export type PreviewEvent = CheckedEvent & Readonly<Record<string, unknown>>;

/** One row of the inputs, and what becomes of it. */
export interface PreviewRow {
  readonly source: string;
  /** From 1 on; absent if the reader does not know it. */
  readonly row?: number;
  /** Byte offset in the decompressed source; absent likewise. */
  readonly byte?: number;
  /** Number of an element of the row, if elements are rows. */
  readonly element?: string;
  /** Empty for rows that are rejected or filtered; several with a transform. */
  readonly events: readonly PreviewEvent[];
  /** The events as they are delivered to the target; absent without rules for events. */
  readonly repaired?: readonly PreviewEvent[];
  /** The rules of the target that the delivered events still break. */
  readonly breaches: readonly Breach[];
  readonly reject?: { readonly code: string; readonly message: string };
  readonly isFiltered?: true;
}

export interface Preview {
  readonly rows: readonly PreviewRow[];
  /** Sources whose beginning cannot be read. */
  readonly failures: readonly {
    readonly source: string;
    readonly code: string;
    readonly message: string;
  }[];
}

/** Rows that are shown unless a limit says otherwise. */
export const PREVIEW_ROWS = 20;

/** Maps the first rows of inputs as an export would. Reads no more of a source than they need. */
export function previewRows(
  options: CountRequest,
  limit: number,
  signal: AbortSignal,
): Promise<Preview> {
  return inTemporaryDirectory("switchyard-preview", async (temporaryDirectory) => {
    const run = { ...options, outputDirectory: temporaryDirectory };
    const { sources, failures } = await discover(run, signal);
    const { mapper, close } = await openMapperOptions(run, signal);
    try {
      const reading = new PreviewReading(mapper, limit);
      const { rowBytesMax, ratioMax, s3 } = options;
      const tools = { rowBytesMax, ratioMax, s3, temporaryDirectory, signal };
      await reading.read(sources, openSources(run), tools);
      const unopened = failures.map(({ name, ...failure }) => ({ source: name, ...failure }));
      return { rows: reading.rows, failures: [...unopened, ...reading.failures] };
    } finally {
      await close();
    }
  });
}

class PreviewReading {
  readonly rows: PreviewRow[] = [];
  readonly failures: Preview["failures"][number][] = [];
  readonly #kernel = new Kernel();
  readonly #lines = new EventLines(this.#kernel);
  readonly #plain: Mapper;
  /** Absent if the target has no rules for events. */
  readonly #delivering: Mapper | undefined;

  constructor(
    private readonly options: MapperOptions,
    private readonly limit: number,
  ) {
    const { target, ...plain } = options;
    this.#plain = createMapper(this.#kernel, plain);
    this.#delivering = target && createMapper(this.#kernel, options);
  }

  async read(
    sources: readonly Source[],
    open: ReturnType<typeof openSources>,
    tools: Parameters<ReturnType<typeof openSources>>[3],
  ): Promise<void> {
    for (const source of sources) {
      if (this.rows.length >= this.limit) return;
      try {
        const range = {
          source,
          start: 0,
          end: null,
          first: { rows: this.limit - this.rows.length, bytes: source.size },
        };
        const reader = await open(this.#kernel, range, this.#plain.fields, tools);
        try {
          for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
            this.#take(source.name, batch);
            if (this.rows.length >= this.limit) break;
          }
        } finally {
          await reader.close();
        }
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        this.failures.push({ source: source.name, code: error.code, message: error.message });
      }
    }
  }

  #take(source: string, batch: Batch): void {
    const before = this.#rowsOf(this.#plain.map(batch), batch.rows);
    const after = this.#delivering && this.#rowsOf(this.#delivering.map(batch), batch.rows);
    for (let row = 0; row < batch.rows && this.rows.length < this.limit; row++) {
      const { events } = before[row] as MappedRow;
      const { events: delivered, ...end } = (after ?? before)[row] as MappedRow;
      const { target } = this.options;
      this.rows.push({
        source,
        ...positionOf(source, batch.raw, row),
        events,
        ...(after === undefined ? {} : { repaired: delivered }),
        breaches: target === undefined ? [] : delivered.flatMap((one) => this.#breachesOf(one)),
        ...end,
      });
    }
  }

  #breachesOf(event: PreviewEvent): readonly Breach[] {
    const { target } = this.options;
    if (target === undefined) return [];
    const { repair, rules } = target;
    // Repaired fields are in front of the others, and found.
    const found = checkEvent(event, rules);
    return repair.includes("users") ? found.filter(({ rule }) => rule !== "user") : found;
  }

  #rowsOf(events: EventBatch, count: number): readonly MappedRow[] {
    const rows = Array.from({ length: count }, (): WrittenRow => ({ events: [] }));
    for (const { row, text } of this.#lines.of(events)) {
      const event = JSON.parse(Buffer.from(text).toString()) as PreviewEvent;
      rows[events.sourceRow(row)]?.events.push(event);
    }
    for (let row = 0; row < events.rows; row++) {
      const outcome = events.kernel.bytes[events.outcomes + row] ?? outcomes.filtered;
      const written = rows[events.sourceRow(row)];
      if (outcome === outcomes.deliver || written === undefined) continue;
      if (outcome === outcomes.filtered) written.isFiltered = true;
      else written.reject = { code: rejectCodeName(outcome), message: events.explain(row) };
    }
    return rows;
  }
}

/** Rows that were kept from another source have their position in this one. */
function positionOf(
  name: string,
  raw: RawRows,
  index: number,
): Pick<PreviewRow, "row" | "byte" | "element"> {
  const { source, row, byte, element } = raw.origin?.(index) ?? {};
  if (source === name) return omitUndefined({ row, byte, element });
  return omitUndefined({ row: raw.number(index), byte: raw.offset(index) });
}

type MappedRow = Pick<PreviewRow, "events" | "reject" | "isFiltered">;

interface WrittenRow {
  readonly events: PreviewEvent[];
  reject?: NonNullable<PreviewRow["reject"]>;
  isFiltered?: true;
}
