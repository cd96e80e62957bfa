// Fills a data directory with gates without the service, as creating them by HTTP would take a minute.
import { join } from "node:path";
import { consoleFile } from "../../src/storage/data-files.js";
import { consoleSchema } from "../../src/storage/database-schemas.js";
import { openDatabase } from "../../src/storage/open-database.js";
import { SqliteEntityStore } from "../../src/storage/sqlite-entity-store.js";

const REFERRERS = 150;

/** Words of the descriptions; each occurs in about a fifth of the gates. */
const words = [
  "checkout",
  "banner",
  "ranking",
  "onboarding",
  "payment",
  "search",
  "header",
  "cart",
];

/** Copies `template`, a gate that the service made. The first copies refer to it. */
export async function seedGates(directory, template, count) {
  const database = await openDatabase(join(directory, consoleFile.name), consoleSchema);
  // A sync of the disk for each gate would take a minute.
  database.execute("PRAGMA synchronous = OFF");
  const entities = new SqliteEntityStore(database);
  for (let index = 0; index < count; index += 1) {
    const gate = record(template, index);
    await entities.write(gate, () => gate);
  }
  database.close();
}

function record(template, index) {
  const id = `gate_${index}`;
  const name = `Gate ${index}`;
  const createdTime = template.createdTime + index;
  const pointing = index < REFERRERS;
  const condition = { type: "passes_gate", targetValue: template.id };
  const rules = pointing ? [{ ...template.rules[0], conditions: [condition] }] : template.rules;
  const varied = {
    description: `${words[index % 8]} of ${words[(index * 5 + 3) % 8]}, ${words[(index >> 3) % 8]}`,
    tags: [`team-${index % 50}`, `area-${index % 7}`],
    type: index % 3 === 0 ? "PERMANENT" : "TEMPORARY",
    creatorName: `Writer ${index % 20}`,
    targetApps: index % 2 === 0 ? ["web"] : ["web", "ios"],
  };
  return {
    kind: "gate",
    id,
    name,
    version: 1,
    createdTime,
    body: { ...template, ...varied, id, name, createdTime, rules },
    references: pointing ? [{ kind: "gate", id: template.id }] : [],
  };
}
