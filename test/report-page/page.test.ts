import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { renderReport } from "../../src/report/render-report.js";
import { longTest } from "../support/long-test.js";
import { exampleReport } from "./example-report.js";
import { describePages } from "./open-page.js";

describePages("the page of a report, in a browser", (inPage) => {
  const rangeOf = (page: Page) => page.locator("#timeline .range-line [role=status]").textContent();
  const eventRows = (page: Page) => page.locator("#events tbody tr");
  const tableStatus = (page: Page) => page.locator("#events [role=status]").textContent();

  test("shows the verdict, the outcome of every row, and what to fix", async () => {
    await inPage(async (page) => {
      expect(await page.locator("h1").textContent()).toMatch(
        /^Not ready: all but 3,207 of .* rows become events, with 2 errors to fix and 2 warnings/,
      );
      const terms = await page.locator(".balance dd").allInnerTexts();
      const [read = 0, ...parts] = terms.map((text) => Number(text.replaceAll(",", "")));
      expect(read).toBeGreaterThan(0);
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(read);
      const severities = await page.locator("#findings .severity").allInnerTexts();
      expect(severities.map((text) => text.replace(/^.\s*/s, ""))).toEqual([
        "Error",
        "Error",
        "Warning",
        "Warning",
        "Note",
      ]);
    });
  });

  longTest("copies the line that fixes a finding", async () => {
    await inPage(async (page) => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const fix = page.locator("#findings .fix").first();
      await fix.getByRole("button").click();
      await fix.getByText("Copied").waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
        '"mapping": {"timestamp": {"zone": "America/Los_Angeles"}}',
      );
    });
  });

  longTest("draws a layer for each of the most frequent names and one for the others", async () => {
    await inPage(async (page) => {
      const layers = page.locator("#timeline .layer");
      expect(await layers.count()).toBe(9);
      for (const layer of await layers.all()) {
        const box = await layer.boundingBox();
        expect(box?.width).toBeGreaterThan(400);
        expect(box?.height).toBeGreaterThan(10);
      }
      expect(await page.locator("#days button.day").count()).toBe(90);
      expect(await page.locator('#days button.day[data-level="0"]').count()).toBe(2);
      expect(await page.locator("#days .bar-chart .bar").count()).toBe(24);
      expect(await page.locator("#events .sparkline path").count()).toBe(40);
    });
  });

  test("searches, sorts and counts the table of events", async () => {
    await inPage(async (page) => {
      const search = page.locator("#events input");
      await search.fill("ORDER com");
      expect(await eventRows(page).locator("th").allInnerTexts()).toEqual(["Order Completed"]);
      expect(await tableStatus(page)).toBe("1 of 40 event name");
      await search.fill("no such name");
      expect(await tableStatus(page)).toBe("No event name matches");
      await search.fill("");
      const heading = page.locator("#events thead th").first();
      await heading.getByRole("button").click();
      expect(await heading.getAttribute("aria-sort")).toBe("ascending");
      const names = await eventRows(page).locator("th").allInnerTexts();
      expect(names).toEqual(
        [...names].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
      );
      await heading.getByRole("button").click();
      expect(await heading.getAttribute("aria-sort")).toBe("descending");
      expect(await eventRows(page).locator("th").allInnerTexts()).toEqual(names.reverse());
    });
  });

  test("chooses days by keyboard, and the other parts follow", async () => {
    await inPage(async (page) => {
      const rowsBefore = await eventRows(page).first().locator("td").first().textContent();
      await page.getByRole("slider", { name: "Last day" }).focus();
      for (const key of ["PageDown", "ArrowLeft"]) await page.keyboard.press(key);
      expect(await rangeOf(page)).toMatch(/^1 Jan 2026 to 23 Mar 2026, /);
      await page.getByRole("slider", { name: "First day" }).focus();
      for (const key of ["PageUp", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
      expect(await rangeOf(page)).toMatch(/^10 Jan 2026 to 23 Mar 2026, /);
      expect(page.url()).toMatch(/#from=2026-01-10&to=2026-03-23$/);
      expect(await eventRows(page).first().locator("td").first().textContent()).not.toBe(
        rowsBefore,
      );
      expect(await page.locator("#days .day.outside").count()).toBe(9 + 8);
      await page.keyboard.press("Escape");
      expect(await rangeOf(page)).toMatch(/^All days: /);
      expect(await eventRows(page).first().locator("td").first().textContent()).toBe(rowsBefore);
    });
  });

  longTest(
    "chooses days by dragging, and one day in the calendar by arrows and Enter",
    async () => {
      await inPage(async (page) => {
        const chart = page.locator("#timeline .timeline");
        await chart.scrollIntoViewIfNeeded();
        const box = await chart.boundingBox();
        if (box === null) throw new Error("there is no chart");
        await page.mouse.move(box.x + box.width / 2, box.y + 80);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width / 2 + 100, box.y + 90, { steps: 4 });
        await page.mouse.up();
        expect(await page.locator("#days .day.outside").count()).toBeGreaterThan(60);
        await page.locator("#timeline").getByRole("button", { name: "Show all days" }).click();
        await page.locator("#days button.day[tabindex='0']").focus();
        for (const key of ["ArrowDown", "ArrowRight", "Enter"]) await page.keyboard.press(key);
        expect(await rangeOf(page)).toMatch(/^9 Jan 2026, /);
      });
    },
  );

  test("opens the page of an event by keyboard, and returns to the same position", async () => {
    await inPage(async (page) => {
      const link = eventRows(page).nth(2).getByRole("link");
      const name = (await link.textContent()) ?? "";
      await link.focus();
      const scrolled = await page.evaluate("scrollY");
      expect(scrolled).toBeGreaterThan(0);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name }).waitFor();
      expect(await page.evaluate("document.activeElement.tagName")).toBe("H1");
      expect(await page.title()).toContain(name);
      expect(await page.locator("#event-properties tbody tr").count()).toBe(5);
      expect(await page.locator("#event-timeline .layer").count()).toBe(1);
      expect(await page.locator("#event-samples .mapping").count()).toBe(1);
      await page.goBack();
      await page.locator("#findings").waitFor();
      await expect.poll(() => page.evaluate("scrollY")).toBe(scrolled);
      expect(await page.evaluate("document.activeElement.textContent")).toBe(name);
    });
  });

  longTest("opens an event with its days from a link, and reports an unknown name", async () => {
    const hash = "#event=Product+Viewed&from=2026-02-01&to=2026-02-28";
    await inPage(
      async (page) => {
        expect(await page.locator("h1").textContent()).toBe("Product Viewed");
        expect(await page.locator(".range-line [role=status]").textContent()).toMatch(
          /^1 Feb 2026 to/,
        );
        await page.getByRole("link", { name: "All events" }).click();
        expect(await rangeOf(page)).toMatch(/^1 Feb 2026 to 28 Feb 2026, /);
      },
      { hash },
    );
    await inPage(
      async (page) => {
        expect(await page.locator("h1").textContent()).toBe("Nobody's");
        await page.getByText("no event with this name").waitFor();
      },
      { hash: "#event=Nobody%27s" },
    );
  });

  test("highlights a source value together with its result", async () => {
    await inPage(async (page) => {
      const mapping = page.locator("#samples .mapping").first();
      await mapping.locator('mark[title="becomes userID"]').hover();
      expect(await mapping.locator("mark.lit").allInnerTexts()).toEqual([
        '"user_000"',
        '"user_000"',
      ]);
    });
  });

  longTest("switches between the system's colours, light and dark", async () => {
    await inPage(async (page) => {
      const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
      const theme = page.getByRole("button", { name: /^Theme/ });
      const light = await ground();
      await theme.click();
      expect(await ground()).toBe(light);
      await theme.click();
      expect(await theme.textContent()).toBe("Theme: dark");
      expect(await ground()).not.toBe(light);
    });
  });

  longTest("fits every width from 360 pixels", async () => {
    await inPage(async (page) => {
      for (const width of [360, 390, 768, 1_280, 3_840]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      }
    });
  });

  longTest("shows 16,384 names in pages", async () => {
    const report = exampleReport({ names: 16_384, days: 30 });
    await inPage(
      async (page) => {
        expect(await tableStatus(page)).toBe("1 to 50 of 16,384 event names");
        await page.locator("#events").getByRole("button", { name: "Next" }).click();
        expect(await tableStatus(page)).toBe("51 to 100 of 16,384 event names");
        await page.locator("#events input").fill("feature_09999");
        expect(await eventRows(page).locator("th").allInnerTexts()).toEqual(["feature_09999_used"]);
        expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(6_000);
      },
      { report },
    );
  });

  test("shows a report without rows", async () => {
    const full = exampleReport({ days: 0, names: 0 });
    const report = { ...full, findings: [], rejects: [], samples: [] };
    await inPage(
      async (page) => {
        expect(await page.locator("h1").textContent()).toBe("Not ready: no row becomes an event.");
        await page.getByText("There are no events.").waitFor();
      },
      { report },
    );
  });
});

test("the page is small compared with its data", () => {
  const report = exampleReport();
  const own = Buffer.byteLength(renderReport(report)) - Buffer.byteLength(JSON.stringify(report));
  expect(own).toBeLessThan(200_000);
});

test("the page contains the licences of its packages", () => {
  const page = renderReport(exampleReport());
  for (const name of ["preact", "Permission is hereby granted"]) expect(page).toContain(name);
});
