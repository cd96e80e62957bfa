import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import { keyTable } from "../../src/commands/service/run-keys.js";
import type { KeyRecord } from "../../src/storage/key-store.js";
import { runSwitchyard } from "../support/command-line.js";
import { fakeContext } from "../support/fake-context.js";
import { longTest } from "../support/long-test.js";
import { scratchDirectory } from "../support/scratch.js";
import { killServicesAfterEach, startServiceProcess } from "../support/service-process.js";

const root = scratchDirectory("keys");
const gates = "/console/v1/gates";

killServicesAfterEach();

/** In a process of its own, as beside a service. */
function keys(data: string, ...words: readonly string[]) {
  return runSwitchyard(["keys", ...words, "--data", data]);
}

/** In this process. */
async function keysHere(data: string, ...words: readonly string[]) {
  const { context, stdout, stderr } = fakeContext();
  const exitCode = await runCommandLine(["keys", ...words, "--data", data], context);
  return { exitCode, stdout: stdout.join(""), stderr: stderr.join("") };
}

describe("keys of a service that runs", () => {
  test("a created key works with the next request, a revoked one does not", async () => {
    const data = join(root, "running");
    const service = await startServiceProcess(data);
    const created = await keys(data, "create", "--kind", "console");
    expect(created.exitCode).toBe(0);
    const key = created.stdout.trimEnd();
    expect(created.stdout).toMatch(/^console-[\w-]{43}\n$/);
    expect((await service.call(gates, key)).status).toBe(200);

    const id = /Key (\S+) was created/.exec(created.stderr)?.[1] ?? "";
    const revoked = await keys(data, "revoke", id);
    expect(revoked).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await service.call(gates, key)).status).toBe(401);
    const again = await keys(data, "revoke", id, "--json");
    expect(again.exitCode).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ id, revokedTime: expect.any(Number) });
  });

  longTest("a read-only key reads and does not write", async () => {
    const data = join(root, "read-only");
    const service = await startServiceProcess(data);
    const { stdout } = await keys(data, "create", "--kind", "console", "--read-only", "--json");
    const { key, scopes } = JSON.parse(stdout);
    expect(scopes).toEqual(["read"]);
    expect((await service.call(gates, key)).status).toBe(200);
    const post = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect((await service.call(gates, key, post)).status).toBe(403);
  });
});

