import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const rows = fileURLToPath(new URL("fixtures/traps/zstd/input/rows.jsonl.zst", root));

test("zstd is loaded without a request by the fetch of the program, which keeps it", () => {
  const program = `
    import { readEvents } from ${JSON.stringify(new URL("dist/index.js", root).href)};
    const own = () => { throw new Error("a request") };
    globalThis.fetch = own;
    let rows = 0;
    for await (const batch of readEvents(${JSON.stringify([rows])}, { preset: "amplitude" }))
      rows += batch.numRows;
    console.log(rows, globalThis.fetch === own);
  `;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", program]);
  expect(output.toString().trim()).toBe("2 true");
});
