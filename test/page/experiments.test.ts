import { expect, test } from "vitest";
import type { Experiment } from "../../src/contract/experiment.js";
import { describeConsole } from "./open-console.js";

interface GroupResult {
  readonly groupName: string;
  readonly units: number;
  readonly conversion: { readonly units: number };
}

describeConsole("the pages of experiments", (web) => {
  async function readExperiment(id: string): Promise<Experiment> {
    const { json } = await web.service.call<Experiment>({ path: `/console/v1/experiments/${id}` });
    return json.data;
  }

  test("an experiment is created, started, read and decided", async () => {
    const page = await web.open("/experiments");
    await page.getByRole("button", { name: "New experiment" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Button colour");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "Button colour" }).waitFor();
    await page.getByLabel("Statement that the experiment tests").fill("Green is clicked more.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("is saved.").waitFor();

    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
    await page.getByText("is running.").waitFor();
    const started = await readExperiment("button_colour");
    expect(started).toMatchObject({ status: "active", hypothesis: "Green is clicked more." });

    // Users are exposed by asking, and some of them buy.
    const { server } = web.service.keys;
    for (let index = 0; index < 40; index++) {
      const user = { userID: `u${index}` };
      await web.service.call({
        method: "POST",
        path: "/v1/get_config",
        key: server,
        body: { configName: "button_colour", user },
      });
      if (index % 4 !== 0) continue;
      await web.service.call({
        method: "POST",
        path: "/v1/webhooks/event_webhook",
        key: server,
        body: { event: "purchase", user, timestamp: Date.now() + 1_000 },
      });
    }
    const readGroups = async () => {
      const { json } = await web.service.call<{ groups: readonly GroupResult[] }>({
        path: "/console/v1/experiments/button_colour/pulse_results?event=purchase",
      });
      return json.data.groups;
    };
    // Exposures are stored after the answers.
    const unitsOf = async () => (await readGroups()).reduce((sum, { units }) => sum + units, 0);
    await expect.poll(unitsOf).toBe(40);

    await page.getByRole("link", { name: "Results" }).click();
    await page.getByLabel("Conversion").fill("purchase");
    await page.getByLabel("Conversion").press("Enter");
    await page.getByText("Against control").waitFor();
    for (const { groupName, units, conversion } of await readGroups()) {
      const cells = page.getByRole("row", { name: new RegExp(`^${groupName}`) }).getByRole("cell");
      await expect
        .poll(async () => (await cells.allTextContents()).slice(0, 2))
        .toEqual([String(units), String(conversion.units)]);
    }

    await page.getByRole("button", { name: "Make a decision" }).click();
    await page.getByLabel("Group", { exact: true }).selectOption({ label: "Test" });
    await page.getByLabel("Reason").fill("More purchases");
    await page.getByRole("button", { name: "Ship the group" }).click();
    await page.getByText("is decided.").waitFor();
    const decided = await readExperiment("button_colour");
    const shipped = decided.groups.find(({ name }) => name === "Test")?.id;
    expect(decided).toMatchObject({
      status: "decision_made",
      launchedGroupID: shipped,
      decisionReason: "More purchases",
    });
  });

  test("an experiment that cannot start says why", async () => {
    await web.service.call({
      method: "POST",
      path: "/console/v1/experiments",
      body: { name: "No groups", groups: [] },
    });
    const page = await web.open("/experiments/no_groups");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
    await expect.poll(() => page.getByRole("alert").textContent()).toMatch(/group/);
    expect((await readExperiment("no_groups")).status).toBe("setup");
  });

  test("a qualifying event begins with the events of its name", async () => {
    const page = await web.open("/qualifying-events");
    await page.getByRole("button", { name: "New qualifying event" }).click();
    await page.getByLabel("Name", { exact: true }).fill("purchase");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "purchase" }).waitFor();
    expect(await page.getByLabel("SQL").inputValue()).toContain("event = 'purchase'");
  });

  test("parameters that are not an object are refused, and not replaced by earlier ones", async () => {
    const body = { name: "Typing", groups: [{ name: "A", size: 50, parameterValues: { a: 1 } }] };
    await web.service.call({ method: "POST", path: "/console/v1/experiments", body });
    const page = await web.open("/experiments/typing");
    const parameters = page.getByRole("textbox", { name: "Parameters" });
    await parameters.fill('{"a": 2');
    await page.getByText("Expected object").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Discard" }).click();
    await expect.poll(() => parameters.textContent()).toContain('"a": 1');
    await parameters.fill('{"a": 3}');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("is saved.").waitFor();
    expect((await readExperiment("typing")).groups[0]?.parameterValues).toEqual({ a: 3 });

    const size = page.getByLabel("Size");
    await size.fill("");
    await size.blur();
    expect(await size.inputValue()).toBe("50");
  });
});
