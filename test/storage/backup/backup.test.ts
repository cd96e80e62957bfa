import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSnapshot } from "../../../src/storage/backup/data-snapshot.js";
import { restoreBackup } from "../../../src/storage/backup/restore-backup.js";
import { tableDigests } from "../../../src/storage/backup/table-digests.js";
import { writeBackup } from "../../../src/storage/backup/write-backup.js";
import {
  dataFiles,
  eventFile,
  lockDirectory,
  RESTORING,
  requireAllDatabases,
} from "../../../src/storage/data-files.js";
import { checkDatabase, openDatabase } from "../../../src/storage/open-database.js";
import { SqliteDatabase } from "../../../src/storage/sqlite-database.js";
import { openEventStore, openSqliteStore } from "../../../src/storage/sqlite-store.js";
import { propertyRuns } from "../../support/property-runs.js";
import { scratchDirectory } from "../../support/scratch.js";
import { stored } from "../event-figures-suite.js";
import { FIRST_TIME, gate, key } from "../records.js";

const { signal } = new AbortController();
const options = { overwrite: false, signal, now: () => FIRST_TIME };

/** A directory for the data, the backup and what is restored. */
const newPlace = () => scratchDirectory("backup");

async function fill(data: string, gates = 20) {
  const store = await openSqliteStore(data, openEventStore);
  for (let index = 0; index < gates; index += 1) {
    const record = gate(`gate_${index}`);
    await store.entities.write({ kind: "gate", id: record.id }, () => record);
  }
  await store.keys.insert(key("k", "1"));
  const events = Array.from({ length: 200 }, (_, index) => stored(`e${index % 5}`, "2026-01-01"));
  await store.events.append({ events, idempotencyKey: "one" });
  return store;
}

async function digestsOf(data: string) {
  const found = dataFiles.map(async ({ name }) => {
    const database = new SqliteDatabase(join(data, name), { readOnly: true });
    try {
      return await tableDigests(database, signal);
    } finally {
      database.close();
    }
  });
  return Promise.all(found);
}

async function backedUp(place: string) {
  const [data, file] = [join(place, "data"), join(place, "backup.tar.gz")];
  const store = await fill(data);
  const manifest = await writeBackup(data, file, options);
  await store.close();
  return { data, file, manifest };
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "done",
    (error: { readonly code: string }) => error.code,
  );

describe("a backup", () => {
  it("is restored with every row, and the service's directory is as before", async () => {
    const place = newPlace();
    const { data, file, manifest } = await backedUp(place);
    const restored = join(place, "a", "restored");
    expect(await restoreBackup(file, restored, signal)).toEqual(manifest);
    const digests = await digestsOf(restored);
    expect(digests).toEqual(await digestsOf(data));
    expect(manifest.databases.map(({ tables }) => tables)).toEqual(digests);
    const rows = Object.fromEntries(digests.flat().map(({ name, rows }) => [name, rows]));
    expect(rows).toMatchObject({ entity: 20, key: 1, event: 200, event_series: 5 });
    for (const { name, schema } of dataFiles)
      expect(checkDatabase(join(restored, name), schema)).toEqual([]);
    await requireAllDatabases(restored);
    expect(statSync(restored).mode & 0o777).toBe(0o700);
    for (const name of [file, join(restored, "console.db")])
      expect(statSync(name).mode & 0o777).toBe(0o600);
    expect(readdirSync(place).sort()).toEqual(["a", "backup.tar.gz", "data"]);
  });

  it("is a tar file that standard programs open and check", async () => {
    const place = newPlace();
    const { file } = await backedUp(place);
    const into = join(place, "opened");
    mkdirSync(into);
    execFileSync("tar", ["-xzf", file, "-C", into]);
    expect(readdirSync(into).sort()).toEqual([
      "SHA256SUMS",
      "console.db",
      "events.db",
      "manifest.json",
    ]);
    const checked = execFileSync("sha256sum", ["--check", "SHA256SUMS"], { cwd: into });
    expect(checked.toString()).toBe("manifest.json: OK\nconsole.db: OK\nevents.db: OK\n");
    for (const { name, schema } of dataFiles)
      expect(checkDatabase(join(into, name), schema)).toEqual([]);
  });

  it("replaces a file only if that is asked for", async () => {
    const place = newPlace();
    const { data, file } = await backedUp(place);
    const before = readFileSync(file);
    expect(await codeOf(writeBackup(data, file, options))).toBe("backup_exists");
    expect(readFileSync(file).equals(before)).toBe(true);
    writeFileSync(file, "old");
    await writeBackup(data, file, { ...options, overwrite: true });
    await restoreBackup(file, join(place, "restored"), signal);
  });

  it("does not replace a file that came while it was made", async () => {
    const place = newPlace();
    const { data } = await backedUp(place);
    const file = join(place, "late.tar.gz");
    const now = () => {
      writeFileSync(file, "late");
      return FIRST_TIME;
    };
    expect(await codeOf(writeBackup(data, file, { ...options, now }))).toBe("backup_exists");
    expect(readFileSync(file, "utf8")).toBe("late");
  });

  it("leaves nothing if it fails or is stopped", async () => {
    const place = newPlace();
    const { data, file } = await backedUp(place);
    const stop = new AbortController();
    const now = () => {
      stop.abort();
      return FIRST_TIME;
    };
    const stopped = writeBackup(data, join(place, "two.gz"), {
      ...options,
      signal: stop.signal,
      now,
    });
    await expect(stopped).rejects.toThrow("aborted");
    const missing = writeBackup(data, join(place, "missing", "two.gz"), options);
    expect(await codeOf(missing)).toBe("output_unwritable");
    expect(readdirSync(place).sort()).toEqual(["backup.tar.gz", "data"]);
    expect(statSync(file).size).toBeGreaterThan(0);
  });

  it("needs both databases", async () => {
    const place = newPlace();
    const { data } = await backedUp(place);
    const file = join(place, "two.gz");
    expect(await codeOf(writeBackup(join(place, "none"), file, options))).toBe("data_missing");
    expect(await codeOf(writeBackup(":memory:", file, options))).toBe("data_missing");
    rmSync(join(data, "events.db"));
    expect(await codeOf(writeBackup(data, file, options))).toBe("database_missing");
  });
});

