import { expect, test } from "vitest";
import { describeConsole } from "./open-console.js";

describeConsole("addresses of the console", (web) => {
  const name = "50% /?#& off";

  test.each([
    ["/gates/%", "There is no such page"],
    ["/gates/%E0%A4%A", "There is no such page"],
    ["/gates/a%/try", "There is no such page"],
    ["/migrations/%", "There is no such page"],
    ["/gates/..%2F..%2Fkeys", "There is no gate ../../keys"],
    ["/gates/%2F%3F%23%25", "There is no gate /?#%"],
    ["/gates/new/never/more", "There is no such page"],
    ["/migrations/..%2Fgates", "There is no such migration"],
  ])("%s is not a blank page", async (path, title) => {
    const page = await web.open(path);
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    await expect.poll(() => page.title()).toContain("Switchyard");
  });

  test("a part that a page does not have is not found", async () => {
    await web.service.call({ method: "POST", path: "/console/v1/gates", body: { name: "Known" } });
    const page = await web.open("/gates/known/nothing");
    await page.getByRole("heading", { level: 1, name: "There is no such page" }).waitFor();
  });

  test("a name of punctuation has its page, its parts and its name in the browser's tab", async () => {
    const body = {
      name,
      sql: "SELECT * FROM events",
      timestampColumn: "timestamp",
      idTypeMapping: [{ serviceUnitID: "userID", column: "userID" }],
    };
    const path = "/console/v1/experiments/qualifying_events";
    const { json } = await web.service.call<{ name: string }>({ method: "POST", path, body });
    expect(json).toMatchObject({ data: { name } });
    const page = await web.open("/qualifying-events");
    await page.getByRole("link", { name }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.getByLabel("Description").fill("Half price");
    await page.getByRole("link", { name: "History" }).click();
    await page.getByRole("heading", { name: "Versions" }).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("is saved.").waitFor();
    await expect.poll(() => page.title()).toContain(name);
    await page.reload();
    await page.getByRole("heading", { level: 1, name }).waitFor();
  });
});
