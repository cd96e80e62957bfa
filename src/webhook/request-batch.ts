import { createHash } from "node:crypto";
import type { EventBatch } from "../batch/event-batch.js";
import type { Origin } from "../sinks/sink.js";
import { type BodyForm, bodyFrames } from "./body-form.js";
import type { EventLine } from "./event-lines.js";
import type { RowFault } from "./judge-answer.js";

/** Events of one request, each as JSON text. */
export interface RequestBatch {
  /** `Idempotency-Key` of the whole batch. */
  readonly key: string;
  readonly texts: readonly Uint8Array[];
}

const COMMA = 0x2c;

/** Returns the body of the events at these indexes of a request batch. */
export function bodyOf(
  { texts }: RequestBatch,
  rows: readonly number[],
  form: BodyForm,
): Uint8Array {
  if (form === "object") return texts[rows[0] ?? 0] ?? new Uint8Array();
  const [before, after] = bodyFrames[form];
  const frame = before.length + after.length;
  const size = rows.reduce((sum, row) => sum + (texts[row]?.length ?? 0) + 1, frame - 1);
  const body = Buffer.allocUnsafe(Math.max(size, frame));
  let end = body.write(before);
  for (const row of rows) {
    const text = texts[row] ?? new Uint8Array();
    body.set(text, end);
    end += text.length;
    if (end < size - after.length) body[end++] = COMMA;
  }
  body.write(after, end);
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
