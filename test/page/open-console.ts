import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { type Server, startServer } from "../../src/http/server.js";
import type { Service } from "../../src/service/create-service.js";
import { findChromium, startChromium } from "../support/chromium.js";
import { startTestService, type TestService, type TestServiceOptions } from "../support/service.js";

/** The web console of a service, for the tests of one file. */
export interface OpenedConsole {
  readonly service: TestService;
  readonly server: Server;
  /** Returns the ticket of a new sign-in link. */
  ticket(): string;
  /** Opens a page and signs in with the key; null signs nobody in. Default: the console key. */
  open(path: string, options?: OpenOptions): Promise<Page>;
}

export interface OpenOptions {
  readonly key?: string | null;
  readonly context?: BrowserContextOptions;
  /** Takes what the page complains of, where the test makes it do so. */
  readonly complaints?: string[];
}

/** Axe leaves this rule out unless it is asked for. */
const axeRules = { rules: { "target-size": { enabled: true } } };

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Describes the web console in one browser; skipped without a browser. After each test, every page must
 * have asked only this service, and have complained of nothing.
 */
export function describeConsole(
  name: string,
  tests: (console: OpenedConsole) => void,
  options: () => TestServiceOptions = () => ({}),
): void {
  const chromium = findChromium();
  describe.skipIf(chromium === undefined)(name, () => {
    let browser: Browser;
    const faults: string[] = [];
    const opened = {} as { -readonly [Name in keyof OpenedConsole]: OpenedConsole[Name] };
    beforeAll(async () => {
      opened.service = await startTestService({
        now: Date.now,
        currentTime: Date.now,
        ...options(),
      });
      const { app, store } = opened.service;
      opened.server = await startServer(app, { host: "127.0.0.1", port: 0 }, async () => store);
      await opened.server.ready;
      browser = await startChromium(chromium ?? "");
    });
    afterAll(async () => {
      await browser?.close();
      await opened.server?.stop();
      await opened.service?.close();
    });
    afterEach(async () => {
      await Promise.all(browser.contexts().map((context) => context.close()));
      expect(faults.splice(0)).toEqual([]);
    });
    opened.open = async (path, options = {}) => {
      const { key = opened.service.keys.console, context = {}, complaints = faults } = options;
      const { url } = opened.server;
      const made = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        reducedMotion: "reduce",
        ...context,
      });
      if (key !== null) await signIn(made.request, url, key);
      const page = await made.newPage();
      watch(page, url, complaints);
      await page.goto(`${url}${path}`);
      return page;
    };
    opened.ticket = () => (opened.service.app as Service).newSignInTicket();
    tests(opened);
  });
}

/** Gets the cookie of a session. */
async function signIn(
  request: { post: Page["request"]["post"] },
  url: string,
  key: string,
): Promise<void> {
  const answer = await request.post(`${url}/console/v1/session`, {
    headers: { "x-switchyard-page": "1" },
    data: { key },
  });
  expect(answer.status()).toBe(200);
}

/** Notes what a page must not do. Refusals of the service are part of its life. */
function watch(page: Page, url: string, faults: string[]): void {
  page.on("pageerror", ({ message }) => faults.push(`error: ${message}`));
  page.on("console", (message) => {
    const isFault = ["error", "warning"].includes(message.type());
    if (isFault && !/the server responded with a status of 4\d\d/.test(message.text())) {
      faults.push(`console: ${message.text()}`);
    }
  });
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(url) || request.url().startsWith("data:");
    if (!isOwn) faults.push(`request: ${request.url()}`);
  });
}

/** Returns the violations that axe finds. The page must have been opened with `bypassCSP`. */
export async function axeFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(axeRules)})`,
  )) as {
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
    }[];
  };
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
  );
}
