import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { SqliteDatabase } from "../../src/storage/sqlite-database.js";
import { scratchDirectory } from "../support/scratch.js";
import { look, openEntities } from "./open-entities.js";
import { everything, gate, next } from "./records.js";

const newDirectory = () => scratchDirectory("sqlite-faults");

const lockScript = fileURLToPath(new URL("kit/hold-lock.mjs", import.meta.url));

const large = { text: "x".repeat(2_000_000) };

describe("a full disk", () => {
  it("refuses a write that does not fit entirely, keeps the others, and continues when there is room", async () => {
    const { database, entities } = await openEntities(newDirectory());
    const pages = Number(look(database, "PRAGMA page_count")["page_count"]);
    database.execute(`PRAGMA max_page_count = ${pages + 50}`);
    const outcomes = await Promise.allSettled([
      entities.insert(gate("a")),
      entities.insert(gate("large", { body: large, references: [{ kind: "gate", id: "t" }] })),
      entities.insert(gate("b")),
    ]);
    expect(outcomes).toMatchObject([
      { value: "inserted" },
      { reason: { code: "disk_full", message: expect.stringContaining("free some space") } },
      { value: "inserted" },
    ]);
    const { items, totalItems } = await entities.list("gate", everything);
    expect([items, totalItems]).toEqual([[gate("a"), gate("b")], 2]);
    expect((await entities.referrers(gate("t"), everything)).totalItems).toBe(0);

    database.execute("PRAGMA max_page_count = 1000000");
    expect(await entities.insert(gate("large", { body: large }))).toBe("inserted");
    expect(look(database, "PRAGMA integrity_check")).toEqual({ integrity_check: "ok" });
    database.close();
  });
});

describe("a write that fails in the middle", () => {
  it("stores nothing and does not affect other writes", async () => {
    const { database, entities } = await openEntities(newDirectory());
    await entities.insert(gate("a"));
    // The version exists already: the snapshot is refused after the entity was changed.
    const same = { ...next(gate("a"), { name: "New" }), version: 1 };
    const outcomes = await Promise.allSettled([
      entities.insert(gate("b")),
      entities.replace(same, { version: 1 }),
      entities.insert(gate("c")),
    ]);
    expect(outcomes).toMatchObject([
      { value: "inserted" },
      { reason: { code: "database_failed", message: expect.stringContaining("UNIQUE") } },
      { value: "inserted" },
    ]);
    expect(await entities.get(gate("a"))).toEqual(gate("a"));
    expect((await entities.versions(gate("a"), everything)).items).toEqual([gate("a").body]);
    expect(await entities.replace(next(gate("a")), { version: 1 })).toBe("replaced");
    database.close();
  });

  it("leaves no transaction open after any error", async () => {
    const { database, entities } = await openEntities();
    const defect = new Error("a defect");
    const fail = () => {
      throw defect;
    };
    await expect(entities.write(gate("a"), fail)).rejects.toBe(defect);
    expect(() => database.transaction(fail)).toThrow(defect);
    expect(() => database.snapshot(fail)).toThrow(defect);
    expect(await entities.insert(gate("a"))).toBe("inserted");
    await expect(entities.insert(gate("b", { body: { big: 1n } }))).rejects.toThrow("BigInt");
    expect(await entities.list("gate", everything)).toEqual({ items: [gate("a")], totalItems: 1 });
  });

  it("is refused after the store was closed", async () => {
    const { database, entities } = await openEntities(newDirectory());
    database.close();
    await expect(entities.insert(gate("a"))).rejects.toMatchObject({ code: "database_failed" });
    await expect(entities.get(gate("a"))).rejects.toMatchObject({ code: "database_failed" });
  });
});

describe("a database that another process has locked", () => {
  it("refuses writes after the timeout, serves reads, and accepts writes when it is unlocked", async () => {
    const { path, database, entities } = await openEntities(newDirectory());
    database.setBusyTimeout(10);
    await entities.insert(gate("a"));
    const other = new SqliteDatabase(path);
    other.execute("BEGIN IMMEDIATE");
    const writes = [entities.insert(gate("b")), entities.remove(gate("a"), { version: 1 })];
    const busy = { status: "rejected", reason: { code: "database_busy" } };
    expect(await Promise.allSettled(writes)).toMatchObject([busy, busy]);
    expect((await entities.list("gate", everything)).items).toEqual([gate("a")]);
    other.execute("ROLLBACK");
    expect(await entities.insert(gate("b"))).toBe("inserted");
    other.close();
    database.close();
  });

  it("makes a write wait until the other process is done", async () => {
    const { path, database, entities } = await openEntities(newDirectory());
    const holder = spawn(process.execPath, [lockScript, path], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");
    // The holder commits as soon as it reads this, which is while the write below blocks this thread.
    holder.stdin.write("commit");
    expect(await entities.insert(gate("a"))).toBe("inserted");
    await once(holder, "exit");
    database.close();
  });

  it("can checkpoint its log after reads have ended", async () => {
    const { path, database, entities } = await openEntities(newDirectory());
    await entities.insert(gate("a", { references: [{ kind: "gate", id: "a" }] }));
    await entities.insert(gate("b"));
    await entities.get(gate("a"));
    await entities.list("gate", { start: 0, count: 1 });
    await entities.versions(gate("a"), everything);
    await entities.referrers(gate("a"), everything);
    database.dataVersion();
    const other = new SqliteDatabase(path);
    expect(look(other, "PRAGMA wal_checkpoint(TRUNCATE)")).toMatchObject({ busy: 0 });
    other.close();
    database.close();
  });
});
