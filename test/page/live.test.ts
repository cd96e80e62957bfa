import { expect, test } from "vitest";
import { keyDigest, keyRecord, newKeyText } from "../../src/http/key-text.js";
import { describeConsole } from "./open-console.js";

describeConsole("what happens in the service", (web) => {
  test("events appear as they arrive, and are counted", async () => {
    const page = await web.open("/");
    const arriving = page.getByRole("region", { name: "Arriving now" });
    await arriving.getByText("Waiting for events").waitFor();
    await web.service.call({
      method: "POST",
      path: "/v1/webhooks/event_webhook",
      key: web.service.keys.server,
      body: { event: "ship_docked", user: { userID: "u7" }, timestamp: Date.now() },
    });
    await arriving.getByText("ship_docked").waitFor();
    await expect.poll(() => arriving.textContent()).toContain("1 event stored");
    const days = page.getByRole("region", { name: "Events by day" });
    await days.getByRole("link", { name: "ship_docked" }).waitFor();
  });

  test("a change of somebody else appears without a reload", async () => {
    const page = await web.open("/gates");
    await page.getByText("No gates yet").waitFor();
    const call = (method: "POST" | "PATCH", path: string, body: object) =>
      web.service.call({ method, path: `/console/v1/gates${path}`, body });
    await call("POST", "", { name: "Harbour light" });
    const light = page.getByRole("switch", { name: "Harbour light" });
    await expect.poll(() => light.getAttribute("aria-checked")).toBe("true");
    await call("PATCH", "/harbour_light", { isEnabled: false });
    await expect.poll(() => light.getAttribute("aria-checked")).toBe("false");
  });

  test("a page follows the service again after it was refused, as while it starts", async () => {
    const page = await web.open("/gates", { complaints: [] });
    let isStarting = true;
    let asked = 0;
    const unavailable = { status: 503, body: "{}" };
    await page.route("**/console/v1/live", (route) =>
      isStarting ? route.fulfill(unavailable) : route.continue(),
    );
    // The page knows who is signed in before the service stops.
    await page.route("**/console/v1/session", (route) =>
      isStarting && asked++ > 0 ? route.fulfill(unavailable) : route.continue(),
    );
    await page.reload();
    await expect.poll(() => asked).toBeGreaterThan(1);
    isStarting = false;
    await web.service.call({
      method: "POST",
      path: "/console/v1/gates",
      body: { name: "After the start" },
    });
    await page.getByRole("switch", { name: "After the start" }).waitFor();
  });

  test("a page whose key is revoked shows nothing more, without a click", async () => {
    const key = newKeyText("console");
    const { keys } = web.service.store;
    await keys.insert(keyRecord(key, { kind: "console", createdTime: Date.now() }));
    const page = await web.open("/gates", { key });
    await page.getByRole("heading", { name: "Gates" }).waitFor();
    const record = await keys.find(keyDigest(key).toString("hex"));
    await keys.revoke(record?.id ?? "", Date.now());
    await page.getByLabel("Console key").waitFor();
    expect(await page.getByRole("heading", { name: "Gates" }).count()).toBe(0);
  });
});
