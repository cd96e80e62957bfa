import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { forgetSplits } from "../../src/ledger/output-directory.js";
import { layoutOf } from "../../src/output/layout.js";
import { scratchDirectory } from "../support/scratch.js";

it("forgets all splits at once, even if it is killed while it removes their files", async () => {
  const layout = layoutOf(scratchDirectory("forget"), "events");
  for (const directory of [layout.splitsDirectory, layout.mergesDirectory]) {
    mkdirSync(directory, { recursive: true });
    for (const name of ["000000.json", "000000.events.json", "000001.json"]) {
      writeFileSync(join(directory, name), "{}");
    }
  }
  const killed = () => Promise.reject(new Error("killed"));
  // Called for each of the two directories; the first one ends the call.
  await expect(forgetSplits(layout, killed)).rejects.toThrow("killed");
  await expect(forgetSplits(layout, killed)).rejects.toThrow("killed");
  await forgetSplits(layout);
  expect(readdirSync(layout.ledgerDirectory)).toEqual(["tmp"]);
});
