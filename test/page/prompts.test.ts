import { expect, test } from "vitest";
import { describeConsole } from "./open-console.js";

interface Prompt {
  readonly content: { readonly prompts: readonly object[] } | null;
}

describeConsole("the pages of prompts", (web) => {
  const path = "/console/v1/prompts";

  async function write(text: string): Promise<void> {
    const body = { name: "Text", prompts: [{ role: "system", content: text }] };
    await web.service.call({ method: "POST", path: `${path}/greeting/versions`, body });
  }

  test("messages are not saved over those of somebody else", async () => {
    await web.service.call({ method: "POST", path, body: { name: "greeting" } });
    await write("First");
    const page = await web.open("/prompts/greeting");
    await page.getByLabel("Text").fill("Mine");
    await write("Theirs");
    await page.getByText("has changed it meanwhile").waitFor();
    await page.getByRole("button", { name: "Save as a new version" }).click();
    await page.getByRole("alert").nth(1).waitFor();
    const { json } = await web.service.call<Prompt>({ path: `${path}/greeting` });
    expect(json.data.content?.prompts).toEqual([{ role: "system", content: "Theirs" }]);
    await page.getByRole("button", { name: "Discard mine and show theirs" }).click();
    await expect.poll(() => page.getByLabel("Text").inputValue()).toBe("Theirs");
  });
});
