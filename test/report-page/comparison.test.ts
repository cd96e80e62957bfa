import { expect, test } from "vitest";
import type { Report } from "../../src/profile/report.js";
import { exampleReport } from "./example-report.js";
import { describePages } from "./open-page.js";

const nothing = { total: 0, items: [] };
const none = { came: nothing, went: nothing, changed: nothing };

const compared: Report = {
  ...exampleReport(),
  comparison: {
    earlier: { file: "/r/<b>old.json", version: "0.2.0", startedAt: "2026-01-01T10:00:00.000Z" },
    rows: [{ figure: "read", before: 1_000, after: 1_100 }],
    rejects: [],
    findings: { came: [], went: [] },
    events: { ...none, came: { total: 300, items: [{ event: "<i>brewed", rows: 7 }] } },
    fields: none,
    days: none,
    unknown: ["Options <u> were other."],
  },
};

describePages("changes since an earlier report", (inPage) => {
  test("are shown with the first of long lists, and what is not known", async () => {
    await inPage(
      async (page) => {
        const section = page.locator("#comparison");
        expect(await section.locator(".lead").first().textContent()).toBe(
          "Compared with /r/<b>old.json of 2026-01-01 10:00 UTC, Switchyard 0.2.0.",
        );
        const texts = await section.locator("tbody tr").allInnerTexts();
        expect(texts.map((text) => text.replaceAll(/\s+/g, " ").trim())).toEqual([
          "read 1,000 → 1,100 (10.0 % more)",
          "<i>brewed new, 7 events",
        ]);
        expect(await section.locator("caption").last().textContent()).toContain(
          "the first 1 of 300",
        );
        expect(await section.locator("li").allInnerTexts()).toEqual(["Options <u> were other."]);
        expect(await page.locator("nav a[href='#comparison']").count()).toBe(1);
      },
      { report: compared },
    );
  });

  test("and estimates are shown as text", async () => {
    const figure = { count: 1_204_312, error: 3_071 };
    const none = { count: 0, error: 0 };
    const quick = {
      isExact: false,
      confidence: 0.99,
      units: 240,
      beginnings: 0,
      rows: { read: figure, added: none, mapped: figure, rejected: none, filtered: none },
      rejects: [],
      events: [{ event: "<i>brewed", rows: { count: 12, error: null } }],
      days: [{ day: "2026-01-01", events: figure }],
      unknown: ["Rare <b> names."],
    };
    await inPage(
      async (page) => {
        const rows = await page.locator("#estimates tbody tr").allInnerTexts();
        expect(rows.map((text) => text.replaceAll(/\s+/g, " ").trim())).toEqual([
          "read rows about 1,204,300 ± 3,100",
          "mapped rows about 1,204,300 ± 3,100",
          "rejected rows 0",
          "filtered rows 0",
          "<i>brewed event names about 12 (error unknown)",
          "2026-01-01 days about 1,204,300 ± 3,100",
        ]);
        expect(await page.locator("#estimates li").allInnerTexts()).toEqual(["Rare <b> names."]);
      },
      { report: { ...compared, sample: { share: 0.01, quick } } },
    );
  });

  test("are not shown without a comparison", async () => {
    await inPage(async (page) => {
      expect(await page.locator("#comparison, nav a[href='#comparison']").count()).toBe(0);
    });
  });
});
