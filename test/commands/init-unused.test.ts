import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import { parseJsonText } from "../../src/options/configuration-text.js";
import { fakeContext } from "../support/fake-context.js";
import { scratchDirectory } from "../support/scratch.js";

const directory = scratchDirectory("init-unused");
const file = join(directory, "pipeline.config.json");

/** Runs `init --force` on these rows; returns what it prints. */
async function init(rows: readonly object[], ...words: readonly string[]): Promise<string> {
  const base = { event_type: "a", event_time: "2026-01-31 17:03:12", user_id: "mina" };
  const lines = rows.map((row) => JSON.stringify({ ...base, ...row }));
  writeFileSync(join(directory, "in.json"), lines.join("\n"));
  const { context, stdout, stderr } = fakeContext({}, { currentDirectory: directory });
  expect(await runCommandLine(["init", "in.json", "--force", ...words], context)).toBe(0);
  return [...stdout, ...stderr].join("");
}

describe("columns that go nowhere", () => {
  const rows = [
    { platform: "iOS", event_properties: { a: 1 } },
    { country: "DE", dma: "x" },
  ];
  const variant = { metadata: ["event_properties", { fields: ["platform", "country"] }] };

  test("are kept if the preset knows them, and listed with their share if not", async () => {
    const text = await init(rows);
    expect(text).toContain("  kept      beside the properties: platform, country\n");
    expect(text).toContain("  unmapped  dma 50%\n");
    const written = readFileSync(file, "utf8");
    expect(written.replaceAll("\n  //", "")).toContain("have a value: dma 50%.");
    expect(parseJsonText(written, "").value).toMatchObject({ mapping: variant });
  });

  test("have their share of the elements if these are the rows", async () => {
    const visit = (idVisit: number, more: object) => ({
      idVisit,
      visitorId: "9f3c2b1a00112233",
      ...more,
      actionDetails: [1, 2, 3].map((second) => ({
        type: "action",
        timestamp: 1769878992 + second,
      })),
    });
    const text = await init([visit(1, { visitIp: "1" }), visit(2, {})]);
    expect(text).toContain("  sample    2 rows with 6 elements of 1 source\n");
    expect(text).toContain("^.visitIp 50%");
    expect(readFileSync(file, "utf8").replaceAll("\n  //", "")).toContain("^.visitIp 50%");
  });

  test("are in the JSON result", async () => {
    const { survey } = JSON.parse(await init(rows, "--json")) as { readonly survey: object };
    const mapping = { changes: variant };
    expect(survey).toMatchObject({
      kept: ["platform", "country"],
      unused: [{ field: "dma" }],
      mapping,
    });
  });

  test("are not mentioned if there are none", async () => {
    expect(await init([{}])).not.toContain("unmapped");
    expect(readFileSync(file, "utf8")).not.toContain("Not mapped");
  });
});
