import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileClaim } from "../../src/output/file-claim.js";
import { claimTimes } from "../../src/output/output.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("file-claim");
const { expireMs, trustMs } = claimTimes;

/** Makes the only claim below a path as old as one that was not renewed for so long, of another machine. */
function neglect(directory: string, ageMs: number): void {
  const [name = ""] = readdirSync(directory);
  const file = join(directory, name);
  const holder = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, `${JSON.stringify({ ...holder, host: "elsewhere" })}\n`);
  const seconds = (Date.now() - ageMs) / 1000;
  utimesSync(file, seconds, seconds);
}

test("one of several processes gets a claim, and another one after its release", async () => {
  const path = join(scratch, "several", "000000");
  const taken = await Promise.all(Array.from({ length: 8 }, () => FileClaim.take(path)));
  const [lease, ...others] = taken.filter((one) => one !== undefined);
  expect(others).toEqual([]);
  expect(lease?.leftMs).toBeGreaterThan(trustMs - 5_000);
  expect(await FileClaim.take(path)).toBeUndefined();
  await lease?.release();
  const next = await FileClaim.take(path);
  expect(next).toBeDefined();
  await next?.release();
  expect(readdirSync(join(scratch, "several"))).toEqual([]);
});

test("a claim that another machine does not renew any more is taken by one of several", async () => {
  const directory = join(scratch, "old");
  const path = join(directory, "000000");
  const lost = await FileClaim.take(path);
  neglect(directory, expireMs - 5_000);
  expect(await FileClaim.take(path)).toBeUndefined();
  neglect(directory, expireMs + 1_000);
  const taken = await Promise.all(Array.from({ length: 8 }, () => FileClaim.take(path)));
  const [lease, ...others] = taken.filter((one) => one !== undefined);
  expect(lease).toBeDefined();
  expect(others).toEqual([]);
  await lost?.release();
  // The file of the one that lost it was another one.
  expect(readdirSync(directory)).toEqual(["000000-2"]);
  await lease?.release();
});

test("a process that lost its claim leaves that of a later one, whose file has the same name", async () => {
  const directory = join(scratch, "again");
  const path = join(directory, "000000");
  const lost = await FileClaim.take(path);
  neglect(directory, expireMs + 1_000);
  await (await FileClaim.take(path))?.release();
  const later = await FileClaim.take(path);
  await lost?.release();
  expect(readdirSync(directory)).toEqual(["000000-1"]);
  await later?.release();
  expect(readdirSync(directory)).toEqual([]);
});

test("the lease of a process of this machine that has died is taken at once", async () => {
  const directory = join(scratch, "dead");
  const path = join(directory, "000000");
  await FileClaim.take(path);
  const [name = ""] = readdirSync(directory);
  const holder = JSON.parse(readFileSync(join(directory, name), "utf8"));
  const { pid } = spawnSync("true");
  writeFileSync(join(directory, name), `${JSON.stringify({ ...holder, pid })}\n`);
  expect(await FileClaim.take(path)).toBeDefined();
});

test("a claim that was not renewed in time stays lost, whatever comes later", async () => {
  const times = { renewMs: 20, expireMs: 200, trustMs: 60 };
  const directory = join(scratch, "late");
  const lease = await FileClaim.take(join(directory, "000000"), times);
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
