import { setImmediate as nextTurn } from "node:timers/promises";
import { DAY_MS } from "../base/day.js";
import type { Gate } from "../contract/gate.js";
import type { StaleGate, staleGateRoutes } from "../contract/stale-gates.js";
import type { Handlers } from "../http/handler.js";
import type { EventStore } from "../storage/event-store.js";
import type { GateAnswers } from "../storage/gate-answers.js";
import type { EntityStore } from "../storage/store.js";

/** Gates that are looked at in one turn of the event loop. */
const GATES_AT_ONCE = 100;

/** Gates that one page looks at. It then may have few gates, or none. */
const GATES_SEARCHED_MAX = 10_000;

interface StaleGateOptions {
  readonly entities: Pick<EntityStore, "list" | "referrers">;
  readonly events: Pick<EventStore, "gateAnswers">;
  /** Returns ms since the epoch. */
  now(): number;
}

/** Returns the handler of the list of gates that can probably be removed. */
export function staleGateHandlers({
  entities,
  events,
  now,
}: StaleGateOptions): Handlers<typeof staleGateRoutes> {
  /** Returns the stale gates among some, in their order. */
  async function staleOf(gates: readonly Gate[], since: number): Promise<readonly StaleGate[]> {
    const old = gates.filter((gate) => canBeStale(gate, since));
    if (old.length === 0) return [];
    const answers = await events.gateAnswers(
      old.map(({ id }) => id),
      since,
    );
    const answersOf = new Map(answers.map((answer) => [answer.gate, answer]));
    const stale: StaleGate[] = [];
    for (const gate of old) {
      const typeReason = reasonOf(answersOf.get(gate.id));
      if (typeReason === undefined) continue;
      const { id, name, lastModifiedTime, createdTime } = gate;
      const slice = { start: 0, count: 1 };
      const { totalItems } = await entities.referrers({ kind: "gate", id }, slice);
      // Others ask for it, which leaves no exposure of its own.
      if (typeReason === "STALE_PROBABLY_DEAD_CHECK" && totalItems > 0) continue;
      const {
        trueExposures = 0,
        falseExposures = 0,
        lastExposureTime = null,
      } = answersOf.get(id) ?? {};
      const evidence = { trueExposures, falseExposures, lastExposureTime, lastModifiedTime };
      stale.push({ id, name, typeReason, ...evidence, createdTime, referrers: totalItems });
    }
    return stale;
  }

  return {
    async listStaleGates({ query: { days, limit, cursor = "0" } }) {
      const since = now() - days * DAY_MS;
      const data: StaleGate[] = [];
      const begin = Number(cursor);
      for (let start = begin; ; ) {
        const slice = { start, count: GATES_AT_ONCE };
        const { items, totalItems } = await entities.list("gate", slice);
        const gates = items.map(({ bodyText }) => JSON.parse(bodyText) as Gate);
        for (const gate of await staleOf(gates, since)) {
          // The next page begins with a gate that this one has no room for.
          if (data.length === limit) {
            const nextCursor = String(start + gates.findIndex(({ id }) => id === gate.id));
            return { content: { data, nextCursor } };
          }
          data.push(gate);
        }
        start += items.length;
        if (items.length === 0 || start >= totalItems) {
          return { content: { data, nextCursor: null } };
        }
        if (start - begin >= GATES_SEARCHED_MAX) {
          return { content: { data, nextCursor: String(start) } };
        }
        await nextTurn();
      }
    },
  };
}

function canBeStale(gate: Gate, since: number): boolean {
  const { type, status, isTemplate, createdTime, lastModifiedTime } = gate;
  const isUnchanged = createdTime < since && lastModifiedTime < since;
  return isUnchanged && type !== "PERMANENT" && status !== "Archived" && !isTemplate;
}

function reasonOf(answers: GateAnswers | undefined): StaleGate["typeReason"] | undefined {
  const { trueExposures = 0, falseExposures = 0 } = answers ?? {};
  if (trueExposures === 0 && falseExposures === 0) return "STALE_PROBABLY_DEAD_CHECK";
  if (falseExposures === 0) return "STALE_ALL_TRUE";
  return trueExposures === 0 ? "STALE_ALL_FALSE" : undefined;
}
