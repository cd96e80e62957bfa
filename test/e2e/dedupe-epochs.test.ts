import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

/** Mixpanel rows with these insert ids, an hour apart. */
function rows(first: number, end: number): string {
  const ids = Array.from({ length: end - first }, (_, index) => first + index);
  const lines = ids.map((id) => {
    const properties = { time: 1_735_689_600 + id * 3_600, distinct_id: "u", $insert_id: `i${id}` };
    return JSON.stringify({ event: "e", properties });
  });
  return `${lines.join("\n")}\n`;
}

it("a repaired input of an early epoch does not repeat what a later one has delivered whose inputs are gone", async () => {
  const scratch = scratchDirectory("dedupe-epochs");
  const [inputs, output] = [join(scratch, "in"), join(scratch, "out")];
  mkdirSync(inputs);
  const input = (name: string, text: string) => writeFileSync(join(inputs, name), text);
  const words = ["export", inputs, "--preset", "mixpanel", "--to", output, "--format", "jsonl"];
  const exportAll = async () => (await runInProcess([...words, "--dedupe"])).exitCode;
  input("a.json", "\0\u0001 not rows");
  input("b.json", rows(100, 200));
  expect(await exportAll()).toBe(1);
  input("c.json", rows(30, 200));
  expect(await exportAll()).toBe(1);
  rmSync(join(inputs, "c.json"));
  input("a.json", rows(0, 100));
  expect(await exportAll()).toBe(0);
  const ids = readdirSync(join(output, "events"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(output, "events", name), "utf8").match(/"i\d+"/g) ?? []);
  expect(ids.toSorted()).toEqual(Array.from({ length: 200 }, (_, id) => `"i${id}"`).toSorted());
  const { epochs, rows: all } = JSON.parse(readFileSync(join(output, "manifest.json"), "utf8"));
  expect(epochs).toMatchObject([{ rows: { delivered: 130 } }, { rows: { delivered: 70 } }]);
  expect(all).toMatchObject({ read: 370, delivered: 200, duplicates: 170 });
});
