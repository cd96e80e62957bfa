import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { Report } from "../../src/profile/report.js";
import { renderReport } from "../../src/report/render-report.js";
import { findChromium, startChromium } from "../support/chromium.js";
import { scratchDirectory } from "../support/scratch.js";
import { exampleReport } from "./example-report.js";

export interface OpenedPage {
  readonly page: Page;
  /** Fails if the page has asked for anything but itself, or has complained. */
  readonly expectQuiet: () => void;
  readonly close: () => Promise<void>;
}

export interface Opening {
  readonly browser: Browser;
  readonly hash?: string;
  readonly context?: BrowserContextOptions;
}

let files = 0;

/** Writes the report's page to disk and opens it from there. */
export function openReport(
  report: Report,
  { directory, ...opening }: Opening & { readonly directory: string },
): Promise<OpenedPage> {
  const file = join(directory, `report-${++files}.html`);
  writeFileSync(file, renderReport(report));
  return openFile(file, opening);
}

/** Opens a page from disk, and watches what it asks for and complains about. */
export async function openFile(file: string, opening: Opening): Promise<OpenedPage> {
  const { browser, hash = "", context: options = {} } = opening;
  const url = pathToFileURL(file).href;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(url + hash);
  return {
    page,
    expectQuiet: () => {
      expect(complaints).toEqual([]);
      expect(requests.map((request) => request.replace(/#.*$/s, ""))).toEqual([url]);
    },
    close: () => context.close(),
  };
}

/** Opens every part of the page that is closed. */
export async function openAll(page: Page): Promise<void> {
  await page.evaluate(`for (const part of document.querySelectorAll("details:not([open])")) {
    part.open = true;
    part.dispatchEvent(new Event("toggle"));
  }`);
}

type InPage = (
  look: (page: Page) => Promise<void>,
  options?: { readonly report?: Report; readonly hash?: string },
) => Promise<void>;

/** Describes pages of reports in one browser; skipped without a browser. */
export function describePages(name: string, tests: (inPage: InPage) => void): void {
  const chromium = findChromium();
  describe.skipIf(chromium === undefined)(name, () => {
    const directory = scratchDirectory("page");
    let browser: Browser;
    beforeAll(async () => {
      browser = await startChromium(chromium ?? "");
    });
    afterAll(() => browser.close());
    tests(async (look, { report = exampleReport(), hash = "" } = {}) => {
      const opened = await openReport(report, { browser, directory, hash });
      await look(opened.page);
      opened.expectQuiet();
      await opened.close();
    });
  });
}
