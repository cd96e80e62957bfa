import { expect, test } from "vitest";
import { describeConsole } from "./open-console.js";

interface Prompt {
  readonly content: { readonly prompts: readonly object[] } | null;
}

describeConsole("the pages of prompts", (web) => {
  const path = "/console/v1/prompts";

  async function write(text: string, id = "greeting"): Promise<void> {
    const body = { name: "Text", prompts: [{ role: "system", content: text }] };
    await web.service.call({ method: "POST", path: `${path}/${id}/versions`, body });
  }

  test("messages are not saved over those of somebody else", async () => {
    await web.service.call({ method: "POST", path, body: { name: "greeting" } });
    await write("First");
    const page = await web.open("/prompts/greeting");
    await page.getByLabel("Text").fill("Mine");
    await write("Theirs");
    await page.getByText("has changed it meanwhile").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/system: Theirs$/).waitFor();
    const { json } = await web.service.call<Prompt>({ path: `${path}/greeting` });
    expect(json.data.content?.prompts).toEqual([{ role: "system", content: "Theirs" }]);
    await dialog.getByRole("button", { name: "Discard mine" }).click();
    await expect.poll(() => page.getByLabel("Text").inputValue()).toBe("Theirs");
  });

  test("edited messages are reviewed and saved with the rest, and outlive another tab", async () => {
    await web.service.call({ method: "POST", path, body: { name: "farewell" } });
    await write("Bye", "farewell");
    const page = await web.open("/prompts/farewell");
    await page.getByLabel("Text").fill("So long");
    await page.getByLabel("Description").fill("At the end");
    await page.getByRole("link", { name: "History" }).click();
    await page.getByRole("heading", { name: "Versions" }).waitFor();
    await page.getByRole("link", { name: "Settings" }).click();
    expect(await page.getByLabel("Text").inputValue()).toBe("So long");
    await page.getByRole("button", { name: "Review" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("system: So long").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("farewell is saved.").waitFor();
    const { json } = await web.service.call<Prompt>({ path: `${path}/farewell` });
    expect(json.data).toMatchObject({
      description: "At the end",
      content: { prompts: [{ role: "system", content: "So long" }] },
    });
    expect(await page.getByText("has changed it meanwhile").count()).toBe(0);
  });

  test("publishing shows what applications will get first", async () => {
    await web.service.call({ method: "POST", path, body: { name: "summary" } });
    await write("Short", "summary");
    const body = { version: 2 };
    await web.service.call({ method: "PUT", path: `${path}/summary/publish`, body });
    await write("Shorter", "summary");
    const page = await web.open("/prompts/summary");
    await page.getByRole("button", { name: "Publish version 4" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/system: Short$/).waitFor();
    await dialog.getByText(/system: Shorter$/).waitFor();
    await dialog.getByRole("button", { name: "Publish" }).click();
    await page.getByText("Version 4 is published", { exact: true }).waitFor();
    // What is published is not offered again.
    await expect.poll(() => page.getByRole("button", { name: /^Publish/ }).count()).toBe(0);
  });
});
