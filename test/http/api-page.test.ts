import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "../../src/http/request-log.js";
import { type Server, startServer } from "../../src/http/server.js";
import { createService } from "../../src/service/create-service.js";
import { findChromium, startChromium } from "../support/chromium.js";
import { startTestService, type TestService } from "../support/service.js";

const executable = findChromium();

/** The placeholder of the field for the key. */
const KEY_PLACEHOLDER = "QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT";

describe.skipIf(executable === undefined)("the page of the API in a browser", () => {
  let service: TestService;
  let server: Server;
  let browser: Browser;
  let page: Page;
  /** Violations: anything in it is a failure. */
  const faults: string[] = [];

  beforeAll(async () => {
    service = await startTestService();
    const app = createService({ logger: createLogger("fatal", { write: () => undefined }) });
    server = await startServer(app, { host: "127.0.0.1", port: 0 }, async () => service.store);
    await service.call({ method: "POST", path: "/console/v1/gates", body: { name: "A gate" } });
    browser = await startChromium(executable as string);
    page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
    page.on("pageerror", ({ message }) => faults.push(`error: ${message}`));
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(`console: ${message.text()}`);
    });
    page.on("request", (request) => {
      const isOwn = request.url().startsWith(server.url) || request.url().startsWith("data:");
      if (!isOwn) faults.push(`request: ${request.url()}`);
    });
    await page.goto(`${server.url}/docs`);
    await page.getByRole("heading", { name: "Switchyard" }).first().waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await service?.close();
  });

  async function find(words: string): Promise<void> {
    await page
      .getByRole("button", { name: /search/i })
      .first()
      .click();
    await page.getByPlaceholder("Search...").fill(words);
    await page.getByRole("option", { name: words }).first().click();
  }

  it("has a link that skips the list of endpoints, with the keyboard", async () => {
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to the content" });
    await expect.poll(() => skip.evaluate((link) => link.matches(":focus"))).toBe(true);
    expect((await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0);
    await page.keyboard.press("Enter");
    const main = page.getByRole("main");
    await expect.poll(() => main.evaluate((element) => element.matches(":focus"))).toBe(true);
    expect(page.url()).not.toContain("#");
  });

  it("finds an endpoint by its words", async () => {
    await page
      .getByRole("button", { name: /search/i })
      .first()
      .click();
    await page.getByPlaceholder("Search...").fill("launch a gate");
    await page
      .getByRole("option", { name: /launch a gate/i })
      .first()
      .click();
    await expect.poll(() => decodeURI(page.url())).toMatch(/#.*gates\/\{id\}\/launch$/);
  });

  it("tries a call with the key that was entered", async () => {
    await find("List gates, newest first");
    await page.getByRole("button", { name: /Test Request \(get \/console\/v1\/gates\)/ }).click();
    const client = page.getByRole("dialog");
    await client.getByPlaceholder(KEY_PLACEHOLDER).fill(service.keys.console);
    const answered = page.waitForResponse((response) => response.url().includes("/v1/gates"));
    await client.getByRole("button", { name: /send get request/i }).click();
    const response = await answered;
    expect([response.status(), response.url()]).toEqual([
      200,
      expect.stringMatching(`^${server.url}/console/v1/gates`),
    ]);
    expect(await response.json()).toMatchObject({ data: [{ name: "A gate" }] });
    await client.getByText("a_gate").first().waitFor();
  });

  it("requests nothing from other hosts, and complies with its security policy", () => {
    expect(faults).toEqual([]);
  });
});
