import { cpSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { longTest } from "../support/long-test.js";
import { scratchDirectory } from "../support/scratch.js";

const page = readFileSync(new URL("../../docs/migrating.md", import.meta.url), "utf8");
const sample = fileURLToPath(new URL("../../fixtures/sample", import.meta.url));

longTest("the rehearsal of docs/migrating.md goes as the page shows it", async () => {
  const [, configuration = ""] = /^```json\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const [, shown = ""] = /^```console\n\$ switchyard migrate\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const directory = realpathSync(scratchDirectory("migrating"));
  for (const part of ["export-api", "s3"]) {
    cpSync(join(sample, part), join(directory, "exports", part), { recursive: true });
  }
  writeFileSync(join(directory, "pipeline.config.json"), configuration);
  const { exitCode, stdout, stderr } = await runInProcess(["migrate"], { cwd: directory });
  expect(exitCode, stderr).toBe(0);
  const seen = stdout.replaceAll(directory, "/home/you");
  const [link = "", ...paragraphs] = shown.split(/^…\n/m).filter((text) => text !== "");
  // The port and the ticket are new each time.
  const port = /:(\d+)/.exec(link)?.[1];
  const said = stderr.replace(/:\d+\/sign-in#\S+/, `:${port}/sign-in#…`);
  expect(said).toContain(link);
  expect(paragraphs).toHaveLength(2);
  for (const text of paragraphs) expect(seen).toContain(text);
});
