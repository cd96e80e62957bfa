import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Gate } from "../../src/contract/gate.js";
import { describeConsole } from "./open-console.js";

describeConsole("what others change meanwhile", (web) => {
  let gates = 0;

  async function createGate(): Promise<Gate> {
    const body = { name: `Payment ${++gates}`, rules: [everyone] };
    const { json } = await web.service.call<Gate>({
      method: "POST",
      path: "/console/v1/gates",
      body,
    });
    return json.data;
  }

  async function patchGate(id: string, body: object): Promise<void> {
    await web.service.call({ method: "PATCH", path: `/console/v1/gates/${id}`, body });
  }

  async function readGate(id: string): Promise<Gate> {
    return (await web.service.call<Gate>({ path: `/console/v1/gates/${id}` })).json.data;
  }

  test("a switch in a list that is out of date changes nothing, and says who did", async () => {
    const { id, name } = await createGate();
    const page = await web.open("/gates");
    await page.getByRole("switch", { name, exact: true }).waitFor();
    // The list cannot be read again, so it stays as it is.
    await page.route("**/console/v1/gates?*", () => undefined);
    await patchGate(id, { description: "Keep it on" });
    await page.getByRole("switch", { name, exact: true }).click();
    await page.getByText(/was not changed: .* has changed it meanwhile. It is on now/).waitFor();
    expect(await readGate(id)).toMatchObject({ isEnabled: true, version: 2 });
  });

  test("an undo does not take back what somebody else has done since", async () => {
    const { id, name } = await createGate();
    const page = await web.open("/gates");
    await page.getByRole("switch", { name, exact: true }).click();
    await page.getByText(`${name} is off.`).waitFor();
    await patchGate(id, { isEnabled: false, description: "Incident: keep it off" });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(/was not changed: .* has changed it meanwhile. It is off now/).waitFor();
    expect((await readGate(id)).isEnabled).toBe(false);
  });

  test("one's own switch is not a change of somebody else", async () => {
    const { id, name } = await createGate();
    const page = await web.open(`/gates/${id}`);
    await page.getByLabel("Description").fill("Mine");
    await page.getByRole("switch", { name, exact: true }).click();
    await page.getByText(`${name} is off. Your changes to the rest are not saved.`).waitFor();
    await page.getByText("version 2").waitFor();
    expect(await page.getByText("has changed it meanwhile").count()).toBe(0);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("is saved.").waitFor();
    expect(await readGate(id)).toMatchObject({ isEnabled: false, description: "Mine" });
  });

  test("Escape leaves the decision about a conflict open", async () => {
    const { id } = await createGate();
    const page = await web.open(`/gates/${id}`);
    await page.getByLabel("Description").fill("Mine");
    await patchGate(id, { description: "Theirs" });
    await page.getByRole("button", { name: "Show what" }).click();
    await page.getByRole("dialog").locator("ins", { hasText: "Theirs" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").locator("ins", { hasText: "Theirs" }).waitFor();
    expect((await readGate(id)).description).toBe("Theirs");
  });

  test("a conflict about rules names the field, not a generated id", async () => {
    const { id } = await createGate();
    const page = await web.open(`/gates/${id}`);
    await page.getByRole("button", { name: /^Edit/ }).click();
    await page.getByRole("spinbutton").fill("33");
    await patchGate(id, { rules: [] });
    await page.getByRole("button", { name: "Show what" }).click();
    await page.getByText("You have changed rules, too: your values would replace").waitFor();
  });

  test("text that is typed while the text before is saved is kept", async () => {
    const { id } = await createGate();
    const page = await web.open(`/gates/${id}`);
    const release = await holdPatch(page, id);
    await page.getByLabel("Description").fill("First");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByLabel("Description").fill("First, and second");
    await release();
    await page.getByText("is saved.").waitFor();
    expect(await page.getByLabel("Description").inputValue()).toBe("First, and second");
    expect((await readGate(id)).description).toBe("First");
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(async () => (await readGate(id)).description).toBe("First, and second");
  });

  test("an experiment does not start without the edits on its page", async () => {
    const path = "/console/v1/experiments";
    const body = { name: "Colours", groups: [group("Red"), group("Blue")] };
    await web.service.call({ method: "POST", path, body });
    const page = await web.open("/experiments/colours");
    await page.getByLabel("Allocation").fill("40");
    for (const [opener, action] of [
      ["Start", "Start"],
      ["Archive", "Archive"],
    ] as const) {
      await page.getByRole("button", { name: opener }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("Save or discard them first").waitFor();
      expect(await dialog.getByRole("button", { name: action }).isDisabled()).toBe(true);
      await dialog.getByRole("button", { name: "Cancel" }).click();
    }
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("is saved.").waitFor();
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
    await page.getByText("Colours is running.").waitFor();
    const { json } = await web.service.call<object>({ path: `${path}/colours` });
    expect(json.data).toMatchObject({ status: "active", allocation: 40 });
  });
});

const everyone = { name: "All", passPercentage: 100, conditions: [{ type: "public" }] };

function group(name: string) {
  return { name, size: 50, parameterValues: { colour: name } };
}

/** Holds the next save of a gate until the returned function is called. */
async function holdPatch(page: Page, id: string): Promise<() => Promise<void>> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(`**/console/v1/gates/${id}`, async (route) => {
    if (route.request().method() === "PATCH") await released;
    await route.continue();
  });
  return async () => release();
}
