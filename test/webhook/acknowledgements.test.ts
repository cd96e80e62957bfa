import { pbkdf2 } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { Acknowledgements } from "../../src/webhook/acknowledgements.js";
import { scratchDirectory } from "../support/scratch.js";

/** Paths that this process has open (Linux). */
function openFiles(): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      // Closed in the meantime.
      return [];
    }
  });
}

it.runIf(process.platform === "linux")(
  "closes its file only after a sync that is in progress",
  async () => {
    const path = join(scratchDirectory("acknowledgements"), "journal");
    const journal = new Acknowledgements(path, 10, 3);
    journal.confirm("range", 0, { rows: 10, refused: [] });
    // The sync waits behind these for a thread of Node's pool.
    const work = Array.from({ length: 8 }, () => promisify(pbkdf2)("a", "b", 20_000, 32, "sha256"));
    const failures: Error[] = [];
    journal.syncSoon((error) => failures.push(error));
    journal.close(true);
    await Promise.all(work);
    await expect.poll(() => openFiles()).not.toContain(path);
    expect(failures).toEqual([]);
    expect(readFileSync(path, "utf8").trimEnd().split("\n").at(-1)).toBe("clean");
  },
);
