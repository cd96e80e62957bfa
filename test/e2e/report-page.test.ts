import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openFile } from "../report-page/open-page.js";
import { findChromium, startChromium } from "../support/chromium.js";
import { runInProcess } from "../support/command-line.js";
import { longTest } from "../support/long-test.js";
import { scratchDirectory } from "../support/scratch.js";

const fixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url));
const root = scratchDirectory("report-page");
const chromium = findChromium();
let browser: Browser;

/** Opens what a dry run of fixtures has written; gives what the browser shows. */
async function shownOf(...inputs: string[]): Promise<Readonly<Record<string, unknown>>> {
  const report = join(root, String(inputs.length));
  const words = [
    "validate",
    ...inputs,
    "--report",
    report,
    "--time-limits",
    "..2027-01-01",
    "--quiet",
  ];
  await runInProcess(words, { cwd: fixtures });
  const { page, expectQuiet } = await openFile(join(report, "report.html"), { browser });
  const count = (selector: string) => page.locator(selector).count();
  const shown = {
    verdict: await page.locator("h1").textContent(),
    events: await count("#events tbody tr"),
    mappings: await count("#samples .mapping"),
    traced: (await count("#samples mark[data-link]")) > 20,
    rejects: (await count("#rejects article")) > 0,
  };
  await page.locator("#events tbody a").first().click();
  await page.locator("#event-properties").waitFor();
  expectQuiet();
  return shown;
}

describe.skipIf(chromium === undefined)("the page of a dry run in a browser", () => {
  beforeAll(async () => {
    browser = await startChromium(chromium ?? "");
  });
  afterAll(() => browser.close());

  test("opens", async () => {
    expect(await shownOf("sample/csv")).toEqual({
      verdict: "Ready: every one of 250 rows becomes an event.",
      events: 6,
      mappings: 3,
      traced: true,
      rejects: false,
    });
  });

  longTest("opens after damaged inputs", async () => {
    const traps = ["gzip-truncated", "malformed-rows", "times-out-of-range"];
    const shown = await shownOf(...traps.map((trap) => `traps/${trap}/input`));
    expect(shown).toMatchObject({ verdict: expect.stringMatching(/^Not ready: /), rejects: true });
  });
});
