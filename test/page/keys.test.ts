import { expect, test } from "vitest";
import { keyRecord, newKeyText } from "../../src/http/key-text.js";
import { describeConsole } from "./open-console.js";

describeConsole("keys in the web console", (web) => {
  test("a key is created, shown once, used, and revoked, which signs its owner out", async () => {
    const page = await web.open("/keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Anna");
    await page.getByLabel("Owner").fill("Growth team");
    await page.getByLabel("Rights").selectOption("some");
    await page.getByLabel("Scopes").fill("gates:write");
    await page.getByLabel("Scopes").press("Enter");
    await page.getByLabel("Expires").selectOption({ label: "Tomorrow" });
    await page.getByRole("button", { name: "Create" }).click();
    const shown = page.getByRole("dialog", { name: "Copy the key now" });
    const key = (await shown.locator("pre").textContent()) ?? "";
    expect(key).toMatch(/^console-[\w-]{43}$/);
    await shown.getByRole("button", { name: "Done" }).click();
    await page.getByRole("row", { name: /Anna.*Growth team.*gates:write/ }).waitFor();
    expect(await page.content()).not.toContain(key);

    const theirs = await web.open("/gates", { key });
    await theirs.getByRole("button", { name: "New gate" }).waitFor();
    await theirs.goto(`${web.server.url}/segments`);
    await theirs.getByRole("alert").waitFor();
    expect(await theirs.getByRole("button", { name: "New segment" }).count()).toBe(0);

    await page.getByRole("button", { name: /^Revoke Anna/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("The key Anna is revoked.").waitFor();
    await page.getByRole("row", { name: /Anna.*Revoked/ }).waitFor();
    await theirs.getByLabel("Console key").waitFor();

    await page.goto(`${web.server.url}/audit?entityType=key`);
    const writes = page.locator(".changes li");
    await writes.filter({ hasText: /CONSOLE API revoked key key_/ }).waitFor();
    await writes
      .filter({ hasText: /CONSOLE API created key key_/ })
      .getByRole("button")
      .click();
    await page.getByText("Growth team").waitFor();
  });

  test("a read-only key sees keys, and cannot make or revoke one", async () => {
    const page = await web.open("/keys", { key: web.service.keys.readOnly });
    await page.getByRole("table").waitFor();
    expect(await page.getByRole("button", { name: /New key|Revoke/ }).count()).toBe(0);
    const status = await page.evaluate(`fetch("/console/v1/keys", {
      method: "POST",
      headers: { "content-type": "application/json", "x-switchyard-page": "1" },
      body: '{"kind": "console", "name": "Stolen"}',
    }).then(({ status }) => status)`);
    expect(status).toBe(403);
  });

  test("keys beyond the first hundred are on further pages, expired ones are told", async () => {
    const facts = { kind: "client", createdTime: 1, expiresTime: 2 } as const;
    for (let index = 0; index < 100; index += 1) {
      const record = keyRecord(newKeyText("client"), { ...facts, name: `Old ${index}` });
      await web.service.store.keys.insert(record);
    }
    const page = await web.open("/keys");
    await page.getByRole("link", { name: "Next" }).click();
    await page
      .getByRole("row", { name: /Old \d+ .*Expired/ })
      .first()
      .waitFor();
  });

  test("a name that is missing is told beside its field", async () => {
    const page = await web.open("/keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name", { exact: true }).fill(" blanks ");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("Must be one line without blanks around it").first().waitFor();
  });
});