describe("the moment of a backup", () => {
  it("is one for both databases: what is written later is in neither", async () => {
    const data = join(newPlace(), "data");
    const store = await fill(data);
    const snapshot = openSnapshot(data, () => FIRST_TIME);
    const digests = () =>
      Promise.all(snapshot.databases.map((one) => tableDigests(one.database, signal)));
    const before = await digests();
    const later = gate("later");
    await store.entities.write({ kind: "gate", id: "later" }, () => later);
    await store.events.append({
      events: [stored("later", "2026-01-02")],
      idempotencyKey: undefined,
    });
    expect(await digests()).toEqual(before);
    expect(await digestsOf(data)).not.toEqual(before);
    snapshot.close();
    // Nothing keeps the logs from being emptied.
    const database = new SqliteDatabase(join(data, "events.db"));
    expect(database.all("PRAGMA wal_checkpoint(TRUNCATE)")).toMatchObject([{ busy: 0, log: 0 }]);
    database.close();
    await store.close();
  });

  it("has no event of a gate that it does not have, whatever is written meanwhile", async () => {
    const place = newPlace();
    const data = join(place, "data");
    const store = await fill(data, 1);
    let isOver = false;
    let written = 0;
    // Each event names a gate that was stored before it, and each gate is followed by its event.
    const write = async () => {
      for (; !isOver; written += 1) {
        const record = gate(`n${written}`);
        await store.entities.write({ kind: "gate", id: record.id }, () => record);
        const event = stored(record.id, "2026-01-01");
        await store.events.append({ events: [event], idempotencyKey: undefined });
      }
    };
    const writing = write();
    for (let count = 0; count < 8; count += 1) {
      const file = join(place, `${count}.gz`);
      await writeBackup(data, file, options);
      await restoreBackup(file, join(place, String(count)), signal);
      const restored = openSnapshot(join(place, String(count)), () => FIRST_TIME);
      const [entities, events] = restored.databases.map(({ database }) => database);
      const gates = entities?.all<{ id: string }>("SELECT id FROM entity WHERE id LIKE 'n%'") ?? [];
      const seen = events?.all<{ event: string }>(
        "SELECT event FROM event_series WHERE event LIKE 'n%'",
      );
      restored.close();
      const names = new Set(gates.map(({ id }) => id));
      expect((seen ?? []).filter(({ event }) => !names.has(event))).toEqual([]);
      expect(names.size - (seen?.length ?? 0)).toBeLessThanOrEqual(1);
    }
    isOver = true;
    await writing;
    await store.close();
    expect(written).toBeGreaterThan(0);
  });
});

