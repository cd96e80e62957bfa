// Fills a data directory with gates, past the service: creating them by HTTP would take a minute.
import { openEventStore } from "../../src/storage/sqlite-event-store.js";
import { openSqliteStore } from "../../src/storage/sqlite-store.js";

const TOGETHER = 2_000;
const REFERRERS = 150;

/** `template` is a gate as the service made it; the first few copies point at it. */
export async function seedGates(directory, template, count) {
  const store = await openSqliteStore(directory, openEventStore);
  for (let start = 0; start < count; start += TOGETHER) {
    const indexes = Array.from({ length: Math.min(TOGETHER, count - start) }, (_, n) => start + n);
    await Promise.all(indexes.map((index) => store.entities.insert(record(template, index))));
  }
  await store.close();
}

function record(template, index) {
  const id = `gate_${index}`;
  const name = `Gate ${index}`;
  const createdTime = template.createdTime + index;
  const pointing = index < REFERRERS;
  const condition = { type: "passes_gate", targetValue: template.id };
  const rules = pointing ? [{ ...template.rules[0], conditions: [condition] }] : template.rules;
  return {
    kind: "gate",
    id,
    name,
    version: 1,
    createdTime,
    body: { ...template, id, name, createdTime, rules },
    references: pointing ? [{ kind: "gate", id: template.id }] : [],
  };
}
