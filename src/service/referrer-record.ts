import type { JsonObject } from "../contract/fields.js";
import { gate } from "../contract/gate.js";
import type { EntityRecord } from "../storage/store.js";

/** Words that other kinds use too, with another meaning. */
const gateOnly: ReadonlySet<string> = new Set(["status", "type", "typeReason"]);

/** An entity that references a gate, shaped like a gate. */
export function referrerRecord({ kind, body }: EntityRecord): JsonObject {
  const shared = Object.entries(body).filter(
    ([field]) => field in gate.shape && (kind === "gate" || !gateOnly.has(field)),
  );
  return { ...Object.fromEntries(shared), entityType: kind };
}
