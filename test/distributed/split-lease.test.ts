import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileLease, splitLeaseTimes } from "../../src/distributed/split-lease.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("split-lease");
const { expireMs, trustMs } = splitLeaseTimes;

/** Makes the only lease below a path as old as one that was not renewed for so long, of another machine. */
function neglect(directory: string, ageMs: number): void {
  const [name = ""] = readdirSync(directory);
  const file = join(directory, name);
  const holder = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, `${JSON.stringify({ ...holder, host: "elsewhere" })}\n`);
  const seconds = (Date.now() - ageMs) / 1000;
  utimesSync(file, seconds, seconds);
}

test("one of several processes gets a lease, and another one after its release", async () => {
  const path = join(scratch, "several", "000000");
  const taken = await Promise.all(Array.from({ length: 8 }, () => FileLease.take(path)));
  const [lease, ...others] = taken.filter((one) => one !== undefined);
  expect(others).toEqual([]);
  expect(lease?.leftMs).toBeGreaterThan(trustMs - 5_000);
  expect(await FileLease.take(path)).toBeUndefined();
  await lease?.release();
  const next = await FileLease.take(path);
  expect(next).toBeDefined();
  await next?.release();
  expect(readdirSync(join(scratch, "several"))).toEqual([]);
});

test("a lease that another machine does not renew any more is taken by one of several", async () => {
  const directory = join(scratch, "old");
  const path = join(directory, "000000");
  const lost = await FileLease.take(path);
  neglect(directory, expireMs - 5_000);
  expect(await FileLease.take(path)).toBeUndefined();
  neglect(directory, expireMs + 1_000);
  const taken = await Promise.all(Array.from({ length: 8 }, () => FileLease.take(path)));
  const [lease, ...others] = taken.filter((one) => one !== undefined);
  expect(lease).toBeDefined();
  expect(others).toEqual([]);
  await lost?.release();
  // The file of the one that lost it was another one.
  expect(readdirSync(directory)).toEqual(["000000-2"]);
  await lease?.release();
});

test("a process that lost its lease leaves that of a later one, whose file has the same name", async () => {
  const directory = join(scratch, "again");
  const path = join(directory, "000000");
  const lost = await FileLease.take(path);
  neglect(directory, expireMs + 1_000);
  await (await FileLease.take(path))?.release();
  const later = await FileLease.take(path);
  await lost?.release();
  expect(readdirSync(directory)).toEqual(["000000-1"]);
  await later?.release();
  expect(readdirSync(directory)).toEqual([]);
});

test("the lease of a process of this machine that has died is taken at once", async () => {
  const directory = join(scratch, "dead");
  const path = join(directory, "000000");
  await FileLease.take(path);
  const [name = ""] = readdirSync(directory);
  const holder = JSON.parse(readFileSync(join(directory, name), "utf8"));
  const { pid } = spawnSync("true");
  writeFileSync(join(directory, name), `${JSON.stringify({ ...holder, pid })}\n`);
  expect(await FileLease.take(path)).toBeDefined();
});

test("a lease that was not renewed in time stays lost, whatever comes later", async () => {
  const times = { renewMs: 20, expireMs: 200, trustMs: 60 };
  const directory = join(scratch, "late");
  const lease = await FileLease.take(join(directory, "000000"), times);
  const [name = ""] = readdirSync(directory);
  const start = performance.now();
  // As a process that is paused: no timer comes in.
  while (performance.now() - start < 2 * times.trustMs);
  expect(lease?.leftMs).toBeLessThanOrEqual(0);
  await new Promise((resolve) => setTimeout(resolve, 3 * times.renewMs));
  expect(lease?.leftMs).toBeLessThanOrEqual(0);
  expect(name).toBe("000000-1");
  await lease?.release();
});
