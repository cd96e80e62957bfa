import { expect, test } from "vitest";
import { describeConsole } from "./open-console.js";

const DAY_MS = 86_400_000;

describeConsole("events and the audit log in the web console", (web) => {
  /** Stores events of two days, names and users. */
  async function storeEvents(): Promise<void> {
    const noon = Date.UTC(2026, 0, 10, 12);
    const events = Array.from({ length: 90 }, (_, index) => ({
      event: index % 3 === 0 ? "purchase" : "page_view",
      user: { userID: `user-${index % 10}` },
      timestamp: noon + (index % 2) * DAY_MS + index,
      metadata: { number: index },
    }));
    const { status } = await web.service.call({
      method: "POST",
      path: "/v1/webhooks/event_webhook",
      key: web.service.keys.server,
      body: events,
    });
    expect(status).toBe(202);
  }

  test("events are counted by day and name, narrowed, and opened", async () => {
    await storeEvents();
    const page = await web.open("/events");
    const days = page.getByRole("region", { name: "By day" });
    await expect.poll(() => days.getByRole("link").count()).toBe(2);
    const labels = await days
      .getByRole("link")
      .evaluateAll((links) => links.map((link) => link.getAttribute("aria-label")));
    expect(labels).toEqual(["2026-01-10: 45 events", "2026-01-11: 45 events"]);

    await page.getByRole("link", { name: "purchase" }).first().click();
    await expect.poll(() => page.url()).toMatch(/\/events\?event=purchase$/);
    await page.getByLabel("User ID").fill("user-3");
    await page.getByLabel("User ID").press("Enter");
    await expect.poll(() => page.url()).toContain("userID=user-3");
    const names = page.getByRole("table").getByRole("row");
    await expect.poll(() => names.count()).toBe(4);

    const row = page.getByRole("row", { name: /user-3/ }).first();
    await row.getByRole("button", { name: /^Open/ }).click();
    await expect.poll(() => page.locator("pre").textContent()).toContain('"userID": "user-3"');
    await page.reload();
    await expect.poll(() => page.getByRole("table").getByRole("row").count()).toBe(4);
  });

  test("the overview shows the days of migrated events, although they are old", async () => {
    const page = await web.open("/");
    const days = page.getByRole("region", { name: "Events by day" });
    await days.getByRole("link", { name: "2026-01-11: 45 events" }).waitFor();
  });

  test("pages of events follow each other, and lead back", async () => {
    const page = await web.open("/events");
    const numbers = page.getByRole("table").getByRole("row");
    await expect.poll(() => numbers.count()).toBe(51);
    await page.getByRole("button", { name: "Next" }).click();
    await expect.poll(() => numbers.count()).toBe(41);
    await page.getByRole("button", { name: "Previous" }).click();
    await expect.poll(() => numbers.count()).toBe(51);
  });

  test("a change stands in the audit log with its writer and what it changed", async () => {
    await web.service.call({
      method: "POST",
      path: "/console/v1/gates",
      body: { name: "Audited", description: "Before" },
    });
    await web.service.call({
      method: "PATCH",
      path: "/console/v1/gates/audited",
      body: { description: "After" },
    });
    const page = await web.open("/audit?entityType=gate&entityID=audited");
    await page.getByText("changed gate").waitFor();
    await page.getByRole("button", { name: "What changed in audited" }).first().click();
    await expect.poll(() => page.getByRole("deletion").textContent()).toContain("Before");
    expect(await page.getByRole("insertion").textContent()).toContain("After");
    await page.getByRole("link", { name: "audited" }).first().click();
    await page.getByRole("heading", { name: "Audited" }).waitFor();
  });
});
