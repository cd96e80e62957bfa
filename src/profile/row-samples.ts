import { SAMPLE_BYTES_MAX, TRACE_STEP_CHARACTERS_MAX, TRACE_STEPS_MAX } from "../base/limits.js";
import { rejectCodeName } from "../base/reject-codes.js";
import { sum } from "../base/sum.js";
import type { RowPlace } from "../batch/batch.js";
import type { EventBatch } from "../batch/event-batch.js";
import type { TraceStep } from "../batch/row-trace.js";
import { maskBytes, maskCutText, maskText } from "./masked-text.js";
import { LARGEST_MAX } from "./profile-memory.js";
import { decodeCut } from "./profile-tables.js";
import type { SplitLargest, SplitRejectSample, SplitSample } from "./split-profile.js";

/** Rows that are kept for each group (`PICKS` in src/kernels/profile/row-picks.ts). */
export const PICKS = 3;

/** Group numbers: event names are below the first, reject codes below the second; it is the largest rows. */
const PICKED_NAMES = 64;
const PICKED_GROUPS = 96;

/** Returns the position of a row in its source. */
export type PlaceOf = (events: EventBatch, row: number) => RowPlace;

interface Ranked {
  readonly order: number;
}

/** A copy of a row as bytes: most copies are replaced before their text is needed. */
interface KeptSample extends Ranked {
  readonly event: string;
  readonly place: RowPlace;
  readonly raw: Uint8Array;
  readonly parts: EventParts;
  readonly trace: readonly TraceStep[];
}

interface EventParts {
  readonly timestamp: number;
  readonly user: Uint8Array;
  readonly metadata: Uint8Array;
  readonly value: Uint8Array | undefined;
  readonly insertID: string | undefined;
}

/** A row that the kernels propose to keep. The smallest orders win, or the largest sizes. */
export interface SampleCandidate {
  readonly row: number;
  readonly group: number;
  readonly order: number;
}

/**
 * Rows of one split that a report shows: samples, rejects, and the largest events. A sample that ranks
 * behind three of earlier splits is left out, because the report keeps three.
 */
export class RowSamples {
  readonly #samples = new Map<number, readonly KeptSample[]>();
  readonly #rejects = new Map<number, readonly SplitRejectSample[]>();
  #largest: readonly SplitLargest[] = [];
  /** Event → its best samples in the splits before. */
  readonly #before = new Map<string, readonly Ranked[]>();