describe("a backup that cannot be restored", () => {
  it("is refused wherever a byte is flipped, and leaves nothing", async () => {
    const place = newPlace();
    const { data, file } = await backedUp(place);
    const sound = readFileSync(file);
    const digests = await digestsOf(data);
    const flipped = join(place, "flipped.gz");
    const restored = join(place, "restored");
    const position = fc.tuple(fc.nat(sound.length - 1), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(position, async ([index, bits]) => {
        const bytes = Buffer.from(sound);
        bytes[index] = (bytes[index] ?? 0) ^ bits;
        writeFileSync(flipped, bytes);
        const code = await codeOf(restoreBackup(flipped, restored, signal));
        if (code === "done") {
          // The time in the header of gzip, and unused bits of its blocks, mean nothing.
          expect(await digestsOf(restored)).toEqual(digests);
          rmSync(restored, { recursive: true });
        } else expect(["backup_damaged", "backup_foreign"]).toContain(code);
        expect(readdirSync(place).sort()).toEqual(["backup.tar.gz", "data", "flipped.gz"]);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("is refused if a byte of its content is flipped, although it is compressed anew", async () => {
    const place = newPlace();
    const { file } = await backedUp(place);
    const sound = gunzipSync(readFileSync(file));
    const changed = join(place, "changed.gz");
    const restored = join(place, "restored");
    const end = sound.lastIndexOf("SHA256SUMS") + 512;
    await fc.assert(
      fc.asyncProperty(fc.nat(end - 1), async (index) => {
        // Owners, permissions and times of members, and what follows their names, mean nothing.
        const bytes = Buffer.from(sound);
        bytes[index] = (bytes[index] ?? 0) ^ 1;
        writeFileSync(changed, gzipSync(bytes, { level: 1 }));
        const code = await codeOf(restoreBackup(changed, restored, signal));
        expect(["backup_damaged", "backup_foreign", "backup_newer"]).toContain(code);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("is refused with what is wrong: cut, of another program, missing, newer", async () => {
    const place = newPlace();
    const { file } = await backedUp(place);
    const sound = readFileSync(file);
    const bad = join(place, "bad.gz");
    const restored = join(place, "restored");
    const refused = async (bytes: Uint8Array) => {
      writeFileSync(bad, bytes);
      return restoreBackup(bad, restored, signal).then(
        () => "done",
        (error: Error) => error.message,
      );
    };
    const damage = (reason: string) => `${bad}: ${reason}; use another backup`;
    for (const size of [15, 1_000, sound.length - 4, sound.length - 9])
      expect(await refused(sound.subarray(0, size))).toBe(damage("it ends too early"));
    const foreign = `${bad}: not a backup that Switchyard made; pass a file of \`switchyard backup\``;
    expect(await refused(Buffer.from("SQLite format 3\0"))).toBe(foreign);
    expect(await refused(readFileSync(join(place, "data", "console.db")))).toBe(foreign);
    const tar = gunzipSync(sound);
    expect(await refused(gzipSync(tar.subarray(512)))).toMatch(/bad.gz: it has a header/);
    expect(await codeOf(restoreBackup(join(place, "none"), restored, signal))).toBe(
      "backup_missing",
    );
    const other = (from: string, to: string) =>
      refused(gzipSync(Buffer.from(tar.toString("latin1").replace(from, to), "latin1")));
    expect(await other('"backupFormat": 1', '"backupFormat": 2')).toMatch(
      /bad.gz: it has the format 2, and this Switchyard reads 1; restore it with Switchyard/,
    );
    const known = eventFile.schema.migrations.length;
    expect(await other(`"version": ${known}`, '"version": 9')).toContain(
      `its events.db has database version 9, and this Switchyard knows versions up to ${known}; restore`,
    );
    expect(readdirSync(place).sort()).toEqual(["backup.tar.gz", "bad.gz", "data"]);
  });

  it("of an older version is migrated at the next start", async () => {
    const place = newPlace();
    const data = join(place, "data");
    await (await fill(data)).close();
    const database = new SqliteDatabase(join(data, "events.db"));
    database.execute("PRAGMA foreign_keys = OFF");
    const tables = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    for (const { name } of database.all<{ name: string }>(tables)) {
      database.execute(`DROP TABLE ${name}`);
    }
    database.execute("PRAGMA user_version = 0");
    database.close();
    await writeBackup(data, join(place, "old.gz"), options);
    const restored = join(place, "restored");
    await restoreBackup(join(place, "old.gz"), restored, signal);
    const events = await openDatabase(join(restored, "events.db"), eventFile.schema);
    expect(events.pragma("user_version")).toBe(eventFile.schema.migrations.length);
    events.close();
  });
});

describe("a directory to restore into", () => {
  it("must be empty, and not in use", async () => {
    const place = newPlace();
    const { data, file } = await backedUp(place);
    expect(await codeOf(restoreBackup(file, data, signal))).toBe("data_present");
    const used = join(place, "used");
    const lock = await lockDirectory(used);
    expect(await codeOf(restoreBackup(file, used, signal))).toBe("data_in_use");
    lock.release();
    await restoreBackup(file, used, signal);
    const note = join(place, "note");
    mkdirSync(note);
    writeFileSync(join(note, "note.txt"), "mine");
    expect(await codeOf(restoreBackup(file, note, signal))).toBe("data_present");
    expect(readdirSync(note)).toEqual(["note.txt"]);
    expect(await codeOf(restoreBackup(file, join(note, "note.txt"), signal))).toBe(
      "output_unwritable",
    );
  });

  it("is not served after a kill, and can be restored into again", async () => {
    const place = newPlace();
    const { data, file } = await backedUp(place);
    const digests = await digestsOf(data);
    const whole = join(place, "whole");
    await restoreBackup(file, whole, signal);
    for (const published of [[], ["console.db"], ["console.db", "events.db"]]) {
      const killed = join(place, `killed${published.length}`);
      mkdirSync(join(killed, RESTORING), { recursive: true });
      for (const { name } of dataFiles) {
        const target = published.includes(name) ? killed : join(killed, RESTORING);
        writeFileSync(join(target, name), readFileSync(join(whole, name)));
      }
      expect(await codeOf(requireAllDatabases(killed))).toBe("restore_unfinished");
      await restoreBackup(file, killed, signal);
      await requireAllDatabases(killed);
      expect(await digestsOf(killed)).toEqual(digests);
    }
    expect(dirname(whole)).toBe(place);
  });
});
