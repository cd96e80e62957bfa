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
