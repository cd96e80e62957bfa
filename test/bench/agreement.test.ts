import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
// @ts-expect-error The benchmark is plain scripts.
import { expectSame, summarize } from "../../bench/export/agreement.mjs";
// @ts-expect-error The benchmark is plain scripts.
import { kinds, runContender } from "../../bench/export/contenders.mjs";
// @ts-expect-error The benchmark is plain scripts.
import { makeInputs } from "../../bench/export/inputs.mjs";
import { longTest } from "../support/long-test.js";
import { someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const root = scratchDirectory("agreement");
const rows = 200;
let inputs: Readonly<Record<string, string>>;

beforeAll(async () => {
  inputs = await makeInputs(root, rows, ["csv", "ndjson-one-gz"]);
});

async function run(name: string, kind: string): Promise<string> {
  const output = join(root, `out-${name}-${kind}`);
  await runContender(name, { kind, input: inputs[kinds[kind].shape], output, threads: 1 });
  return output;
}

describe.each(someOf(["csv", "ndjson-one-gz", "jsonl"], 3))("%s", (kind) => {
  it("is the same work for both contenders", async () => {
    const ours = await summarize(kind, await run("switchyard", kind));
    const theirs = await summarize(kind, await run("duckdb", kind));
    expect(ours).toEqual(theirs);
    expect(ours).toMatchObject({ rows: `${rows}`, days: expect.stringMatching(/^1\d$/) });
    expect(() => expectSame(kind, ours, theirs)).not.toThrow();
  });
});

describe("a difference is found", () => {
  const changes: readonly [what: string, from: RegExp, to: string][] = [
    ["rows", /^.*\n/, ""],
    ["timestamp", /"timestamp":1/, '"timestamp":2'],
    ["user", /"plan":"monthly"/, '"plan":"daily"'],
    ["metadata", /"metadata":\{.+\},"insertID"/, '"metadata":{},"insertID"'],
  ];

  it.each(someOf(changes, 2))("in %s", async (what, from, to) => {
    const output = await run("switchyard", "jsonl");
    const before = await summarize("jsonl", output);
    const file = fileWith(output, from);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(from, to));
    const after = await summarize("jsonl", output);
    expect(() => expectSame("jsonl", before, after)).toThrow(`  ${what}: `);
  });

  longTest("not in the order of members or rows", async () => {
    const output = await run("switchyard", "jsonl");
    const before = await summarize("jsonl", output);
    const file = fileWith(output, /"user":/);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n").reverse();
    const turned = lines.map((line) => {
      const { user, ...event } = JSON.parse(line);
      return JSON.stringify({ user: Object.fromEntries(Object.entries(user).reverse()), ...event });
    });
    // `metadata` with numbers beyond doubles would change its value on this way.
    expect(turned.join("\n")).not.toBe(lines.join("\n"));
    writeFileSync(file, `${turned.join("\n")}\n`);
    expect((await summarize("jsonl", output)).user).toBe(before.user);
  });
});

function fileWith(output: string, pattern: RegExp): string {
  const names = readdirSync(output, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => /^events\/.*\.jsonl$/.test(name)).sort();
  const found = files.find((name) => pattern.test(readFileSync(join(output, name), "utf8")));
  expect(found).toBeDefined();
  return join(output, found ?? "");
}
