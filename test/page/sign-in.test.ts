import { expect, test } from "vitest";
import { keyDigest } from "../../src/http/key-text.js";
import { describeConsole } from "./open-console.js";

describeConsole("signing in to the web console", (web) => {
  test("a key opens the page that was asked for, and its cookie is out of reach of scripts", async () => {
    const page = await web.open("/gates?search=x", { key: null });
    await page.getByLabel("Console key").fill(web.service.keys.console);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Gates" }).waitFor();
    expect(page.url()).toMatch(/\/gates\?search=x$/);
    const [cookie, ...others] = await page.context().cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
    expect(await page.evaluate("document.cookie")).toBe("");
    const kept = await page.evaluate("JSON.stringify([localStorage, sessionStorage])");
    expect(kept).not.toContain(web.service.keys.console);
  });

  test("a wrong key is refused in words", async () => {
    const page = await web.open("/", { key: null });
    const refused = page.getByRole("alert");
    await page.getByLabel("Console key").fill("console-wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect.poll(() => refused.textContent()).toMatch(/key/);
    await page.getByLabel("Console key").fill(web.service.keys.server);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect.poll(() => refused.textContent()).toMatch(/begins with console-/);
  });

  test("a link works once, and its ticket leaves the address", async () => {
    const link = `/sign-in#${web.ticket()}`;
    const page = await web.open(link, { key: null });
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(page.url()).not.toContain("#");
    const again = await web.open(link, { key: null });
    await again.getByRole("alert").waitFor();
    expect(await again.getByLabel("Console key").isVisible()).toBe(true);
  });

  test("a session ends with its sign-out, and with its key", async () => {
    const page = await web.open("/gates");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Console key").waitFor();
    await page.goto(page.url());
    await page.getByLabel("Console key").waitFor();

    const other = await web.open("/gates", { key: web.service.keys.readOnly });
    await other.getByRole("heading", { name: "Gates" }).waitFor();
    const { keys } = web.service.store;
    const record = await keys.find(keyDigest(web.service.keys.readOnly).toString("hex"));
    await keys.revoke(record?.id ?? "", Date.now());
    await other.getByRole("link", { name: "Segments" }).click();
    await other.getByLabel("Console key").waitFor();
  });
});
