import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import Connection from "libsql";
import { describe, expect, it } from "vitest";
import { listFilterOf } from "../../src/contract/list-query.js";
import { consoleFile, eventFile } from "../../src/storage/data-files.js";
import { consoleSchema, eventSchema, type Schema } from "../../src/storage/database-schemas.js";
import { migrate, openDatabase } from "../../src/storage/open-database.js";
import { SqliteDatabase } from "../../src/storage/sqlite-database.js";
import { openSqliteStore } from "../../src/storage/sqlite-store.js";
import { withoutPrivileges } from "../support/privileges.js";
import { processScript } from "../support/process-scripts.js";
import { scratchDirectory } from "../support/scratch.js";
import { look } from "./open-entities.js";
import { key, withoutEvents } from "./records.js";

const newDirectory = () => scratchDirectory("sqlite-migration");

const run = promisify(execFile);
const script = processScript("open-store");

const first = ["CREATE TABLE a (x INTEGER)", "INSERT INTO a VALUES (1)"];
const second = ["ALTER TABLE a ADD COLUMN y INTEGER", "UPDATE a SET y = x + 1"];
const schemaOf = (...migrations: readonly string[][]): Schema => ({
  applicationID: 77,
  migrations,
});

async function contentAfter(path: string, schema: Schema) {
  const database = await openDatabase(path, schema);
  const content = {
    ...look(database, "SELECT * FROM a"),
    ...look(database, "PRAGMA user_version"),
  };
  database.close();
  return content;
}

describe("migrations", () => {
  it("are applied in order, each once", async () => {
    const path = join(newDirectory(), "some.db");
    const old = { x: 1, user_version: 1 };
    expect(await contentAfter(path, schemaOf(first))).toEqual(old);
    expect(await contentAfter(path, schemaOf(first))).toEqual(old);
    const upToDate = { x: 1, y: 2, user_version: 2 };
    expect(await contentAfter(path, schemaOf(first, second))).toEqual(upToDate);
    expect(await contentAfter(path, schemaOf(first, second))).toEqual(upToDate);
  });

  it("leave the database unchanged if one fails", async () => {
    const path = join(newDirectory(), "some.db");
    await contentAfter(path, schemaOf(first));
    const broken = schemaOf(first, [...second, "INSERT INTO nowhere VALUES (1)"]);
    await expect(openDatabase(path, broken)).rejects.toMatchObject({
      code: "database_failed",
      message: expect.stringContaining("nowhere"),
    });
    expect(await contentAfter(path, schemaOf(first))).toEqual({ x: 1, user_version: 1 });
  });

  it("run once if processes start at the same time", async () => {
    for (let round = 0; round < 4; round += 1) {
      const directory = join(newDirectory(), "new");
      const starts = [1, 2].map(() => run(process.execPath, [script, directory]));
      for (const { stdout } of await Promise.all(starts)) expect(stdout).toBe("0\n");
    }
  });

  it("see the changes that another process has just made", async () => {
    const path = join(newDirectory(), "some.db");
    class Overtaken extends SqliteDatabase {
      override transaction<Result>(work: () => Result): Result {
        const other = new SqliteDatabase(path);
        migrate(other, schemaOf(first, second));
        other.close();
        return super.transaction(work);
      }
    }
    const database = new Overtaken(path);
    migrate(database, schemaOf(first, second));
    expect(look(database, "SELECT count(*) AS n FROM a")).toEqual({ n: 1 });
    database.close();
  });

  it("refuse a database that is newer than the code, and do not change it", async () => {
    const path = join(newDirectory(), "some.db");
    await contentAfter(path, schemaOf(first, second));
    await expect(openDatabase(path, schemaOf(first))).rejects.toMatchObject({
      code: "database_newer",
      message: expect.stringMatching(/some\.db.*version 2.*up to 1/),
    });
    expect((await contentAfter(path, schemaOf(first, second)))["user_version"]).toBe(2);
  });

  it("let lists find the entities that an older version stored", async () => {
    const directory = newDirectory();
    const path = join(directory, consoleFile.name);
    const migrations = consoleSchema.migrations.slice(0, 1);
    const old = await openDatabase(path, { ...consoleSchema, migrations });
    const bodies = [
      { id: "a", name: "A", status: "Archived", tags: ["x"], targetApps: "web" },
      { id: "b", name: "B", status: "Launched", tags: ["x", "y"], targetApps: ["web", "ios"] },
      { id: "c", name: "C", description: "Words" },
    ];
    for (const [index, body] of bodies.entries()) {
      const entity = [index + 1, "gate", body.id, body.name, 1, 0, "[]"];
      old.run("INSERT INTO entity VALUES (?, ?, ?, ?, ?, ?, ?)", entity);
      const version = [index + 1, 1, JSON.stringify(body)];
      old.run("INSERT INTO entity_version VALUES (?, ?, ?)", version);
    }
    old.close();
    const store = await openSqliteStore(directory, withoutEvents);
    const found = async (query: Parameters<typeof listFilterOf>[0]) => {
      const filter = listFilterOf(query);
      const page = await store.entities.list("gate", { start: 0, count: 9 }, filter);
      return page.items.map(({ id }) => id).join("");
    };
    expect(await found({})).toBe("bc");
    expect(await found({ tags: ["x"] })).toBe("b");
    expect(await found({ tags: ["x"], includeArchived: true })).toBe("ab");
    expect(await found({ targetAppID: ["web"], status: ["archived"] })).toBe("a");
    expect(await found({ status: ["launched"] })).toBe("b");
    expect(await found({ search: "words" })).toBe("c");
    await store.close();
  });

  it("sum up the events that an older version counted", async () => {
    const path = join(newDirectory(), eventFile.name);
    const migrations = eventSchema.migrations.slice(0, 3);
    const old = await openDatabase(path, { ...eventSchema, migrations });
    old.execute(`INSERT INTO event_series VALUES (1, '2026-01-01', 'a', 2),
      (2, '2026-01-01', 'b', 3), (3, '2026-01-02', 'a', 5)`);
    old.close();
    const database = await openDatabase(path, eventSchema);
    expect(database.all("SELECT * FROM event_day")).toEqual([
      { day: "2026-01-01", events: 5 },
      { day: "2026-01-02", events: 5 },
    ]);
    expect(database.all("SELECT * FROM event_name")).toEqual([
      { event: "a", events: 7 },
      { event: "b", events: 3 },
    ]);
    database.close();
  });

  it("refuse another program's database, and do not change it", async () => {
    const directory = newDirectory();
    const path = join(directory, consoleFile.name);
    const other = new Connection(path);
    other.exec("CREATE TABLE theirs (x)");
    other.close();
    const before = readFileSync(path);
    const opened = openSqliteStore(directory, withoutEvents);
    await expect(opened).rejects.toMatchObject({ code: "database_foreign" });
    expect(readFileSync(path)).toEqual(before);
  });
});

