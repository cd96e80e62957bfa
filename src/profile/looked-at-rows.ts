import { rejectCodes } from "../base/reject-codes.js";
import { type EventBatch, outcomes } from "../batch/event-batch.js";
import type { FieldCounts } from "./field-counts.js";
import { FieldTally, lackedTargets, type TallyMapping } from "./field-tally.js";
import { LACKING_KINDS } from "./profile-memory.js";
import type { PlaceOf, SampleCandidate } from "./row-samples.js";

/** Group of candidates whose fields are looked at (`LOOKED_AT` in src/kernels/profile/row-picks.ts). */
const LOOKED_AT_GROUP = 97;

const bitOf = (target: (typeof lackedTargets)[number]) => 1 << lackedTargets.indexOf(target);
const ALL = 2 ** lackedTargets.length - 1;
const [USER, EVENT, TIME] = [bitOf("user"), bitOf("event"), bitOf("timestamp")];
const [USER_ID, STABLE_ID] = [bitOf("userID"), bitOf("stableID")];

/** Counts the fields of the rows that the kernels choose, of one split. */
export class LookedAtRows {
  readonly #tally: FieldTally;

  constructor(mapping: TallyMapping) {
    this.#tally = new FieldTally(mapping);
  }

  clear(): void {
    this.#tally.clear();
  }

  /** `unseen`: rows for which none of those taken stands, by kind. */
  counts(unseen: Int32Array): FieldCounts | undefined {
    const counts = this.#tally.counts();
    if (counts === undefined) return undefined;
    const isWhole = (target: number) =>
      !unseen.some((rows, kind) => rows > 0 && (kind >= LACKING_KINDS || (kind >> target) & 1));
    const targets = counts.targets.map((target, index) => ({
      ...target,
      isExact: target.isExact && isWhole(index),
    }));
    return { ...counts, targets };
  }

  take(events: EventBatch, candidates: readonly SampleCandidate[], placeOf: PlaceOf): void {
    const { batch, kernel } = events;
    for (const { row, group, order } of candidates) {
      if (group !== LOOKED_AT_GROUP) continue;
      const members = batch.raw.members?.(events.sourceRow(row));
      if (members === undefined) continue;
      const code = kernel.bytes[events.outcomes + row]!;
      const lacks =
        code === outcomes.deliver ? Math.floor(order / 2 ** 32) : rejectedLacks(events, row, code);
      this.#tally.add({
        members,
        lacks,
        known: code === outcomes.deliver ? ALL : knownOf(events, row, code),
        event: events.event.text(row) ?? undefined,
        texts: {
          userID: events.userID.text(row),
          stableID: events.stableID.text(row),
          value: events.value.text(row),
          insertID: events.insertID?.text(row),
        },
        weight: order % 2 ** 32,
        place: () => placeOf(events, row),
      });
    }
  }
}

/**
 * Rejected rows have no object of the user, and no time if another fault was found first; no columns at
 * all behind a transform.
 */
function knownOf({ event }: EventBatch, row: number, code: number): number {
  if (code === rejectCodes.event_missing) return EVENT;
  const columns = event.kind(row) === 0 ? 0 : ALL & ~USER & ~TIME;
  return code === rejectCodes.time_missing ? columns | TIME : columns | USER_ID | STABLE_ID;
}

function rejectedLacks(events: EventBatch, row: number, code: number): number {
  const { userID, stableID, value, metadata, insertID, event } = events;
  const isNull = {
    userID: userID.kind(row) === 0,
    stableID: stableID.kind(row) === 0,
    value: value.kind(row) === 0,
    metadata: metadata.length(row) <= EMPTY_OBJECT_BYTES,
    insertID: insertID === undefined || insertID.kind(row) === 0,
    event: event.kind(row) === 0,
    timestamp: code === rejectCodes.time_missing,
  };
  return lackedTargets.reduce(
    (bits, target, index) => (target !== "user" && isNull[target] ? bits | (1 << index) : bits),
    0,
  );
}

const EMPTY_OBJECT_BYTES = 2;
