import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { processScript } from "../support/process-scripts.js";
import { isCi } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";
import { look, openEntities } from "./open-entities.js";
import { everything } from "./records.js";

const KILLS = isCi ? 6 : 2;
/** Acknowledged writes after which a process is killed at the latest. */
const WRITES_MAX = 60;

const script = processScript("write-entities");

/** Lets a process write until it has acknowledged `writes`, and kills it: all that it acknowledged. */
async function killedAfter(directory: string, prefix: string, writes: number) {
  const child = spawn(process.execPath, [script, directory, prefix], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text: string) => {
    printed += text;
    if (printed.split("\n").length > writes) child.kill("SIGKILL");
  });
  const [, signal] = await once(child, "close");
  expect(signal).toBe("SIGKILL");
  const lines = printed.split("\n").slice(0, -1);
  return lines
    .map((line) => line.split(" "))
    .map(([id, version]) => ({ id, version: Number(version) }));
}

it("has every acknowledged write after a kill, and others entirely or not at all", async () => {
  const directory = scratchDirectory("store-kill");
  const expected = new Map<string, number>();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const writes = 1 + Math.floor(Math.random() * WRITES_MAX);
    for (const { id, version } of await killedAfter(directory, `k${kill}`, writes)) {
      expected.set(id as string, version);
    }
    await requireWhole(directory, expected);
  }
});

async function requireWhole(directory: string, acknowledged: ReadonlyMap<string, number>) {
  const { database, entities } = await openEntities(directory);
  expect(look(database, "PRAGMA integrity_check")).toEqual({ integrity_check: "ok" });
  expect(database.all("PRAGMA foreign_key_check")).toEqual([]);
  const { items, totalItems } = await entities.list("gate", everything);
  expect(items).toHaveLength(totalItems);

  for (const [id, version] of acknowledged) {
    const stored = items.find((item) => item.id === id)?.version ?? 0;
    // One write beyond the acknowledged one may have been on its way: the next version, or the removal.
    expect([version, version + 1, 0], id).toContain(stored);
    if (version === 0) expect(stored, id).toBe(0);
  }
  for (const item of items) {
    const { id, version } = item;
    expect(acknowledged.get(id) ?? 0, id).toBeGreaterThanOrEqual(version - 1);
    const versions = await entities.versions(item, everything);
    const bodies = Array.from({ length: version }, (_, n) => ({ id, version: version - n }));
    expect(versions.items, id).toMatchObject(bodies);
    expect(versions.totalItems).toBe(version);
    expect(item.body, id).toEqual(versions.items[0]);
    expect(item.references).toEqual([{ kind: "segment", id: `${id}-${version}` }]);
  }
  // The log has each write that is stored, once: all versions, and the removals.
  const latest = new Map<string, number | null>();
  for (const { id, version } of await entities.changesAfter(0, Number.MAX_SAFE_INTEGER)) {
    if (version !== null) expect(version, id).toBe((latest.get(id) ?? 0) + 1);
    latest.set(id, version);
  }
  expect(new Map([...latest].filter(([, version]) => version !== null))).toEqual(
    new Map(items.map(({ id, version }) => [id, version])),
  );
  // Nothing of what is gone is left: one version each, one reference each, counted right.
  const count = (table: string) => look(database, `SELECT count(*) AS n FROM ${table}`)["n"];
  const versions = items.reduce((sum, { version }) => sum + version, 0);
  expect([count("entity_version"), count("reference")]).toEqual([versions, items.length]);
  expect(look(database, "SELECT sum(referrers) AS n FROM referrer_total")["n"]).toBe(items.length);
  database.close();
}