describe("a data directory", () => {
  it("with a file that is not a database is refused, and the file stays unchanged", async () => {
    const directory = newDirectory();
    const path = join(directory, consoleFile.name);
    for (const content of ["no database, but long enough to be one. ".repeat(200), "short"]) {
      writeFileSync(path, content);
      const opened = openSqliteStore(directory, withoutEvents);
      await expect(opened, content).rejects.toMatchObject({
        code: "database_damaged",
        message: expect.stringContaining(path),
      });
      expect(readFileSync(path, "utf8")).toBe(content);
    }
  });

  it("with a damaged database is refused or answers with the error", async () => {
    const directory = newDirectory();
    const before = await openSqliteStore(directory, withoutEvents);
    await before.keys.insert(key("k", "1"));
    await before.close();
    const path = join(directory, consoleFile.name);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, 4096));
    const asked = openSqliteStore(directory, withoutEvents).then((store) => store.keys.list());
    await expect(asked).rejects.toMatchObject({ code: "database_damaged" });
  });

  it("below a file is refused", async () => {
    const path = join(newDirectory(), "file");
    writeFileSync(path, "");
    const unwritable = { code: "database_unwritable", message: expect.stringContaining(path) };
    for (const directory of [path, join(path, "data")]) {
      const opened = openSqliteStore(directory, withoutEvents);
      await expect(opened, directory).rejects.toMatchObject(unwritable);
    }
  });

  it("that is not writable is refused, new or used before", async () => {
    const above = newDirectory();
    chmodSync(above, 0o755);
    const used = join(above, "used");
    // In a process of its own: this one would go on with the files that it opened as root.
    await run(process.execPath, [script, used]);
    const empty = join(above, "empty");
    mkdirSync(empty);
    for (const directory of [used, empty]) chmodSync(directory, 0o555);
    for (const directory of [used, empty, join(empty, "below")]) {
      const opened = withoutPrivileges(() => openSqliteStore(directory, withoutEvents));
      const unwritable = { code: "database_unwritable" };
      await expect(opened, directory).rejects.toMatchObject(unwritable);
    }
  });
});