  /** Begins the next split of the same run. */
  clear(): void {
    for (const { event, order } of [...this.#samples.values()].flat()) {
      this.#before.set(event, smallest(this.#before.get(event), [{ order }]));
    }
    this.#samples.clear();
    this.#rejects.clear();
    this.#largest = [];
  }

  /** Copies the best candidates of a batch. */
  take(events: EventBatch, candidates: readonly SampleCandidate[], placeOf: PlaceOf): void {
    const byGroup = new Map<number, SampleCandidate[]>();
    for (const candidate of candidates) {
      const known = byGroup.get(candidate.group);
      if (known === undefined) byGroup.set(candidate.group, [candidate]);
      else known.push(candidate);
    }
    for (const [group, all] of byGroup) {
      if (group > PICKED_GROUPS) continue;
      if (group === PICKED_GROUPS) {
        this.#takeLargest(events, all, placeOf);
        continue;
      }
      const best = all.sort((a, b) => a.order - b.order).slice(0, PICKS);
      if (group < PICKED_NAMES) {
        const event = events.event.text(all[0]!.row) ?? "";
        const known = this.#samples.get(group);
        const [own, earlier] = [lastOf(known), lastOf(this.#before.get(event))];
        // Among equal orders the first split wins, which may be read later.
        const kept = best
          .filter(({ order }) => order < own && order <= earlier)
          .map((candidate) => keepSample(events, candidate, event, placeOf));
        this.#samples.set(group, smallest(known, kept));
      } else {
        const kept = best.map((candidate) => keepReject(events, candidate, placeOf));
        this.#rejects.set(group, smallest(this.#rejects.get(group), kept));
      }
    }
  }

  samples(): readonly SplitSample[] {
    return [...this.#samples.values()].flat().map(({ order, event, place, raw, parts, trace }) => ({
      order,
      event,
      ...place,
      raw: cutText(raw),
      result: resultText(event, parts),
      trace,
    }));
  }

  rejects(): readonly SplitRejectSample[] {
    return [...this.#rejects.values()].flat();
  }

  get largest(): readonly SplitLargest[] {
    return this.#largest;
  }

  #takeLargest(events: EventBatch, candidates: readonly SampleCandidate[], placeOf: PlaceOf): void {
    const best = candidates.toSorted((a, b) => b.order - a.order).slice(0, LARGEST_MAX);
    const fresh = best.map(({ row, order }) => ({
      event: events.event.text(row) ?? "",
      bytes: order,
      ...placeOf(events, row),
    }));
    this.#largest = largestOf(this.#largest, fresh);
  }
}

/** Returns the order of the last one that is kept; infinite if there is room for more. */
function lastOf(best: readonly Ranked[] = []): number {
  return best[PICKS - 1]?.order ?? Infinity;
}

/** Keeps the largest events. Of equal ones, those of `before` win. */
export function largestOf(
  before: readonly SplitLargest[],
  more: readonly SplitLargest[],
): readonly SplitLargest[] {
  return [...before, ...more].sort((a, b) => b.bytes - a.bytes).slice(0, LARGEST_MAX);
}

/** Keeps the samples with the smallest orders. */
export function smallest<T extends Ranked>(
  before: readonly T[] = [],
  fresh: readonly T[],
): readonly T[] {
  return [...before, ...fresh].sort((a, b) => a.order - b.order).slice(0, PICKS);
}

function keepSample(
  events: EventBatch,
  { row, order }: SampleCandidate,
  event: string,
  placeOf: PlaceOf,
): KeptSample {
  const { batch, kernel } = events;
  const value = events.value.kind(row) === 0 ? undefined : cutBytes(events.value.bytes(row));
  return {
    order,
    event,
    place: placeOf(events, row),
    raw: cutBytes(batch.raw.bytes(events.sourceRow(row))),
    parts: {
      timestamp: kernel.doubles[events.timestamps / 8 + row] as number,
      user: cutBytes(events.user.bytes(row)),
      metadata: cutBytes(events.metadata.bytes(row)),
      value,
      insertID: events.insertID?.text(row) ?? undefined,
    },
    trace: events.trace(row).filter(isShort).slice(0, TRACE_STEPS_MAX).map(maskStep),
  };
}

function keepReject(
  events: EventBatch,
  { row, group, order }: SampleCandidate,
  placeOf: PlaceOf,
): SplitRejectSample {
  const bytes = cutBytes(events.batch.raw.bytes(events.sourceRow(row)));
  const text = utf8Text(bytes);
  return {
    order,
    code: rejectCodeName(group - PICKED_NAMES),
    message: maskText(events.explain(row)),
    ...placeOf(events, row),
    raw: text ?? maskBytes(bytes).toString("base64"),
    isBase64: text === undefined,
  };
}

function isShort({ from, to }: TraceStep): boolean {
  return sum([...from, ...to], ({ length }) => length) <= TRACE_STEP_CHARACTERS_MAX;
}

/** Masks the names of members, as the texts of the sample are. */
function maskStep({ target, from, to }: TraceStep): TraceStep {
  return { target, from: from.map(maskText), to: to.map(maskText) };
}

/** Returns the event as it would be delivered, cut if long. */
function resultText(event: string, parts: EventParts): string {
  const { timestamp, user, metadata, value, insertID } = parts;
  const members = [
    `"event":${JSON.stringify(event)}`,
    `"timestamp":${timestamp}`,
    `"user":${cutText(user)}`,
    `"metadata":${cutText(metadata)}`,
    ...(value === undefined ? [] : [`"value":${cutText(value)}`]),
    ...(insertID === undefined ? [] : [`"insertID":${JSON.stringify(insertID)}`]),
  ];
  return cutText(encoder.encode(`{${members.join(",")}}`));
}

function cutBytes(bytes: Uint8Array): Uint8Array {
  return bytes.slice(0, SAMPLE_BYTES_MAX + 1);
}

/** Decodes bytes and masks what is personal; text that was cut ends in `…`. */
function cutText(bytes: Uint8Array): string {
  const text = decodeCut(bytes.subarray(0, SAMPLE_BYTES_MAX), bytes.length);
  return bytes.length > SAMPLE_BYTES_MAX ? maskCutText(`${text}…`) : maskText(text);
}

/** `cutText` for bytes that may not be UTF-8: undefined then. Ignores a character that was cut. */
function utf8Text(bytes: Uint8Array): string | undefined {
  if (bytes.length <= SAMPLE_BYTES_MAX) {
    const text = strictText(bytes);
    return text && maskText(text);
  }
  // A character has at most four bytes.
  for (let end = SAMPLE_BYTES_MAX; end > SAMPLE_BYTES_MAX - 4; end--) {
    const text = strictText(bytes.subarray(0, end));
    if (text !== undefined) return maskCutText(`${text}…`);
  }
  return undefined;
}

function strictText(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
