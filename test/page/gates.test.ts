import { expect, test } from "vitest";
import type { Gate } from "../../src/contract/gate.js";
import { describeConsole } from "./open-console.js";

describeConsole("the pages of gates", (web) => {
  let gates = 0;

  /** Creates a gate with two rules. */
  async function createGate(fields: object = {}): Promise<Gate> {
    const { json } = await web.service.call<Gate>({
      method: "POST",
      path: "/console/v1/gates",
      body: {
        name: `Checkout ${++gates}`,
        rules: [
          {
            name: "Germany",
            passPercentage: 25,
            conditions: [{ type: "country", operator: "any", targetValue: ["DE", "AT"] }],
          },
          { name: "Others", passPercentage: 0, conditions: [{ type: "public" }] },
        ],
        ...fields,
      },
    });
    return json.data;
  }

  async function readGate(id: string): Promise<Gate> {
    return (await web.service.call<Gate>({ path: `/console/v1/gates/${id}` })).json.data;
  }

  test("a list is searched, and the search stands in the address", async () => {
    const { name } = await createGate({ name: "Findable needle" });
    await createGate();
    const page = await web.open("/gates");
    await page.getByRole("searchbox").fill("NEEDLE");
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    expect(new URL(page.url()).search).toBe("?search=NEEDLE");
    await page.reload();
    await page.getByRole("link", { name }).waitFor();
    expect(await page.getByRole("row").count()).toBe(2);
  });

  test.each(["999", "2.5", "-1", "1e99", "x"])(
    "page %s of a list leads to its gates",
    async (number) => {
      await createGate();
      const page = await web.open(`/gates?page=${number}`);
      if (number === "999") {
        await page.getByText("No more gates").waitFor();
        await page.getByRole("link", { name: "Previous" }).click();
      }
      if (number === "2.5") await page.getByText("No more gates").waitFor();
      else await page.getByRole("switch").first().waitFor();
      expect(await page.getByText("No gates yet").count()).toBe(0);
    },
  );

  test("a list is filtered by the service, by the address, and cleared", async () => {
    const wanted = await createGate({ tags: ["filter me"], type: "TEMPORARY" });
    await createGate({ tags: ["filter me"], type: "PERMANENT" });
    await createGate({ type: "TEMPORARY" });
    const page = await web.open("/gates");
    await page.getByLabel("Tag", { exact: true }).fill("filter me");
    await page.getByLabel("Tag", { exact: true }).press("Enter");
    await expect.poll(() => page.getByRole("row").count()).toBe(3);
    await page.getByRole("combobox", { name: /^Type/ }).selectOption("Temporary");
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    await page.getByRole("link", { name: wanted.name }).waitFor();
    expect(new URL(page.url()).search).toBe("?tag=filter+me&type=TEMPORARY");
    await page.reload();
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    await page.getByText("More filters").click();
    await page.getByLabel("Created by").fill(wanted.creatorName ?? "");
    await page.getByLabel("Created by").press("Enter");
    await expect.poll(() => page.url()).toContain("creator=");
    await page.getByRole("link", { name: wanted.name }).waitFor();
    await page.getByLabel("Changed by").fill("somebody else");
    await page.getByLabel("Changed by").press("Enter");
    await page.getByText("No gate matches").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("");
    await expect.poll(() => page.getByRole("row").count()).toBeGreaterThan(3);
    expect(await page.getByLabel("Tag", { exact: true }).inputValue()).toBe("");
  });

  test("a filter that a kind does not have is not asked for", async () => {
    const page = await web.open("/configs?type=TEMPORARY");
    await page.getByText("No dynamic configs yet").waitFor();
  });

  test("a gate is turned off from the list, and the undo turns it on", async () => {
    const { id, name } = await createGate();
    const page = await web.open("/gates");
    await page.getByRole("switch", { name, exact: true }).click();
    await page.getByText(`${name} is off.`).waitFor();
    expect((await readGate(id)).isEnabled).toBe(false);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(`${name} is on.`).waitFor();
    expect((await readGate(id)).isEnabled).toBe(true);
  });

  test("rules are read as sentences", async () => {
    const { id } = await createGate();
    const page = await web.open(`/gates/${id}`);
    const rules = page.getByRole("region", { name: "Rules" }).getByRole("listitem");
    await expect
      .poll(() => rules.first().textContent())
      .toContain("If the country is DE or AT → on for 25 % of them, off for the others");
    expect(await rules.nth(1).textContent()).toContain("Everyone → off");
  });

  test("a rule with texts that are long or turn lines around is read as it is", async () => {
    const values = ["W".repeat(300), "\u202Eevil"];
    const conditions = [{ type: "email", operator: "any", targetValue: values }];
    const rules = [{ name: "\u202ERule", passPercentage: 12.5, conditions }];
    const body = { name: "Long texts", rules };
    await web.service.call({ method: "POST", path: "/console/v1/gates", body });
    const page = await web.open("/gates/long_texts", {
      context: { viewport: { width: 360, height: 740 } },
    });
    await page.getByText(/\\u202eevil → on for 12\.5 %/).waitFor();
    await page.getByRole("heading", { name: "\\u202eRule" }).waitFor();
    const [width, shown] = (await page.evaluate(
      "[document.documentElement.scrollWidth, innerWidth]",
    )) as number[];
    expect(width).toBe(shown);
  });

  test("a time that no calendar has is shown as written, and replaced", async () => {
    const condition = { type: "time", operator: "after", targetValue: "1704067200000000000" };
    const rule = { name: "Later", passPercentage: 100, conditions: [condition] };
    const { id, name } = await createGate({ rules: [rule] });
    const page = await web.open("/gates");
    await page
      .getByRole("row", { name })
      .getByText("If the time is after 1704067200000000000: 100 %")
      .waitFor();
    await page.goto(`${web.server.url}/gates/${id}`);
    await page.getByRole("button", { name: "Edit rule Later" }).click();
    await page.getByText("This field cannot show 1704067200000000000.").waitFor();
    await page.getByLabel("Time (UTC)").fill("2024-01-01T00:00");
    await page.getByText("If the time is after 2024-01-01 00:00 UTC → on").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("is saved.").waitFor();
    expect((await readGate(id)).rules[0]?.conditions).toEqual([
      { ...condition, targetValue: Date.UTC(2024, 0, 1) },
    ]);
  });

  test("a gate that cannot be shown leaves the rest of its list and of its page", async () => {
    const { id, name } = await createGate();
    const other = await createGate();
    const complaints: string[] = [];
    const page = await web.open("/audit", { complaints });
    await page.route(/console\/v1\/gates/, async (route) => {
      const answer = await route.fetch();
      const { data, ...rest } = (await answer.json()) as { data: Gate | Gate[] };
      const broken = (gate: Gate) => (gate.id === id ? { ...gate, rules: [{ name: "x" }] } : gate);
      const json = { ...rest, data: Array.isArray(data) ? data.map(broken) : broken(data) };
      await route.fulfill({ response: answer, json });
    });
    await page.goto(`${web.server.url}/gates`);
    await page.getByRole("row", { name }).getByText("This cannot be shown").waitFor();
    await page.getByRole("link", { name: other.name }).waitFor();
    await page.getByRole("link", { name }).click();
    await page.getByRole("region", { name: "Rules" }).getByText("This cannot be shown").waitFor();
    await page.getByLabel("Description").waitFor();
    await page.getByRole("link", { name: "Gates" }).first().click();
    await page.getByRole("link", { name: other.name }).click();
    await page.getByText("If the country is DE or AT").waitFor();
    expect(new Set(complaints.map((text) => text.split(":")[0]))).toEqual(new Set(["console"]));
  });

  test("a percentage and a condition are changed, reviewed and saved", async () => {
    const { id, version } = await createGate();
    const page = await web.open(`/gates/${id}`);
    await page.getByRole("button", { name: "Edit rule Germany" }).click();
    await page.getByLabel("Of those, percentage that passes").fill("50");
    await page.getByLabel("Values").fill("CH");
    await page.getByLabel("Values").press("Enter");
    await page.getByRole("button", { name: "Review" }).click();
    const dialog = page.getByRole("dialog");
    await expect
      .poll(() => dialog.textContent())
      .toContain("If the country is DE, AT or CH → on for 50 % of them, off for the others");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("is saved.").waitFor();
    const saved = await readGate(id);
    expect(saved.version).toBe(version + 1);
    expect(saved.rules[0]).toMatchObject({
      passPercentage: 50,
      conditions: [{ targetValue: ["DE", "AT", "CH"] }],
    });
  });

  test("the service's own words stand beside the field, and nothing is saved", async () => {
    const { id, version } = await createGate();
    const page = await web.open(`/gates/${id}`);
    await page.getByLabel("Description").fill("x".repeat(1_001));
    await page.getByText("Must be at most 1000 characters").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    expect((await readGate(id)).version).toBe(version);
  });

  test("a rule that can never work is warned of before it is saved", async () => {
    const { id } = await createGate();
    const page = await web.open(`/gates/${id}`);
    await page.getByRole("button", { name: "Edit rule Germany" }).click();
    await page.getByLabel("If", { exact: true }).selectOption("passes_gate");
    await page.getByLabel("Gate", { exact: true }).fill("not_there");
    await page.getByText("There is no gate not_there").waitFor();
  });

  test("a stored rule that can never work is warned of", async () => {
    const rule = {
      passPercentage: 100,
      conditions: [{ type: "passes_gate", targetValue: "gone" }],
    };
    const { id } = await createGate({ rules: [{ name: "Ghost", ...rule }] });
    const page = await web.open(`/gates/${id}`);
    await page.getByText("There is no gate gone").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).count()).toBe(0);
  });

  test("a user is tried, with the reason, also before a change is saved", async () => {
    const { id } = await createGate();
    const page = await web.open(`/gates/${id}`);
    await page.getByRole("link", { name: "Try it" }).click();
    await page.getByRole("button", { name: "Try it" }).click();
    const answer = page.getByRole("region", { name: "The answer" });
    await expect.poll(() => answer.textContent()).toMatch(/because of “Germany”/);
    expect(await answer.textContent()).toContain('country is DE, AT: yes, it is "DE"');
    expect(await answer.textContent()).toMatch(/this user is at \d+\.\d\d % of 100, and 25 % pass/);

    // The address is the whole question.
    await page.reload();
    await answer.waitFor();
    await page.getByRole("link", { name: "Rules", exact: true }).click();
    await page.getByRole("button", { name: "Edit rule Germany" }).click();
    await page.getByLabel("Of those, percentage that passes").fill("100");
    await page.getByRole("link", { name: "Try it" }).click();
    await page.getByRole("button", { name: "Try it" }).click();
    await expect.poll(() => answer.textContent()).toMatch(/^The answeron because of “Germany”/);
  });

  test("a review says how many recent users a change would affect", async () => {
    const { id } = await createGate();
    const events = Array.from({ length: 40 }, (_, index) => ({
      event: "open",
      user: { userID: `u${index}`, country: index < 10 ? "DE" : "FR" },
      timestamp: Date.now(),
    }));
    await web.service.call({
      method: "POST",
      path: "/v1/webhooks/event_webhook",
      key: web.service.keys.server,
      body: events,
    });
    const page = await web.open(`/gates/${id}`);
    await page.getByRole("button", { name: "Remove Others" }).click();
    await page.getByRole("button", { name: "Review" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("None of the 40 most recent users would get another answer").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Edit rule Germany" }).click();
    await page.getByLabel("Of those, percentage that passes").fill("100");
    const asked = {
      proposed: { rules: [{ ...(await readGate(id)).rules[0], passPercentage: 100 }] },
    };
    const { json } = await web.service.call<{ changed: number }>({
      method: "POST",
      path: `/console/v1/gates/${id}/impact`,
      body: asked,
    });
    expect(json.data.changed).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Review" }).click();
    await dialog.getByText(`${json.data.changed} of the 40 most recent users`).waitFor();
  });

  test("a conflict shows what the other person changed, and keeps both", async () => {
    const { id } = await createGate();
    const [mine, theirs] = [await web.open(`/gates/${id}`), await web.open(`/gates/${id}`)];
    await mine.getByLabel("Description").fill("Mine");
    await theirs.getByRole("button", { name: "Edit rule Germany" }).click();
    await theirs.getByLabel("Of those, percentage that passes").fill("75");
    await theirs.getByRole("button", { name: "Save" }).click();
    await theirs.getByText("is saved.").waitFor();
    const dialog = mine.getByRole("dialog", { name: /has changed it meanwhile/ });
    await mine.getByText("has changed it meanwhile").waitFor();
    await mine.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => dialog.textContent()).toContain("on for 75 % of them");
    await dialog.getByRole("button", { name: "Keep my changes on top of theirs" }).click();
    await mine.getByRole("button", { name: "Save" }).click();
    await mine.getByText("is saved.").waitFor();
    const saved = await readGate(id);
    expect([saved.description, saved.rules[0]?.passPercentage]).toEqual(["Mine", 75]);
  });

  test("it is archived with a reason, and comes back", async () => {
    const { id } = await createGate();
    const page = await web.open(`/gates/${id}`);
    await page.getByRole("button", { name: "Archive" }).click();
    await page.getByLabel("Reason").fill("Rolled out");
    await page.getByRole("dialog").getByRole("button", { name: "Archive" }).click();
    await page.getByText("is archived.").waitFor();
    expect(await readGate(id)).toMatchObject({ status: "Archived", archiveReason: "Rolled out" });
    await page.getByRole("button", { name: "Unarchive" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Unarchive" }).click();
    await page.getByText("is back.").waitFor();
    expect((await readGate(id)).status).not.toBe("Archived");
  });

  test("an earlier version is compared and restored", async () => {
    const { id } = await createGate({ description: "First" });
    await web.service.call({
      method: "PATCH",
      path: `/console/v1/gates/${id}`,
      body: { description: "Second" },
    });
    const page = await web.open(`/gates/${id}/history`);
    await page.getByRole("button", { name: "What changed in version 2" }).click();
    await page.getByText("Second").waitFor();
    await page.getByRole("button", { name: "Restore version 1" }).click();
    const dialog = page.getByRole("dialog", { name: "Restore version 1?" });
    await dialog.locator("ins", { hasText: "First" }).waitFor();
    expect((await readGate(id)).version).toBe(2);
    await dialog.getByRole("button", { name: "Restore" }).click();
    await page.getByText("Version 1 is back.").waitFor();
    expect(await readGate(id)).toMatchObject({ description: "First", version: 3 });
  });

  test("a gate is created, off", async () => {
    const page = await web.open("/gates");
    await page.getByRole("button", { name: "New gate" }).click();
    await page.getByLabel("Name", { exact: true }).fill("x");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("Must be at least 3 characters").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Brand new");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "Brand new" }).waitFor();
    expect((await readGate("brand_new")).isEnabled).toBe(false);
  });

  test("with a read-only key nothing can be changed", async () => {
    const { id } = await createGate();
    const page = await web.open(`/gates/${id}`, { key: web.service.keys.readOnly });
    await page.getByRole("switch").waitFor();
    expect(await page.getByRole("switch").isDisabled()).toBe(true);
    expect(await page.getByLabel("Description").isDisabled()).toBe(true);
    for (const name of ["Archive", "Add a rule", /^Edit/]) {
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    }
  });
});
