import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { builtFile } from "../../src/base/package-files.js";
import { eventSchema } from "../../src/storage/database-schemas.js";
import { EventCounts } from "../../src/storage/event-counts.js";
import { packIntake } from "../../src/storage/event-queue.js";
import { openDatabase } from "../../src/storage/open-database.js";
import { SqliteEventWriter } from "../../src/storage/sqlite-event-writer.js";
import { openEventStore } from "../../src/storage/sqlite-store.js";
import { ThreadEventWriter } from "../../src/storage/thread-event-writer.js";
import { processScript } from "../support/process-scripts.js";
import { scratchDirectory } from "../support/scratch.js";
import { stored } from "./event-figures-suite.js";

const scratch = scratchDirectory("event-writer");
const wholeRange = { from: undefined, to: undefined };
const packed = (count: number, idempotencyKey?: string) =>
  packIntake(
    {
      events: Array.from({ length: count }, () => stored("e", "2024-01-01", "x".repeat(500))),
      idempotencyKey,
    },
    0,
  );

describe("a transaction of events", () => {
  it("stores nothing on a full disk: no event, no count, no key", async () => {
    const database = await openDatabase(join(scratch, "full.db"), eventSchema);
    const writer = new SqliteEventWriter(database);
    const counts = new EventCounts(database);
    writer.write([packed(2)]);
    database.execute("PRAGMA max_page_count = 30");
    const batch = [packed(1, "small"), packed(1_000, "large")];
    expect(() => writer.write(batch)).toThrow(expect.objectContaining({ code: "disk_full" }));
    expect(await counts.byDayAndName(wholeRange, 10)).toMatchObject([{ count: 2 }]);
    database.execute("PRAGMA max_page_count = 100000");
    expect(writer.write(batch)).toEqual({ requests: 2, events: 1_001 });
    expect(await counts.byDayAndName(wholeRange, 10)).toMatchObject([{ count: 1_003 }]);
    database.close();
  });
});

describe("the thread that writes events", () => {
  it("is replaced when it dies, and its unfinished write is not acknowledged", async () => {
    const path = join(scratch, "starts");
    writeFileSync(path, "0");
    const entry = pathToFileURL(processScript("dying-event-writer"));
    const writer = new ThreadEventWriter(entry, path);
    await writer.start();
    const batch = [packed(1)];
    await expect(writer.write(batch)).rejects.toThrow("died (the disk is on fire)");
    await expect(writer.write(batch)).rejects.toThrow("died (its thread ended with exit code 7)");
    await expect(writer.write(batch)).rejects.toThrow("no space is left");
    expect(await writer.write(batch)).toEqual({ requests: 1, events: 1 });
    expect(readFileSync(path, "utf8")).toBe("4");
    await writer.close();
  });

  it("reports at the start why the database cannot be opened", async () => {
    const writerEntry = builtFile("event-writer-thread.js");
    writeFileSync(join(scratch, "events.db"), "no database ".repeat(100));
    await expect(openEventStore(scratch, { writerEntry })).rejects.toMatchObject({
      code: "database_damaged",
    });
  });
});
