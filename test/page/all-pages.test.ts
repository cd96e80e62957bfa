import { beforeAll, expect, test } from "vitest";
import { axeFaults, describeConsole } from "./open-console.js";

/** A text that would run, or end its element, where text is taken for markup. */
const HOSTILE = `"'><img src=x onerror="globalThis.hurt=1"><script>globalThis.hurt=1</script>{{7*7}}`;

const paths = [
  "/",
  "/migrations",
  "/gates",
  "/gates/hostile",
  "/gates/hostile/try?user=%7B%7D",
  "/gates/hostile/history",
  "/gates/hostile/references",
  "/gates/not_there",
  "/configs",
  "/configs/hostile",
  "/experiments",
  "/experiments/hostile",
  "/experiments/hostile/results",
  "/experiments/hostile/try?user=%7B%22userID%22%3A%22a%22%7D",
  "/segments",
  "/segments/hostile",
  "/segments/hostile_list",
  "/segments/hostile/references",
  "/prompts",
  "/prompts/hostile",
  "/qualifying-events",
  "/qualifying-events/hostile",
  "/events",
  "/keys",
  "/audit",
  "/events/no-such-page",
] as const;

describeConsole("every page of the web console", (web) => {
  beforeAll(async () => {
    const post = async (path: string, body: object) => {
      const { status, json } = await web.service.call({ method: "POST", path, body });
      expect(status, JSON.stringify(json)).toBeLessThan(300);
    };
    const about = { description: HOSTILE, tags: [HOSTILE, " "] };
    const rule = {
      name: HOSTILE,
      passPercentage: 50,
      conditions: [
        { type: "custom_field", field: HOSTILE, operator: "any", targetValue: [HOSTILE] },
      ],
    };
    const named = { ...about, name: "hostile" };
    await post("/console/v1/gates", { ...named, rules: [rule] });
    await post("/console/v1/dynamic_configs", {
      ...named,
      defaultValue: { [HOSTILE]: HOSTILE },
      rules: [{ ...rule, returnValue: { [HOSTILE]: HOSTILE } }],
    });
    await post("/console/v1/experiments", {
      ...named,
      hypothesis: HOSTILE,
      groups: [{ name: HOSTILE, size: 50, parameterValues: { [HOSTILE]: HOSTILE } }],
    });
    await post("/console/v1/segments", { ...named, type: "rule_based", rules: [rule] });
    await post("/console/v1/segments", { ...about, name: "hostile list", type: "id_list" });
    await web.service.call({
      method: "PATCH",
      path: "/console/v1/segments/hostile_list/id_list",
      body: { ids: [HOSTILE] },
    });
    await post("/console/v1/prompts", named);
    await post("/console/v1/prompts/hostile/versions", {
      name: "hostile",
      prompts: [{ role: "system", content: HOSTILE }],
    });
    await post("/console/v1/experiments/qualifying_events", {
      ...named,
      sql: HOSTILE,
      timestampColumn: HOSTILE,
      idTypeMapping: [{ statsigUnitID: "userID", column: HOSTILE }],
    });
    await web.service.call({
      method: "POST",
      path: "/v1/webhooks/event_webhook",
      key: web.service.keys.server,
      body: [HOSTILE, "   "].map((event) => ({
        event,
        user: { userID: HOSTILE },
        metadata: { [HOSTILE]: HOSTILE },
        timestamp: Date.now(),
      })),
    });
  });

  test.each(paths)(
    "%s has no faults according to axe in light and dark colours, runs no text, and fits any window",
    async (path) => {
      // Axe is put into the page, which the page's policy forbids.
      const page = await web.open(path, { context: { bypassCSP: true } });
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      await expect.poll(() => page.locator("[aria-busy=true]").count()).toBe(0);
      const colours: unknown[] = [];
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await axeFaults(page)).toEqual([]);
        colours.push(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
      }
      expect(new Set(colours).size).toBe(2);
      for (const width of [390, 1280, 3840]) {
        await page.setViewportSize({ width, height: 900 });
        const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect([width, wider]).toEqual([width, 0]);
      }
      const traces = await page.evaluate("[String(globalThis.hurt), document.images.length]");
      expect(traces).toEqual(["undefined", 0]);
    },
  );
});
