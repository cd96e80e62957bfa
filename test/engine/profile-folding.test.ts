import { expect, it } from "vitest";
import { ProfileFolding } from "../../src/engine/profile-folding.js";
import type { SplitRecord } from "../../src/ledger/ledger-records.js";
import { profileInKernel } from "../profile/kit/profile-rows.js";
import { eventRow } from "../sinks/event-rows.js";

const ids = ["000000", "000001", "000002", "000003", "000004"];
const plan = { splits: ids.map((id) => ({ id, ranges: [], bytes: 1 })) };
const profiles = new Map(
  ids.map((id, index) => [id, profileInKernel([[eventRow({ event: `event ${index}` })]])]),
);

/** A folding, and the ids that it has read so far. */
function foldingOf(damaged?: string) {
  const read: string[] = [];
  const readProfile = async (id: string) => {
    read.push(id);
    const profile = profiles.get(id);
    if (profile === undefined || id === damaged) throw new Error(`profile ${id} is damaged`);
    return profile;
  };
  const folding = new ProfileFolding({ readProfile }, plan, undefined);
  const commit = (...of: readonly string[]) => {
    for (const id of of) folding.add({ id } as SplitRecord);
    return new Promise((resolve) => setImmediate(resolve));
  };
  return { folding, read, commit };
}

it("adds splits in the order of the plan, as soon as all before them are committed", async () => {
  const { folding, read, commit } = foldingOf();
  await commit("000001", "000003");
  expect(read).toEqual([]);
  await commit("000000");
  expect(read).toEqual(["000000", "000001"]);
  await commit("000004", "000002");
  expect(read).toEqual(ids);
  const { profile, events } = await folding.result();
  expect(read).toEqual(ids);
  expect([...profile.names.keys()]).toEqual([
    "event 0",
    "event 1",
    "event 2",
    "event 3",
    "event 4",
  ]);
  expect(events.result([]).events.map(({ rows }) => rows)).toEqual([1, 1, 1, 1, 1]);
});

it("adds the others at last if a split was never committed", async () => {
  const { folding, read, commit } = foldingOf();
  await commit("000000", "000004", "000002");
  expect(read).toEqual(["000000"]);
  const { profile } = await folding.result();
  expect(read).toEqual(["000000", "000002", "000004"]);
  expect([...profile.names.keys()]).toEqual(["event 0", "event 2", "event 4"]);
});

it("throws what a profile could not be read for, at the end", async () => {
  const { folding, commit } = foldingOf("000001");
  await commit(...ids);
  await expect(folding.result()).rejects.toThrow("profile 000001 is damaged");
});
