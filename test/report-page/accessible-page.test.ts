import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium, startChromium } from "../support/chromium.js";
import { isCi, someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";
import { exampleReport } from "./example-report.js";
import { openAll, openReport } from "./open-page.js";

const chromium = findChromium();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

describe.skipIf(chromium === undefined)("the page of a report", () => {
  const directory = scratchDirectory("accessible");
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium(chromium ?? "");
  });
  afterAll(() => browser.close());

  const places = ["", "#from=2026-02-01&to=2026-02-20", "#event=Product+Viewed"];
  const schemes = ["light", "dark"] as const;
  const all = schemes.flatMap((scheme) => places.map((hash) => [scheme, hash] as const));
  test.each(someOf(all, 4))(
    "has no faults according to axe, in %s colours at %j",
    async (scheme, hash) => {
      const opened = await openReport(
        exampleReport({ days: isCi ? 60 : 24, names: isCi ? 16 : 8 }),
        {
          browser,
          directory,
          hash,
          // Axe is put into the page, which the page's policy forbids.
          context: { colorScheme: scheme, bypassCSP: true },
        },
      );
      const { page, close } = opened;
      await openAll(page);
      await page.evaluate(axe);
      const { violations } = (await page.evaluate("axe.run(document)")) as AxeResult;
      const found = violations.map(({ id, nodes }) => ({
        id,
        nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => `${html}: ${failureSummary}`),
      }));
      expect(found).toEqual([]);
      await close();
    },
  );
});
