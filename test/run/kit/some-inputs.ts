import { type FakeExport, fakeExport } from "./fake-export.js";

export const DAYS = ["2026-01-01", "2026-01-02", "2026-01-03"];

/** Inputs of several splits, with rows of every outcome. */
export function someInputs(run: FakeExport): void {
  const rows = (word: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${DAYS[index % 3]} ${word}${index}`);
  run.input("a.txt", ...rows("a", 20), "2026-01-01 bad", ...rows("b", 3));
  run.input("b.txt", ...rows("c", 2));
  run.input("c.txt", "2026-01-02 skip", "2026-01-02 bad", ...rows("d", 9));
}

export async function quietRun(): Promise<Readonly<Record<string, string>>> {
  const run = fakeExport();
  someInputs(run);
  await run.run();
  return run.files();
}
