import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Report } from "../../../src/profile/report.js";
import { renderReport } from "../../../src/report/html/render-report.js";
import { findChromium, startChromium } from "../../support/chromium.js";
import { scratchDirectory } from "../../support/scratch.js";
import { exampleReport } from "./example-report.js";
import { type OpenedPage, openReport } from "./open-page.js";

const chromium = findChromium();

/** What is left of a page of A4 inside its margins. */
const PRINTED_A4 = { width: 688, height: 1_000 };

describe.skipIf(chromium === undefined)("the page of a report, in a browser", () => {
  const directory = scratchDirectory("page");
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium(chromium ?? "");
  });
  afterAll(() => browser.close());

  async function inPage(
    look: (page: Page, opened: OpenedPage) => Promise<void>,
    options: { readonly report?: Report; readonly hash?: string } = {},
  ): Promise<void> {
    const { report = exampleReport(), hash = "" } = options;
    const opened = await openReport(report, { browser, directory, hash });
    await look(opened.page, opened);
    opened.expectQuiet();
    await opened.close();
  }

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

  test("copies the line that fixes a finding", async () => {
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

  test("draws a layer for each of the most frequent names and one for the others", async () => {
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
      expect(await page.locator("#days .hour-bar").count()).toBe(24);
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

  test("chooses days by dragging, and one day in the calendar by arrows and Enter", async () => {
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
  });

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

  test("opens an event with its days from a link, and reports an unknown name", async () => {
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

  test("shows samples of different events, the fields that the mapping uses first", async () => {
    const full = exampleReport();
    const [first, second] = full.samples;
    if (first === undefined || second === undefined) throw new Error("there are no samples");
    const report = { ...full, samples: [first, { ...first, row: 7 }, second] };
    await inPage(
      async (page) => {
        const captions = await page.locator("#samples .mapping figcaption").allInnerTexts();
        expect(captions.filter((text) => text.startsWith("Event:"))).toEqual(
          [first, second, first].map(({ event }) => `Event: ${event}`),
        );
        const source = page.locator("#samples .mapping pre").first();
        const text = (await source.textContent()) ?? "";
        const keys = text.split("\n").filter((line) => line.startsWith('"'));
        expect(keys.slice(0, 4).map((line) => line.split(":")[0])).toEqual(
          ["event_type", "event_time", "user_id", "device_id"].map((key) => `"${key}"`),
        );
        expect(text).not.toContain("Amsterdam");
        await page.getByText("2 fields that the event does not have").first().click();
        await page.getByText("Amsterdam").first().waitFor();
      },
      { report },
    );
  });

  test("switches between the system's colours, light and dark", async () => {
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

  test("begins with a summary of one screen and one printed page: what to do, and what follows", async () => {
    await inPage(async (page) => {
      const lines = page.locator(".what-to-do li");
      expect(await lines.allInnerTexts()).toEqual([
        expect.stringMatching(/Error\s+Times without a zone .*set mapping.timestamp.zone/s),
        expect.stringMatching(/Error\s+1,204 rows have a time/),
        expect.stringMatching(/Warning\s+No events on /),
        expect.stringMatching(/Warning\s+A property holds both/),
      ]);
      expect(await page.locator(".next").textContent()).toBe(
        "switchyard validate --apply writes 1 safe line into the configuration.",
      );
      const bottomPx = "document.querySelector('.summary').getBoundingClientRect().bottom";
      expect(await page.evaluate(bottomPx)).toBeLessThan(900);
      await lines.nth(3).getByRole("link").click();
      await expect.poll(() => page.evaluate("location.hash")).toBe("#finding-4");
      await page.locator("#finding-4").getByText("A property holds both").waitFor();
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize(PRINTED_A4);
      await page.evaluate("scrollTo(0, 0)");
      expect(await page.evaluate(bottomPx)).toBeLessThan(PRINTED_A4.height);
    });
  });

  test("shows accepted findings as accepted, and not among what to do", async () => {
    const full = exampleReport();
    const findings = full.findings.map((finding) => ({
      ...finding,
      acceptedBecause: "acceptFindings" as const,
    }));
    const verdict = { tone: "good", sentence: "Ready: all rows become events." } as const;
    await inPage(
      async (page) => {
        expect(await page.locator(".what-to-do li").count()).toBe(0);
        expect(await page.locator(".next").textContent()).toBe(
          `${findings.length} findings accepted. switchyard export writes the events, switchyard send sends them.`,
        );
        const first = page.locator("#findings .finding").first();
        expect(await first.locator(".severity").textContent()).toBe("✓Accepted");
        await first.getByText("accepted by acceptFindings").waitFor();
      },
      { report: { ...full, findings, verdict } },
    );
  });

  test("names the zone of most users, shared ids, and how far counts of ids may be off", async () => {
    const full = exampleReport();
    const [device] = full.identity.topDevices;
    if (device === undefined) throw new Error("there are no devices");
    const identity = { ...full.identity, topUsersError: 12, sharedDevices: [device] };
    await inPage(
      async (page) => {
        expect(await page.locator("#times dd").last().textContent()).toMatch(/^UTC−8/);
        const captions = await page.locator("#identity caption").allInnerTexts();
        expect(captions).toContain("Users with the most events; each has up to 12 more");
        expect(captions).toContain("Devices with the most users");
        expect(captions).not.toContain("Users with the most devices");
      },
      { report: { ...full, identity } },
    );
  });

  test("counts findings of one kind together in the summary, and tells of rejects once", async () => {
    const full = exampleReport();
    const codes = ["time_unparsable", "invalid_utf8"] as const;
    const findings = codes.map((rejectCode, index) => ({
      code: "rows_rejected",
      severity: "error" as const,
      title: `${index + 3} rows are rejected`,
      detail: "To fix it: set the format.",
      rows: index + 3,
      rejectCode,
    }));
    await inPage(
      async (page) => {
        const line = page.locator(".what-to-do li");
        expect(await line.allInnerTexts()).toEqual([
          expect.stringMatching(/3 rows are rejected\s+and 1 more like it, 7 rows in all/),
        ]);
        expect(await line.getByRole("link").getAttribute("href")).toBe("#rejects");
        await page.getByText("No problem but the rejects was found.").waitFor();
      },
      { report: { ...full, findings } },
    );
  });

  test("opens what is closed for printing, but no numbers of charts, and closes it again", async () => {
    await inPage(async (page) => {
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      expect(await page.locator("details:not(.screen-only):not([open])").count()).toBe(0);
      await page.emulateMedia({ media: "print" });
      for (const hidden of [".top-bar", ".screen-only"]) {
        expect(await page.locator(hidden).first().isVisible()).toBe(false);
      }
      expect(await page.getByText("export default (event)").count()).toBe(1);
      await page.evaluate("dispatchEvent(new Event('afterprint'))");
      expect(await page.locator("details[open]").count()).toBe(0);
    });
  });

  test("shows lists with their heads on every printed page", async () => {
    await inPage(async (page) => {
      await page.emulateMedia({ media: "print" });
      const style = (selector: string, name: string) =>
        page.evaluate(`getComputedStyle(document.querySelector("${selector}")).${name}`);
      expect(await style("#events thead", "display")).toBe("table-header-group");
      expect(await style("#events thead", "breakInside")).toBe("avoid");
      // A button would be missing in the heads that the browser repeats.
      expect(await style("#events thead button", "display")).toBe("contents");
    });
  });

  test("fits every width from 360 pixels", async () => {
    await inPage(async (page) => {
      for (const width of [360, 390, 768, 1_280, 3_840]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      }
    });
  });

  test("shows 16,384 names in pages", async () => {
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

  test("does not call rejected rows far from all others events", async () => {
    const full = exampleReport();
    const [first] = full.days;
    if (first === undefined) throw new Error("there are no days");
    const lone = { ...first, day: "1970-01-01", events: 0, byEvent: [], rejected: 2 };
    const report = { ...full, days: [lone, ...full.days] };
    await inPage(
      async (page) => {
        const notice = await page.locator("#days .notice p").textContent();
        expect(notice).toMatch(/^2 rejected rows far from all others: 1 Jan 1970\./);
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
  for (const name of ["d3-array", "Permission to use, copy, modify"]) expect(page).toContain(name);
});
