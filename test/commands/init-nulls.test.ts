import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import { parseJsonText } from "../../src/options/configuration-text.js";
import { fakeContext } from "../support/fake-context.js";
import { scratchDirectory } from "../support/scratch.js";

const directory = scratchDirectory("init-nulls");

async function init(users: readonly string[], ...words: readonly string[]) {
  const rows = users.map((user) => `click,2026-01-31 17:03:12,${user},phone\n`);
  const text = `event_type,event_time,user_id,device_id\n${rows.join("")}`;
  writeFileSync(join(directory, "in.csv"), text);
  const { context, stdout } = fakeContext({}, { currentDirectory: directory });
  expect(await runCommandLine(["init", "in.csv", "--force", ...words], context)).toBe(0);
  const file = readFileSync(join(directory, "pipeline.config.json"), "utf8");
  return { shown: stdout.join(""), file: parseJsonText(file, "pipeline.config.json").value };
}

test("texts that are used as nulls are written to the configuration and shown", async () => {
  const { shown, file } = await init(["NULL", "mina", "NULL", '"\\N"', '"\\N"', "None"]);
  expect(shown).toContain(
    '  nulls     "NULL" in user_id; "\\\\N" in user_id; see csvDialect in the file',
  );
  expect(file).toMatchObject({ csvDialect: { null: ["NULL", "\\N"] } });
});

test("texts that the user names stay, and are not found again", async () => {
  const { file } = await init(
    ["NULL", "-", "NULL", "nil", "nil"],
    "--csv-dialect",
    "quote=none,null=-",
  );
  expect(file).toMatchObject({ csvDialect: { quote: "none", null: ["-", "NULL", "nil"] } });
  const { shown, file: same } = await init(["NULL", "NULL"], "--csv-dialect", "null=NULL");
  expect(shown).not.toContain("nulls");
  expect(same).toMatchObject({ csvDialect: "null=NULL" });
});
