import { createHash } from "node:crypto";
import type { EventBatch } from "../batch/event-batch.js";
import type { Origin } from "../sinks/sink.js";
import type { EventLine } from "./event-lines.js";
import type { RowFault } from "./judge-answer.js";

export const bodyForms = ["object", "array"] as const;
/** One event as a JSON object, or several as an array of them. */
export type BodyForm = (typeof bodyForms)[number];

/** An idempotency key comes from the position of its events in the inputs, or from their insert id. */
export const idempotencyKeys = ["position", "insertID"] as const;

/** Events of one request, each as JSON text. */
export interface RequestBatch {
  /** `Idempotency-Key` of the whole batch. */
  readonly key: string;
  readonly texts: readonly Uint8Array[];
}

const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;

/** Returns the body of the events at these indexes of a request batch. */
export function bodyOf(
  { texts }: RequestBatch,
  rows: readonly number[],
  form: BodyForm,
): Uint8Array {
  if (form === "object") return texts[rows[0] ?? 0] ?? new Uint8Array();
  const size = rows.reduce((sum, row) => sum + (texts[row]?.length ?? 0) + 1, 1);
  const body = Buffer.allocUnsafe(size);
  body[0] = OPEN;
  let end = 1;
  for (const row of rows) {
    const text = texts[row] ?? new Uint8Array();
    body.set(text, end);
    end += text.length;
    body[end++] = COMMA;
  }
  body[end - 1] = CLOSE;
  return body;
}

/**
 * Returns the key of a part of a request batch. It is a function of the batch's key and of the
 * rows: after a kill the same parts are sent under the same keys.
 */
export function keyOf({ key, texts }: RequestBatch, rows: readonly number[]): string {
  if (rows.length === texts.length) return key;
  const digest = createHash("sha256").update(rows.join(",")).digest("hex");
  return `${key}-${digest.slice(0, 16)}`;
}

/**
 * A request batch that is being filled or sent, with the origin of its events: their rows while
 * their event batch is valid, then what is needed to reject them.
 */
export class OpenRequestBatch {
  readonly texts: Uint8Array[] = [];
  /** Key of its only event, if that has one. */
  eventKey: string | undefined;
  readonly #kept: ((message: string) => void)[] = [];
  #rows: number[] = [];
  #events: EventBatch | undefined;

  constructor(
    readonly origin: Origin,
    readonly rangeKey: string,
    /** Index in its range, from 0. */
    readonly number: number,
  ) {}

  add(events: EventBatch, { row, text }: EventLine): void {
    this.#events = events;
    this.#rows.push(row);
    this.texts.push(text);
  }

  /** Makes the request batch independent of the event batch that its events are in. */
  detach(): void {
    const events = this.#events;
    if (events === undefined) return;
    this.#kept.push(...this.#rows.map((row) => this.origin.keep(events, row)));
    this.#rows = [];
    this.#events = undefined;
  }

  refuse(faults: readonly RowFault[]): void {
    if (faults.length === 0) return;
    this.detach();
    for (const { row, message } of faults) this.#kept[row]?.(message);
  }
}
