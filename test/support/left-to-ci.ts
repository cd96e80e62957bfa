import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** Variable that holds the path of the counts: each process of the tests adds lines to this file. */
export const countsVariable = "TESTS_LEFT_TO_CI";

/** Whole tests, or single cases of tests that run with the others. */
export type LeftKind = "tests" | "cases";

/** Remembers what this run leaves to CI. */
export function countLeft(kind: LeftKind, count: number, file = process.env[countsVariable]): void {
  if (count > 0 && file !== undefined) appendFileSync(file, `${kind} ${count}\n`);
}

/** Returns the lines that end a run, or nothing if it left nothing to CI. */
export function leftToCi(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const left: Record<LeftKind, number> = { tests: 0, cases: 0 };
  for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) {
    const [kind, count] = line.split(" ") as [LeftKind, string];
    left[kind] += Number(count);
  }
  const parts = (Object.keys(left) as LeftKind[]).filter((kind) => left[kind] > 0);
  const counts = parts.map((kind) =>
    kind === "tests" ? `${left.tests} whole tests` : `${left.cases} cases of tests that ran`,
  );
  return [
    `Left to CI: ${counts.join(", ")}.`,
    "Properties, kills and inputs were smaller than there, too.",
    "To run it all: CI=true npm test",
  ].join("\n");
}
