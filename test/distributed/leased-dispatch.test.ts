import { expect, test } from "vitest";
import { ClaimTime } from "../../src/base/claim-time.js";
import { LeasedDispatch } from "../../src/distributed/leased-dispatch.js";
import type { Split } from "../../src/plan/plan.js";
import { type Claim, dispatchHere } from "../../src/run/pool/dispatch.js";

const splits = ["000000", "000001"].map(
  (id, index): Split => ({ id, ranges: [], bytes: 100 - index }),
);

/** Splits of which others have leases, or have recorded them. */
function dispatchBeside({ leased = [""], recorded = [""] }) {
  const ends: string[] = [];
  const claimTime = new ClaimTime();
  const inner = dispatchHere(splits);
  const watched = (claim: Claim): Claim => ({
    split: claim.split,
    isWanted: async () => !recorded.includes(claim.split.id),
    done: async () => void ends.push(`${claim.split.id} done`),
    failed: async () => void ends.push(`${claim.split.id} failed`),
  });
  const dispatch = new LeasedDispatch(
    {
      threadsMax: inner.threadsMax,
      allowsReserve: true,
      get isEmpty() {
        return inner.isEmpty;
      },
      async claim(waits) {
        const claim = await inner.claim(waits);
        return claim && watched(claim);
      },
    },
    {
      claimTime,
      stop: new AbortController().signal,
      async lease(split) {
        if (leased.includes(split)) return undefined;
        return { leftMs: 10_000, release: async () => void ends.push(`${split} released`) };
      },
    },
  );
  return { dispatch, claimTime, ends };
}

test("a split that another process sends is put aside, and given back at the end", async () => {
  const { dispatch, claimTime, ends } = dispatchBeside({ leased: ["000000"] });
  expect(claimTime.isOver).toBe(true);
  const claim = await dispatch.claim(true);
  expect(claim?.split.id).toBe("000001");
  expect(claimTime.isOver).toBe(false);
  expect(await dispatch.claim(false)).toBeUndefined();
  expect(dispatch.isEmpty).toBe(false);
  await claim?.done();
  await dispatch.close();
  expect(ends).toEqual(["000001 released", "000001 done", "000000 failed"]);
});

test("a split that was recorded in the meantime is done, with or without its lease", async () => {
  const { dispatch, ends } = dispatchBeside({ leased: ["000000"], recorded: ["000000", "000001"] });
  expect(await dispatch.claim(true)).toBeUndefined();
  expect(dispatch.isEmpty).toBe(true);
  await dispatch.close();
  expect(ends).toEqual(["000000 done", "000001 done"]);
});
