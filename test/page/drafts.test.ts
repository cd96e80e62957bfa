import { expect, test } from "vitest";
import type { Gate } from "../../src/contract/gate.js";
import { describeConsole } from "./open-console.js";

describeConsole("edits that are not saved", (web) => {
  async function create(name: string): Promise<string> {
    const { json } = await web.service.call<Gate>({
      method: "POST",
      path: "/console/v1/gates",
      body: { name, rules: ["A", "B"].map((one) => ({ ...everyone, name: one })) },
    });
    return json.data.id;
  }

  test("are asked about before a step back, a longer name and signing out", async () => {
    const [id] = [await create("new"), await create("new checkout")];
    const page = await web.open("/gates");
    const asked: string[] = [];
    page.on("dialog", async (dialog) => {
      asked.push(dialog.message());
      await dialog.dismiss();
    });
    await page.getByRole("link", { name: id, exact: true }).click();
    const description = page.getByLabel("Description");
    await description.fill("Mine");
    await page.goBack();
    await expect.poll(() => asked.length).toBe(1);
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/gates/${id}`);
    expect(await description.inputValue()).toBe("Mine");
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect.poll(() => asked.length).toBe(2);
    // Any link to the other gate, such as one of a rule.
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement("a"), { id: "other", href: "/gates/new_checkout" }));
       document.getElementById("other").click();`,
    );
    await expect.poll(() => asked.length).toBe(3);
    expect(await description.inputValue()).toBe("Mine");
    // Parts of the same page keep them without a question.
    await page.getByRole("link", { name: "Try it" }).click();
    await page.getByRole("heading", { name: "A user" }).waitFor();
    await page.goBack();
    await expect.poll(() => description.inputValue()).toBe("Mine");
    expect(asked).toHaveLength(3);
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByText("not saved").waitFor({ state: "detached" });
    await page.goBack();
    await page.getByRole("searchbox").waitFor();
  });

  test("outlive the session in which they were made", async () => {
    const id = await create("Evening work");
    const { json } = await web.service.call<{ id: string; key: string }>({
      method: "POST",
      path: "/console/v1/keys",
      body: { kind: "console", name: "Anna", scopes: ["write"] },
    });
    const page = await web.open(`/gates/${id}`, { key: json.data.key });
    // The key is revoked just before the service is asked about the text.
    await page.route(`**/console/v1/gates/${id}?dryRun=true`, async (route) => {
      if (route.request().postData()?.includes("Long thoughts")) {
        await web.service.call({ method: "DELETE", path: `/console/v1/keys/${json.data.id}` });
      }
      await route.continue();
    });
    await page.getByLabel("Description").fill("Long thoughts");
    await page.getByText("Your session has ended").waitFor();
    await page.getByLabel("Console key").fill(web.service.keys.console);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.unrouteAll();
    await expect.poll(() => page.getByLabel("Description").inputValue()).toBe("Long thoughts");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("is saved.").waitFor();
  });

  test("the keyboard stays where it was", async () => {
    const id = await create("Keyboard");
    const page = await web.open(`/gates/${id}`);
    const focused = () => page.evaluate("document.activeElement.textContent");
    await page.getByRole("button", { name: "Archive" }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).press("Enter");
    await expect.poll(focused).toBe("Archive");
    await page.getByRole("button", { name: "Move B up" }).press("Enter");
    expect(await focused()).toBe("↑");
    await page.getByRole("button", { name: "Remove A" }).press("Enter");
    expect(await focused()).toBe("Add a rule");
    // The key that opens the review must not save it.
    await page.getByRole("button", { name: "Review" }).press("Enter");
    await expect.poll(focused).toBe("What will change");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).press("Enter");
    await page.getByText("is saved.").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("MAIN");
  });

  test("a percentage is not changed by scrolling over it", async () => {
    const id = await create("Scrolling");
    const page = await web.open(`/gates/${id}`);
    await page.getByRole("button", { name: "Edit rule A" }).click();
    const field = page.getByLabel("Of those, percentage that passes");
    await field.fill("20");
    await field.hover();
    await page.mouse.wheel(0, 100);
    await expect
      .poll(() => page.evaluate("document.activeElement.tagName === 'INPUT'"))
      .toBe(false);
    expect(await field.inputValue()).toBe("20");
  });
});

const everyone = { passPercentage: 100, conditions: [{ type: "public" }] };
