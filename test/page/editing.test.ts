import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Gate } from "../../src/contract/gate.js";
import { describeConsole } from "./open-console.js";

describeConsole("editing in the console", (web) => {
  async function create(kind: string, body: object): Promise<string> {
    const path = `/console/v1/${kind}`;
    return (await web.service.call<Gate>({ method: "POST", path, body })).json.data.id;
  }

  /** The label of the field that has the focus. */
  function focusedLabel(page: Page): Promise<unknown> {
    return page.evaluate("document.activeElement.labels?.[0]?.textContent");
  }

  test("a new rule begins in its name, and a bad percentage is not read as a sentence", async () => {
    const id = await create("gates", { name: "First rule" });
    const page = await web.open(`/gates/${id}`);
    await page.getByRole("button", { name: "Add a rule" }).press("Enter");
    await expect.poll(() => focusedLabel(page)).toBe("Name of the rule");
    await page.getByLabel("Of those, percentage that passes").fill("150");
    await page.getByText("its percentage is not from 0 to 100").waitFor();
    await page.getByRole("status").getByText("1 to fix first").waitFor();
  });

  test("discarded edits come back with Undo, also on the page of something else", async () => {
    const id = await create("gates", { name: "Second thoughts" });
    const page = await web.open(`/gates/${id}`);
    const description = page.getByLabel("Description");
    await description.fill("An hour of work");
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    expect(await description.inputValue()).toBe("An hour of work");
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("link", { name: "Gates", exact: true }).first().click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: "Second thoughts" }).click();
    await expect.poll(() => description.inputValue()).toBe("An hour of work");
  });

  test("the tab has the name, and a review the words of the form", async () => {
    const id = await create("gates", { name: "New checkout page" });
    const page = await web.open(`/gates/${id}`);
    await expect.poll(() => page.title()).toBe("New checkout page · Gates · Switchyard");
    await page.getByLabel("ID type", { exact: true }).fill("stableID");
    await page.getByLabel("Tags").fill("web,");
    await page.getByRole("button", { name: "Review" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("ID type", { exact: true }).waitFor();
    await dialog.getByText("none").waitFor();
    await dialog.getByText(/web$/).waitFor();
  });

  test("IDs of a segment come and go after a question, and not on an unseen version", async () => {
    const id = await create("segments", { name: "beta", type: "id_list" });
    const page = await web.open(`/segments/${id}`);
    const field = page.getByLabel("Add or remove IDs");
    const dialog = page.getByRole("dialog");
    await field.fill("anna, ben");
    await page.getByRole("button", { name: "Add 2" }).click();
    await dialog.getByRole("heading", { name: "Add 2 IDs?" }).waitFor();
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByText("2 IDs added.").waitFor();
    await page.getByText("version 2").waitFor();
    await field.fill("anna");
    await page.getByRole("button", { name: "Remove 1" }).click();
    const path = `/console/v1/segments/${id}`;
    await web.service.call({ method: "PATCH", path, body: { description: "Ask me first" } });
    await dialog.getByText("has changed it meanwhile").first().waitFor();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await dialog.getByText("nothing was done").waitFor();
    const { json } = await web.service.call<{ count: number }>({ path });
    expect(json.data.count).toBe(2);
  });

  test("nothing is archived on top of an unseen version, and what uses it is told in words", async () => {
    const id = await create("gates", { name: "Old gate" });
    const condition = { type: "passes_gate", targetValue: [id] };
    const rule = { name: "Some", passPercentage: 100, conditions: [condition] };
    await create("gates", { name: "User of it", rules: [rule] });
    const page = await web.open(`/gates/${id}`);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Archive" }).click();
    await dialog.getByLabel("Reason").fill("Done");
    const path = `/console/v1/gates/${id}`;
    await web.service.call({ method: "PATCH", path, body: { description: "Still needed" } });
    await dialog.getByRole("button", { name: "Archive" }).click();
    await dialog.getByText("nothing was done").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("version 2").waitFor();
    await page.getByRole("button", { name: "Archive" }).click();
    await dialog.getByLabel("Reason").fill("Done");
    await dialog.getByRole("button", { name: "Archive" }).click();
    await dialog.getByText("or archive it all the same").waitFor();
    await dialog.getByRole("button", { name: "Archive it all the same" }).click();
    await page.getByText("Old gate is archived.").waitFor();
  });

  test("variants of a rule are shown with shares and values, and survive a save", async () => {
    const value = (color: string) => ({ returnValue: { color } });
    const conditions = [{ type: "public" }];
    const variants = [
      { name: "red", passPercentage: 50, ...value("red") },
      { name: "blue", passPercentage: 30, ...value("blue") },
    ];
    const rules = [
      { name: "Split", conditions, variants },
      { name: "Whole", conditions, variants: [{ name: "all", ...value("green") }] },
    ];
    const id = await create("dynamic_configs", { name: "Colors", rules });
    const page = await web.open(`/configs/${id}`);
    const shown = page.getByRole("region", { name: "Rules" });
    await shown.getByText("Everyone → get one of 2 values").waitFor();
    // The service checks the rules after they are shown.
    await shown.getByText("Never reached").waitFor();
    const items = await shown.getByRole("listitem").getByRole("listitem").allTextContents();
    expect(items).toEqual([
      '50 % get red {"color":"red"}',
      '30 % get blue {"color":"blue"}',
      "20 % get the default value",
      "Never reached: the rule before it holds for everybody, also beyond its percentage",
    ]);
    await shown.getByText('{"color":"green"}').waitFor();
    await page.getByRole("button", { name: "Edit rule Split" }).click();
    await page.getByText("are changed by the API only").waitFor();
    expect(await page.getByLabel("Of those, percentage that passes").count()).toBe(0);
    await page.getByLabel("Name of the rule").fill("Two colors");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("is saved.").waitFor();
    const path = `/console/v1/dynamic_configs/${id}`;
    const { json } = await web.service.call<{ rules: object[] }>({ path });
    expect(json.data.rules[0]).toMatchObject({ name: "Two colors", variants });
  });

  test("a large value is reviewed by what differs in it", async () => {
    const defaultValue = { head: "x".repeat(500_000), flag: "old", tail: "y".repeat(500_000) };
    const id = await create("dynamic_configs", { name: "Big config", defaultValue });
    const page = await web.open(`/configs/${id}`);
    await page.getByLabel("Description").fill("Large");
    const editor = page.getByRole("textbox", { name: "Default value" });
    await editor.focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(JSON.stringify({ ...defaultValue, flag: "new" }));
    await page.getByRole("button", { name: "Review" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/flag":"new/).waitFor();
    expect((await dialog.textContent())?.length).toBeLessThan(20_000);
  });

  test("the hint and the fault of a code editor are read with it", async () => {
    const id = await create("dynamic_configs", { name: "Described" });
    const page = await web.open(`/configs/${id}`);
    const editor = page.getByRole("textbox", { name: "Schema" });
    expect(await editor.getAttribute("aria-description")).toContain("JSON Schema");
    await editor.focus();
    await page.keyboard.insertText("{ nonsense");
    await expect.poll(() => editor.getAttribute("aria-invalid")).toBe("true");
  });

  test("a key that may not read events is told so once, in words", async () => {
    const { json } = await web.service.call<{ key: string }>({
      method: "POST",
      path: "/console/v1/keys",
      body: { kind: "console", name: "Gates", scopes: ["gates:write"] },
    });
    const page = await web.open("/", { key: json.data.key });
    await page.getByText("Your key may not read events").waitFor();
    expect(await page.getByText("has the scopes").count()).toBe(0);
  });
});
