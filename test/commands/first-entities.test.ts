import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import { applyFirstEntities } from "../../src/commands/service/first-entities.js";
import { readEntityFiles } from "../../src/console/entities/entity-directory.js";
import { makeFirstData } from "../../src/storage/first-data.js";
import { openEventStore, openSqliteStore } from "../../src/storage/sqlite-store.js";
import { key } from "../storage/records.js";
import { fakeContext } from "../support/fake-context.js";
import { scratchDirectory } from "../support/scratch.js";
import { killServicesAfterEach, startServiceProcess } from "../support/service-process.js";

killServicesAfterEach();
const { signal } = new AbortController();

function newPlace(gates: readonly object[]) {
  const place = scratchDirectory("first-entities");
  const [data, entities] = [join(place, "data"), join(place, "first.json")];
  mkdirSync(data);
  writeFileSync(entities, JSON.stringify({ gates }));
  return { data, entities };
}

const one = { id: "one", name: "one", status: "Launched" };

async function gatesIn(data: string): Promise<readonly string[]> {
  const store = await openSqliteStore(data, openEventStore);
  const { items } = await store.entities.list("gate", { start: 0, count: 10 });
  await store.close();
  return items.map(({ id }) => id);
}

describe("the entities of a first start", () => {
  it("are stored once: a later start has data and leaves it alone", async () => {
    const { data, entities } = newPlace([one]);
    const files = await readEntityFiles(entities);
    expect(await applyFirstEntities(data, files, signal)).toBe(1);
    expect(
      readdirSync(data)
        .filter((name) => name.endsWith(".db"))
        .sort(),
    ).toEqual(["console.db", "events.db"]);
    expect(readdirSync(data)).not.toContain(".first-start");
    expect(await gatesIn(data)).toEqual(["one"]);
    writeFileSync(entities, JSON.stringify({ gates: [{ id: "two", name: "two" }] }));
    expect(await applyFirstEntities(data, await readEntityFiles(entities), signal)).toBe(undefined);
    expect(await gatesIn(data)).toEqual(["one"]);
  });

  it("leave databases that show the service what other processes write", async () => {
    const { data, entities } = newPlace([one]);
    await applyFirstEntities(data, await readEntityFiles(entities), signal);
    const store = await openSqliteStore(data, openEventStore);
    await store.keys.insert(key("k", "1"));
    const remove = `const database = new (require("libsql"))(process.argv[1]);
      database.exec("DELETE FROM key");
      database.close();`;
    execFileSync(process.execPath, ["-e", remove, join(data, "console.db")]);
    expect(await store.keys.list()).toEqual([]);
    await store.close();
  });

  it("are all stored, or none, and the error names the file and the key", async () => {
    const { data, entities } = newPlace([one, { id: "two", name: "t", isEnabled: 1 }]);
    await expect(applyFirstEntities(data, await readEntityFiles(entities), signal)).rejects.toThrow(
      /first.json: gates\[1\]: name: Must be at least 3 characters; isEnabled: Expected boolean/,
    );
    // The service refuses this one only when it gets it.
    const taken = [one, { id: "two", name: "one" }];
    writeFileSync(entities, JSON.stringify({ gates: taken }));
    await expect(applyFirstEntities(data, await readEntityFiles(entities), signal)).rejects.toThrow(
      /first.json: gates\[1\]: .*Name is already in use/,
    );
    expect(readdirSync(data)).toEqual(["serve.lock"]);
    writeFileSync(entities, JSON.stringify({ gates: [one] }));
    expect(await applyFirstEntities(data, await readEntityFiles(entities), signal)).toBe(1);
  });

  it("are not for a directory with keys, nor for one in memory", async () => {
    const { data, entities } = newPlace([one]);
    const store = await openSqliteStore(data, openEventStore);
    await store.keys.insert(key("k", "1"));
    await store.close();
    const files = await readEntityFiles(entities);
    expect(await applyFirstEntities(data, files, signal)).toBe(undefined);
    await expect(applyFirstEntities(":memory:", files, signal)).rejects.toMatchObject({
      exitCode: 2,
    });
  });

  it("are made anew after a kill, also between the two databases", async () => {
    const { data, entities } = newPlace([one]);
    const files = await readEntityFiles(entities);
    mkdirSync(join(data, ".first-start"));
    writeFileSync(join(data, ".first-start", "console.db"), "half");
    // The events come first, and have no content.
    (await openEventStore(data)).close();
    expect(await applyFirstEntities(data, files, signal)).toBe(1);
    expect(await gatesIn(data)).toEqual(["one"]);
    const failed = makeFirstData(join(data, "none"), () => Promise.reject(new Error("stop")));
    await expect(failed).rejects.toThrow("stop");
  });
});

it("serve --entities starts with them, and does not start if one is refused", async () => {
  const { data, entities } = newPlace([one]);
  const env = { SWITCHYARD_CONSOLE_KEY: `console-${"k".repeat(43)}` };
  const words = ["--entities", entities];
  const first = await startServiceProcess(data, { words, env });
  const read = (service: typeof first) =>
    service.call("/console/v1/gates/one", env.SWITCHYARD_CONSOLE_KEY);
  expect(await read(first)).toMatchObject({ json: { data: { status: "Launched", version: 2 } } });
  expect(first.stderr()).toContain(`First start: the entities of ${entities} are stored (1)\n`);
  await first.stop();
  const second = await startServiceProcess(data, { words, env });
  expect(await read(second)).toMatchObject({ json: { data: { version: 2 } } });
  expect(second.stderr()).toContain(
    `${data} has data: the entities of ${entities} were not applied`,
  );
  await second.stop();

  writeFileSync(entities, JSON.stringify({ gates: [{ id: "x" }] }));
  const { context, stderr } = fakeContext();
  const other = join(data, "other");
  const line = ["serve", "--listen", "0", "--data", other, ...words];
  expect(await runCommandLine(line, context)).toBe(1);
  expect(stderr.join("")).toMatch(
    /the entities of the first start were not stored; fix these files:\n {2}first.json: gates\[0\]: id: Must be at least 3 characters; name: Required \[entities_refused\]/,
  );
});
