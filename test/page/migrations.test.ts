import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { formatCount } from "../../src/base/format-count.js";
import type { Manifest } from "../../src/ledger/manifest.js";
import { JournalDirectory } from "../../src/storage/migration-journals.js";
import { runSwitchyard } from "../support/command-line.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { scratchDirectory } from "../support/scratch.js";
import { describeConsole } from "./open-console.js";

const scratch = scratchDirectory("followed");
const directory = join(scratch, "harbour");
const journals = () => new JournalDirectory(join(directory, ".switchyard"));

const ROWS = 3_000;

describeConsole(
  "a migration in the web console",
  (web) => {
    const step = (page: Page, name: string) =>
      page
        .getByRole("region", { name: "Steps" })
        .getByRole("listitem")
        .filter({
          has: page.getByRole("heading", { name: new RegExp(`^${name} `) }),
        });

    test("is followed through a kill and a resume to its end", async () => {
      mkdirSync(directory, { recursive: true });
      writeAmplitudeRows(join(directory, "rows.jsonl"), ROWS, 4);
      writeFileSync(join(directory, "more.jsonl"), '{"event_type": "no time", "user_id": "u"}\n');
      const configuration = {
        steps: ["validate", "export", "send", "qualify", "verify"],
        inputs: ["rows.jsonl", "more.jsonl"],
        preset: "amplitude",
        service: "embedded",
        export: { to: "out" },
        send: { batchSize: 1, rate: "250" },
        maxRejects: "1%",
      };
      writeFileSync(join(directory, "pipeline.config.json"), JSON.stringify(configuration));
      const page = await web.open("/migrations");
      await page.getByText("No migration has run here yet").waitFor();

      const killed = await runSwitchyard(["migrate"], {
        cwd: directory,
        started: (child) =>
          void follow(page, (name) => step(page, name)).finally(() => child.kill("SIGKILL")),
      });
      expect(killed.signal, killed.stderr).toBe("SIGKILL");
      await page.getByText("Its process died").waitFor();
      await expect.poll(() => step(page, "send").textContent()).toMatch(/^send Killed/);
      await expect.poll(() => page.locator(".command pre").textContent()).toMatch(/ migrate$/);

      const resumed = await runSwitchyard(["migrate"], { cwd: directory });
      expect(resumed.exitCode, resumed.stderr).toBe(0);
      for (const name of configuration.steps) {
        await expect.poll(() => step(page, name).textContent()).toMatch(`${name} Done`);
      }
      const accounts = await step(page, "send").locator("dl").textContent();
      const manifest = readFileSync(join(directory, "out/manifest.json"), "utf8");
      const { read, delivered, rejected } = (JSON.parse(manifest) as Manifest).rows;
      expect(read).toBe(ROWS + 1);
      const [all, arrived] = [formatCount(read), formatCount(delivered)];
      expect(accounts).toBe(`read${all}delivered${arrived}rejected${rejected}filtered0duplicates0`);
      await page.getByText("Killed").first().waitFor();

      await page.getByText("time_missing").click();
      await page.getByText('"event_type": "no time"').waitFor();
      const report = page.waitForEvent("popup");
      await page.getByRole("link", { name: "Open the whole report" }).click();
      await (await report).getByRole("heading", { level: 1 }).waitFor();
    });
  },
  () => ({ journals: journals() }),
);

/** Goes from the list to the migration, and waits until it sends. */
async function follow(page: Page, step: (name: string) => ReturnType<Page["getByRole"]>) {
  await page.getByRole("link", { name: "harbour" }).click();
  await page.getByRole("heading", { name: "harbour" }).waitFor();
  await expect
    .poll(() => step("send").textContent(), { timeout: 60_000 })
    .toMatch(/Running.*rows\/s.*delivered/s);
}
