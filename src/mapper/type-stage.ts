import { rejectCodes } from "../base/reject-codes.js";
import { cellKinds } from "../batch/column.js";
import { type EventBatch, outcomes } from "../batch/event-batch.js";
import {
  isOfType,
  type TargetTypes,
  type TextType,
  type TypedTarget,
} from "../batch/text-types.js";

const QUOTE = 0x22;

/**
 * Rejects events whose texts do not have the types of their columns. A value that is a number in quotes
 * loses its quotes.
 */
export class TypeStage {
  readonly #targets: readonly (readonly [target: TypedTarget, type: TextType])[];

  constructor(types: TargetTypes) {
    this.#targets = Object.entries(types) as [TypedTarget, TextType][];
  }

  apply(events: EventBatch): void {
    for (const [target, type] of this.#targets) checkCells(events, target, type);
  }
}

function checkCells(events: EventBatch, target: TypedTarget, type: TextType): void {
  const column = events[target];
  if (column === undefined) throw new Error(`the events have no column ${target}`);
  const { bytes, u32 } = events.kernel;
  const [starts, lengths] = [column.starts / 4, column.lengths / 4];
  for (let row = 0; row < events.rows; row++) {
    if (bytes[events.outcomes + row] !== outcomes.deliver) continue;
    if (bytes[column.kinds + row] === cellKinds.null) continue;
    let start = u32[starts + row]!;
    let length = u32[lengths + row]!;
    if (target === "value" && bytes[start] === QUOTE) {
      start++;
      length -= 2;
    }
    if (!isOfType(bytes, start, start + length, type)) {
      bytes[events.outcomes + row] = rejectCodes.type_mismatch;
    } else if (target === "value") {
      column.set(row, cellKinds.number, start, length);
    }
  }
}

/** Returns the text that a value's token stands for if it is a number. */
export function unquote(token: string): string {
  return token.startsWith('"') ? token.slice(1, -1) : token;
}
