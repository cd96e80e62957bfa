import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { layoutOf } from "../../../src/pipeline/ledger/layout.js";
import { forgetSplits } from "../../../src/pipeline/ledger/output-directory.js";
import { scratchDirectory } from "../../support/scratch.js";

vi.mock(import("node:fs/promises"), async (original) => {
  const actual = await original();
  return { ...actual, rm: vi.fn(actual.rm) };
});

it("forgets all splits at once, even if it is killed while it removes their files", async () => {
  const layout = layoutOf(scratchDirectory("forget"), "events");
  for (const directory of [layout.splitsDirectory, layout.mergesDirectory]) {
    mkdirSync(directory, { recursive: true });
    for (const name of ["000000.json", "000000.events.json", "000001.json"]) {
      writeFileSync(join(directory, name), "{}");
    }
  }
  vi.mocked(rm).mockRejectedValue(new Error("killed"));
  // Called for each of the two directories; the first one ends the call.
  await expect(forgetSplits(layout)).rejects.toThrow("killed");
  await expect(forgetSplits(layout)).rejects.toThrow("killed");
  await forgetSplits(layout);
  expect(readdirSync(layout.ledgerDirectory)).toEqual(["tmp"]);
});
