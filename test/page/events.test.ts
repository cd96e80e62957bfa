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

  test("a time of an event that is not one is shown as sent", async () => {
    const page = await web.open("/");
    await page.route("**/v1/events?*", async (route) => {
      const answer = await route.fetch();
      const { data, ...rest } = (await answer.json()) as { data: object[] };
      const timestamps = ["2025-03-04T05:06:07Z", "soon", 1e20];
      const changed = timestamps.map((timestamp) => ({ ...data[0], timestamp }));
      await route.fulfill({ response: answer, json: { ...rest, data: changed } });
    });
    await page.goto(`${web.server.url}/events`);
    await expect
      .poll(() => page.locator("td.time").allTextContents())
      .toEqual(["2025-03-04 05:06:07.000", "soon", "100000000000000000000"]);
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

  test("many names and years of days are summed up, and narrowed by day and name", async () => {
    const { service } = web;
    const days = ["2023-02-01", "2024-05-05", "2024-05-06"];
    const body = days.flatMap((day) =>
      Array.from({ length: 70 }, (_, index) => ({
        event: `many_${String(index).padStart(2, "0")}`,
        user: { userID: "user-many" },
        timestamp: Date.parse(day) + index,
      })),
    );
    const webhook = { method: "POST", path: "/v1/webhooks/event_webhook" } as const;
    expect((await service.call({ ...webhook, key: service.keys.server, body })).status).toBe(202);

    const page = await web.open("/events");
    const byDay = page.getByRole("region", { name: "By day" });
    const byName = page.getByRole("region", { name: /^By name/ });
    // 72 names, 50 of them in the list.
    await byName.getByText("and 22 more names, 66 events").waitFor();
    expect(await byName.getByRole("link").count()).toBe(50);
    await byDay.getByRole("button", { name: "Sun, 5 May 2024, 70 events" }).click();
    await expect.poll(() => page.url()).toMatch(/\/events\?day=2024-05-05$/);
    await byName.getByText("and 20 more names, 20 events").waitFor();

    await byName.getByLabel("Names with").fill("ANY_6");
    await byName.getByLabel("Names with").press("Enter");
    await expect.poll(() => byName.getByRole("link").count()).toBe(10);
    await byName.getByRole("link", { name: "many_69" }).click();
    await byDay.getByRole("button", { name: "Sun, 5 May 2024, 1 event" }).waitFor();
    const rows = page.getByRole("table").getByRole("row");
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel("User ID").fill("nobody");
    await page.getByLabel("User ID").press("Enter");
    await page.getByText("No event matches").waitFor();
    await page.getByText("These counts are of all users").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await expect.poll(() => page.url()).toMatch(/\/events$/);
  });

  test("a time that was sent as text is shown", async () => {
    const { service } = web;
    const webhook = { method: "POST", path: "/v1/webhooks/event_webhook" } as const;
    const body = [
      { event: "text_time", timestamp: String(Date.UTC(2025, 2, 4, 5, 6, 7, 8)) },
      { event: "text_time", timestamp: "1.7E12" },
    ];
    expect((await service.call({ ...webhook, key: service.keys.server, body })).status).toBe(202);
    const page = await web.open("/events?event=text_time");
    const times = page.getByRole("table").getByRole("row");
    await expect.poll(() => times.count()).toBe(3);
    expect(await page.locator("td.time").allTextContents()).toEqual([
      "2023-11-14 22:13:20.000",
      "2025-03-04 05:06:07.008",
    ]);
  });
});
