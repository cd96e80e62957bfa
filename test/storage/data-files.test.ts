import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { consoleFile, eventFile, requireAllDatabases } from "../../src/storage/data-files.js";
import { checkDatabase, openDatabase } from "../../src/storage/open-database.js";
import { openEventStore, openSqliteKeys, openSqliteStore } from "../../src/storage/sqlite-store.js";
import { scratchDirectory } from "../support/scratch.js";
import { key } from "./records.js";

const newDirectory = () => scratchDirectory("data-files");
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

async function withKey(): Promise<string> {
  const directory = newDirectory();
  const { keys, close } = await openSqliteKeys(directory);
  await keys.insert(key("k", "1"));
  close();
  return directory;
}

async function withEvent(): Promise<string> {
  const directory = newDirectory();
  const database = await openDatabase(join(directory, eventFile.name), eventFile.schema);
  database.execute("INSERT INTO event_series VALUES (1, '2026-01-01', 'e', 1)");
  database.execute("INSERT INTO event VALUES (1, 1, 1767225600000, '{}')");
  database.close();
  return directory;
}

describe("the files of a data directory", () => {
  it("can be read by their owner only, also those that an earlier version made", async () => {
    const directory = join(newDirectory(), "a", "b");
    const path = join(directory, consoleFile.name);
    const database = await openDatabase(path, consoleFile.schema);
    expect(modeOf(directory)).toBe("700");
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(modeOf(file), file).toBe("600");
    database.close();
    chmodSync(path, 0o644);
    (await openDatabase(path, consoleFile.schema)).close();
    expect(modeOf(path)).toBe("600");
  });

  it("keep the mode of a directory that existed", async () => {
    const directory = join(newDirectory(), "shared");
    mkdirSync(directory);
    chmodSync(directory, 0o755);
    (await openDatabase(join(directory, consoleFile.name), consoleFile.schema)).close();
    expect(modeOf(directory)).toBe("755");
  });
});

describe("a missing database", () => {
  it("is refused beside one that holds keys", async () => {
    const directory = await withKey();
    rmSync(join(directory, eventFile.name));
    await expect(requireAllDatabases(directory)).rejects.toMatchObject({
      code: "database_missing",
      message: expect.stringMatching(/events\.db is missing beside console\.db; restore/),
    });
    await expect(openSqliteKeys(directory)).rejects.toMatchObject({ code: "database_missing" });
    expect(existsSync(join(directory, eventFile.name))).toBe(false);
  });

  it("is refused if it is empty beside one that holds keys or events", async () => {
    const [keys, events] = [await withKey(), await withEvent()];
    truncateSync(join(keys, eventFile.name));
    writeFileSync(join(events, consoleFile.name), "");
    for (const directory of [keys, events]) {
      await expect(requireAllDatabases(directory)).rejects.toMatchObject({
        code: "database_missing",
        message: expect.stringMatching(/\.db is empty \(0 bytes\) beside \w+\.db; restore it/),
      });
    }
    expect(statSync(join(events, consoleFile.name)).size).toBe(0);
  });

  it("is refused beside one that holds events", async () => {
    const refused = requireAllDatabases(await withEvent());
    await expect(refused).rejects.toMatchObject({ code: "database_missing" });
  });

  it("is made where a first start was interrupted", async () => {
    const directory = newDirectory();
    (await openDatabase(join(directory, consoleFile.name), consoleFile.schema)).close();
    await requireAllDatabases(directory);
    await requireAllDatabases(newDirectory());
  });
});

describe("the files of an open store", () => {
  const damages: readonly (readonly [string, (path: string) => void])[] = [
    ["removed", (path) => rmSync(path)],
    ["replaced", (path) => cpSync(path, `${path}2`) ?? renameSync(`${path}2`, path)],
    ["emptied", (path) => truncateSync(path)],
    ["overwritten", (path) => writeFileSync(path, Buffer.alloc(4096, 1), { flag: "r+" })],
  ];

  it.each(damages)("are found to be damaged if one is %s", async (_, damage) => {
    for (const { name } of [consoleFile, eventFile]) {
      const directory = await withKey();
      const store = await openSqliteStore(directory, openEventStore);
      await store.probe(false);
      await store.probe(true);
      damage(join(directory, name));
      await expect(store.probe(false)).rejects.toMatchObject({
        code: "database_damaged",
        message: expect.stringContaining(name),
      });
      await store.close().catch(() => undefined);
    }
  });

  it("stay locked after a probe: another process that closes them leaves the logs", async () => {
    const directory = await withKey();
    const store = await openSqliteStore(directory, openEventStore);
    await store.probe(false);
    const readAndClose = `const database = new (require("libsql"))(process.argv[1]);
      database.prepare("SELECT count(*) FROM sqlite_schema").get();
      database.close();`;
    for (const { name } of [consoleFile, eventFile]) {
      const path = join(directory, name);
      execFileSync(process.execPath, ["-e", readAndClose, path]);
      expect(existsSync(`${path}-wal`), name).toBe(true);
    }
    await store.keys.insert(key("l", "2"));
    const { keys, close } = await openSqliteKeys(directory);
    expect(await keys.list()).toHaveLength(2);
    close();
    await store.close();
  });
});

describe("a check of a database", () => {
  it("finds nothing in a sound one", async () => {
    const path = join(await withEvent(), eventFile.name);
    expect(checkDatabase(path, eventFile.schema)).toEqual([]);
  });

  it("finds wrong sums and lost references", async () => {
    const path = join(await withEvent(), eventFile.name);
    const database = await openDatabase(path, eventFile.schema);
    database.execute("PRAGMA foreign_keys = OFF; UPDATE event_series SET events = 7");
    database.execute("INSERT INTO event VALUES (2, 9, 0, '{}')");
    database.close();
    expect(checkDatabase(path, eventFile.schema)).toEqual([
      "row 2 of event refers to a missing row of event_series",
      "event_series 1 counts 7 events, but has 1",
    ]);
  });

  it("finds wrong sums of days and names of events, also missing ones", async () => {
    const path = join(await withEvent(), eventFile.name);
    const database = await openDatabase(path, eventFile.schema);
    database.execute("UPDATE event_day SET events = 3; DELETE FROM event_name");
    database.close();
    expect(checkDatabase(path, eventFile.schema)).toEqual([
      "event_day 2026-01-01 counts 3 events, but event_series 1",
      "event_name e counts 0 events, but event_series 1",
    ]);
  });

  it("lists damage of the structure, for which the database is not opened", async () => {
    const directory = newDirectory();
    const path = join(directory, eventFile.name);
    const database = await openDatabase(path, eventFile.schema);
    database.execute("INSERT INTO event_series VALUES (1, '2026-01-01', 'e', 2000)");
    for (let n = 1; n <= 2000; n += 1) {
      database.run("INSERT INTO event VALUES (?, 1, ?, ?)", [n, n, "x".repeat(100)]);
    }
    database.execute(
      "DROP INDEX event_by_series; CREATE INDEX event_by_series ON event (series) WHERE sequence < 0",
    );
    // The index has no row of the table, but its definition says that it has all.
    database.execute(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX event_by_series ON event (series)' WHERE name = 'event_by_series'",
    );
    database.close();
    expect(checkDatabase(path, eventFile.schema)[0]).toMatch(/missing from index event_by_series/);

    writeFileSync(path, Buffer.alloc(4096, 1), { flag: "r+" });
    await expect(openDatabase(path, eventFile.schema)).rejects.toMatchObject({
      code: "database_damaged",
    });
  });
});
