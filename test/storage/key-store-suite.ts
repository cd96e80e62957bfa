import { expect, it } from "vitest";
import { FIRST_TIME, key } from "./records.js";
import type { Stores } from "./store-suite.js";

export function keyStoreSuite({ open }: Stores): void {
  it("finds a key by its whole hash, of either kind", async () => {
    const { keys } = await open();
    const reader = key("r", "a", { scopes: ["read"] });
    const server = key("s", "b", { kind: "server", prefix: "secret-x" });
    expect(await keys.find(reader.hash)).toBeUndefined();
    await keys.insert(reader);
    await keys.insert(server);
    expect(await keys.find(reader.hash)).toEqual(reader);
    expect(await keys.find(server.hash)).toEqual(server);
    for (const wrong of ["", "a", "a".repeat(63), "a".repeat(65), `${"a".repeat(63)}b`, "é\0😀"]) {
      expect(await keys.find(wrong), wrong).toBeUndefined();
    }
  });

  it("distinguishes keys whose hashes begin alike", async () => {
    const { keys } = await open();
    const twins = ["1", "2"].map((end) => key(end, "a", { hash: `${"a".repeat(63)}${end}` }));
    for (const twin of twins) await keys.insert(twin);
    for (const twin of twins) expect(await keys.find(twin.hash)).toEqual(twin);
  });

  it("lists keys oldest first", async () => {
    const { keys } = await open();
    expect(await keys.list()).toEqual([]);
    const newer = key("a", "1", { createdTime: FIRST_TIME + 1 });
    const older = key("b", "2");
    await keys.insert(newer);
    await keys.insert(older);
    expect(await keys.list()).toEqual([older, newer]);
  });

  it("revokes a key once, and still finds it", async () => {
    const { keys } = await open();
    const record = key("a", "1");
    await keys.insert(record);
    expect(await keys.find(record.hash)).toEqual(record);
    expect(await keys.revoke("none", 5)).toBe(false);
    expect(await keys.revoke("a", 5)).toBe(true);
    expect(await keys.revoke("a", 6)).toBe(false);
    expect(await keys.find(record.hash)).toEqual({ ...record, revokedTime: 5 });
    expect(await keys.list()).toEqual([{ ...record, revokedTime: 5 }]);
  });

  it("keeps name, owner, scopes and limits, also unusual ones", async () => {
    const { keys } = await open();
    const record = key("a", "1", {
      name: "CI \0 \ud800 😀",
      owner: "ops\0",
      scopes: ["gates:write", "read"],
      requestsPerMinuteMax: 7,
      expiresTime: FIRST_TIME + 5,
    });
    await keys.insert(record);
    expect(await keys.find(record.hash)).toEqual(record);
  });

  it("remembers the last use, a minute apart", async () => {
    const { keys } = await open();
    const use = async (time: number) => {
      const found = await keys.find("1".repeat(64));
      if (found !== undefined) keys.noteUse(found, time);
      return (await keys.find("1".repeat(64)))?.lastUsedTime;
    };
    await keys.insert(key("a", "1"));
    expect(await use(FIRST_TIME)).toBe(FIRST_TIME);
    expect(await use(FIRST_TIME + 59_999)).toBe(FIRST_TIME);
    expect(await use(FIRST_TIME + 60_000)).toBe(FIRST_TIME + 60_000);
    await new Promise(setImmediate);
    expect((await keys.list()).map(({ lastUsedTime }) => lastUsedTime)).toEqual([
      FIRST_TIME + 60_000,
    ]);
  });

  it("logs who created and who revoked a key, once each, if it is told", async () => {
    const { keys, entities } = await open();
    const [anna, ben] = ["Anna", "Ben"].map((keyName) => ({ keyID: "k", keyName, requestID: "r" }));
    await keys.insert(key("silent", "0"));
    await keys.insert(key("a", "1"), anna);
    await expect(keys.insert(key("a", "2"), anna)).rejects.toMatchObject({ code: "key_taken" });
    expect(await keys.revoke("none", FIRST_TIME, ben)).toBe(false);
    expect(await keys.revoke("a", FIRST_TIME, ben)).toBe(true);
    expect(await keys.revoke("a", FIRST_TIME, ben)).toBe(false);
    expect(await keys.revoke("silent", FIRST_TIME)).toBe(true);
    const { items } = await entities.auditLog({ kinds: ["key"] }, { start: 0, count: 9 });
    expect(
      items.map(({ id, fromVersion, version, author }) => [id, fromVersion, version, author]),
    ).toEqual([
      ["a", 1, 2, ben],
      ["a", null, 1, anna],
    ]);
  });

  it("refuses a second key with the same id or hash, and keeps the first", async () => {
    const { keys } = await open();
    await keys.insert(key("a", "1"));
    await expect(keys.insert(key("a", "2"))).rejects.toMatchObject({ code: "key_taken" });
    await expect(keys.insert(key("b", "1"))).rejects.toMatchObject({ code: "key_taken" });
    expect(await keys.list()).toEqual([key("a", "1")]);
  });
}
