import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { restoreBackup } from "../../../src/storage/backup/restore-backup.js";
import { writeBackup } from "../../../src/storage/backup/write-backup.js";
import { dataFiles, requireAllDatabases } from "../../../src/storage/data-files.js";
import { openEventStore, openSqliteStore } from "../../../src/storage/sqlite-store.js";
// @ts-expect-error A plain script, because it is also loaded into processes.
import { armFault } from "../../support/file-faults.mjs";
import { scratchDirectory } from "../../support/scratch.js";
import { FIRST_TIME, key } from "../records.js";

const { signal } = new AbortController();
const options = { overwrite: false, signal, now: () => FIRST_TIME };
const scratch = scratchDirectory("backup-faults");
const [data, backup] = [join(scratch, "data"), join(scratch, "backup.gz")];
const codes = ["EIO", "ENOSPC", "kill"];

beforeAll(async () => {
  const store = await openSqliteStore(data, openEventStore);
  await store.keys.insert(key("k", "1"));
  await store.close();
  await writeBackup(data, backup, options);
});

/** Makes each call of the file system below a directory fail in turn. Returns the number of calls. */
async function failEach(
  code: string,
  work: (place: string) => Promise<unknown>,
  check: (place: string, isDone: boolean) => Promise<void>,
): Promise<number> {
  for (let at = 1; ; at += 1) {
    const place = join(scratch, `${code}-${work.name}-${at}`);
    mkdirSync(place);
    const end = armFault({ under: place, at, code });
    const error: unknown = await work(place).then(
      () => undefined,
      (thrown: unknown) => thrown ?? "nothing",
    );
    const calls = end();
    await check(place, error === undefined);
    if (calls < at) return calls;
  }
}

describe.each(codes)("a fault of the file system: %s", (code) => {
  it("leaves a whole backup under its name, or none", async () => {
    const make = (place: string) => writeBackup(data, join(place, "one.gz"), options);
    let whole = 0;
    const calls = await failEach(code, make, async (place, isDone) => {
      if (!existsSync(join(place, "one.gz"))) return expect(isDone).toBe(false);
      await restoreBackup(join(place, "one.gz"), join(place, "restored"), signal);
      whole += 1;
      if (isDone && code !== "kill")
        expect(readdirSync(place).sort()).toEqual(["one.gz", "restored"]);
    });
    expect(calls).toBeGreaterThan(10);
    expect(whole).toBeGreaterThan(0);
  });

  it("leaves a whole restored directory, or one that no service starts on with a part", async () => {
    const restore = (place: string) => restoreBackup(backup, join(place, "data"), signal);
    const states = new Set<string>();
    const calls = await failEach(code, restore, async (place, isDone) => {
      const directory = join(place, "data");
      const found = dataFiles.filter(({ name }) => existsSync(join(directory, name))).length;
      const refusal = await requireAllDatabases(directory).then(
        () => "none",
        (error: { readonly code: string }) => error.code,
      );
      states.add(`${found} ${refusal}`);
      if (isDone) expect([found, refusal]).toEqual([2, "none"]);
      else if (refusal === "none") expect([0, 2]).toContain(found);
      else expect(refusal).toBe("restore_unfinished");
      // The same command finishes what a kill left.
      if (found < 2 || refusal !== "none") await restoreBackup(backup, directory, signal);
    });
    expect(calls).toBeGreaterThan(10);
    expect(states).toContain("2 none");
    if (code === "kill") expect(states).toContain("1 restore_unfinished");
  });
});