describe("keys without a service", () => {
  test("a key has the facts that it was created with", async () => {
    const data = join(root, "facts");
    const before = Date.now();
    const words = ["--name", "CI", "--owner", "ops@example.com", "--rate-limit", "600"];
    const scopes = ["--scope", "gates:write", "segments:read", "--expires", "90d"];
    const created = ["create", ...words, ...scopes, "--json"];
    const { stdout } = await keys(data, ...created);
    const { key: _, command, exitCode, ...facts } = JSON.parse(stdout);
    expect(facts).toMatchObject({
      name: "CI",
      owner: "ops@example.com",
      scopes: ["gates:write", "segments:read"],
      requestsPerMinuteMax: 600,
      lastUsedTime: null,
    });
    expect(facts.expiresTime - 90 * 86_400_000).toBeGreaterThanOrEqual(before);
    expect(facts.expiresTime - 90 * 86_400_000).toBeLessThanOrEqual(Date.now());
    const listed = JSON.parse((await keysHere(data, "list", "--json")).stdout);
    expect(listed.keys).toEqual([facts]);
    expect((await keysHere(data, "list")).stdout).toContain("gates:write,segments:read");
  });

  test("the first key can be made before the first start, which then makes none", async () => {
    const data = join(root, "before");
    const { stdout } = await keysHere(data, "create", "--kind", "server");
    expect(stdout).toMatch(/^secret-/);
    const service = await startServiceProcess(data);
    expect(service.stderr()).toBe("");
  });

  test("the list names every key and shows none", async () => {
    const data = join(root, "listed");
    const { stdout: key } = await keysHere(data, "create", "--kind", "console");
    await keysHere(data, "create", "--kind", "server");
    const { stdout } = await keysHere(data, "list");
    expect(stdout.split("\n")).toHaveLength(4);
    expect(stdout).not.toContain(key.trimEnd());
    const json = JSON.parse((await keysHere(data, "list", "--json")).stdout);
    expect(json.keys.map(({ kind }: { kind: string }) => kind)).toEqual(["console", "server"]);
    expect(JSON.stringify(json)).not.toContain("hash");
  });

  test.each([
    [["list"], "data_missing"],
    [["revoke", "key_1"], "data_missing"],
  ])("%j of a directory without data makes none", async (words, code) => {
    const data = join(root, "nowhere");
    const { exitCode, stderr } = await keysHere(data, ...words);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`[${code}]`);
    expect(existsSync(data)).toBe(false);
  });

  test("a service in memory has no keys to work on", async () => {
    const { exitCode, stderr } = await keysHere(":memory:", "create", "--kind", "console");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("[data_missing]");
  });

  test("an id that no key has", async () => {
    const data = join(root, "unknown");
    await keysHere(data, "create", "--kind", "console");
    const { exitCode, stdout } = await keysHere(data, "revoke", "key_1", "--json");
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ command: "keys", error: { code: "key_unknown" } });
  });

  test.each([
    [["create"], "Pass --kind (console, server, client)"],
    [["create", "--kind", "other"], "Allowed choices are console, server"],
    [["create", "--kind", "server", "--read-only"], "remove --read-only. [key_rights_invalid]"],
    [["create", "--kind", "client", "--scope", "read"], "remove --scope. [key_rights_invalid]"],
    [["create", "--kind", "console", "--target-app", "web"], "remove --target-app"],
    [["create", "--kind", "console", "--scope", "read", "--read-only"], "not both"],
    [["create", "--kind", "console", "--scope", "gate:write"], "gates:write"],
    [
      ["create", "--kind", "console", "--name", " CI"],
      "--name: Must be one line without blanks around it",
    ],
    [["create", "--kind", "console", "--owner", ""], "--owner: Must be at least 1 character"],
    [["create", "--kind", "console", "--expires", "soon"], 'received "soon"'],
    [["create", "--kind", "console", "--expires", "2099-02-31"], 'received "2099-02-31"'],
    [["create", "--kind", "console", "--expires", "2020-01-01"], "is in the past"],
    [["create", "--kind", "server", "--rate-limit", "0"], "1 to 1000000 requests per minute"],
    [["revoke"], "missing required argument 'id'"],
  ])("%j is wrong usage", async (words, message) => {
    const { exitCode, stderr } = await keysHere(join(root, "usage"), ...words);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});

test("the table has one line a key, with its times in UTC", () => {
  const record: KeyRecord = {
    id: "key_1",
    name: "CONSOLE API",
    owner: null,
    scopes: ["read"],
    requestsPerMinuteMax: null,
    expiresTime: null,
    lastUsedTime: null,
    targetApp: null,
    hash: "h",
    prefix: "console-",
    kind: "console",
    createdTime: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
    revokedTime: null,
  };
  const revoked = {
    ...record,
    id: "key_22",
    name: "CI",
    owner: "ops",
    scopes: ["write"],
    lastUsedTime: Date.UTC(2026, 1),
    revokedTime: Date.UTC(2027, 0),
  };
  expect(keyTable([record, revoked])).toBe(
    "ID      NAME         OWNER  KIND     SCOPES  APP  BEGINS WITH  CREATED               LAST USED             EXPIRES  REVOKED\n" +
      "key_1   CONSOLE API  -      console  read    -    console-     2026-01-02T03:04:05Z  -                     -        -\n" +
      "key_22  CI           ops    console  write   -    console-     2026-01-02T03:04:05Z  2026-02-01T00:00:00Z  -        2027-01-01T00:00:00Z\n",
  );
});
