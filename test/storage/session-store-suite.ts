import { expect, it } from "vitest";
import type { SessionRecord } from "../../src/storage/session-store.js";
import { FIRST_TIME } from "./records.js";
import type { Stores } from "./store-suite.js";

function session(digit: string, changes: Partial<SessionRecord> = {}): SessionRecord {
  return {
    hash: digit.repeat(64),
    keyHash: "f".repeat(64),
    createdTime: FIRST_TIME,
    expiresTime: FIRST_TIME + 1_000,
    ...changes,
  };
}

export function sessionStoreSuite({ open }: Stores): void {
  it("finds a session by its whole hash until it is removed", async () => {
    const { sessions } = await open();
    const [one, other] = [session("1"), session("2", { keyHash: "e".repeat(64) })];
    expect(await sessions.find(one.hash)).toBeUndefined();
    await sessions.insert(one);
    await sessions.insert(other);
    expect(await sessions.find(one.hash)).toEqual(one);
    expect(await sessions.find("1".repeat(63))).toBeUndefined();
    await sessions.remove(one.hash);
    await sessions.remove(one.hash);
    expect(await sessions.find(one.hash)).toBeUndefined();
    expect(await sessions.find(other.hash)).toEqual(other);
  });

  it("removes expired sessions when another one is stored", async () => {
    const { sessions } = await open();
    await sessions.insert(session("1"));
    await sessions.insert(session("2", { createdTime: FIRST_TIME + 999 }));
    expect(await sessions.find("1".repeat(64))).toEqual(session("1"));
    const expiresTime = FIRST_TIME + 5_000;
    await sessions.insert(session("3", { createdTime: FIRST_TIME + 1_000, expiresTime }));
    expect(await sessions.find("1".repeat(64))).toBeUndefined();
    expect(await sessions.find("3".repeat(64))).toBeDefined();
  });
}
