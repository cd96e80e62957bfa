import { expect, test } from "vitest";
import { longTest } from "../support/long-test.js";
import { exampleReport } from "./example-report.js";
import { describePages } from "./open-page.js";

/** Height of a page of A4 inside its margins. */
const PRINTED_A4 = { width: 688, height: 1_000 };

describePages("the page of a report, for its two readers", (inPage) => {
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
        await page.getByText("2 source fields that are not in the event").first().click();
        await page.getByText("Amsterdam").first().waitFor();
      },
      { report },
    );
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

  test.each([
    [{ withInsertID: 90, exact: { rows: 0, removed: false } }, /^0\s*exactly$/],
    [{ withInsertID: 90, exact: { rows: 7, removed: false } }, /^7\s*exactly; --dedupe/],
    [{ withInsertID: 0, exact: { rows: 0, removed: false } }, /^not known\s*no event has an/],
    [{ withInsertID: 0, exact: { rows: 3, removed: true } }, /^3\s*removed$/],
    [{ withInsertID: 9 }, /^not known\s*the dry run was interrupted$/],
  ])("says how many events are repeated: %j", async (duplicates, words) => {
    const full = exampleReport();
    const rows = { ...full.rows, duplicates } as typeof full.rows;
    await inPage(
      async (page) => {
        const figure = page.locator("dl > div, dl", { has: page.getByText("Duplicates") });
        expect(await figure.last().locator("dd").first().textContent()).toMatch(words);
      },
      { report: { ...full, rows } },
    );
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

  longTest(
    "names the zone of most users, shared ids, and if they may have more events",
    async () => {
      const full = exampleReport();
      const [device] = full.identity.topDevices;
      if (device === undefined) throw new Error("there are no devices");
      const { users, devices } = full.identity;
      const identity = {
        ...full.identity,
        sharedUsers: [device],
        sharedDevices: [device],
        users: { ...users, error: 0.01 },
        devices: { ...devices, error: 0 },
      };
      await inPage(
        async (page) => {
          expect(await page.locator("#times dd").last().textContent()).toMatch(/^UTC-8/);
          const captions = await page.locator("#identity caption").allInnerTexts();
          expect(captions).toContain("Devices with the most users");
          const cellsOf = (caption: string) =>
            page.locator("#identity table", { hasText: caption }).locator("td").allInnerTexts();
          expect((await cellsOf("Users with the most devices")).join(" ")).toContain("≥ ");
          expect((await cellsOf("Devices with the most users")).join(" ")).not.toContain("≥ ");
        },
        { report: { ...full, identity } },
      );
    },
  );

  longTest(
    "counts findings of one kind together in the summary, and shows rejects once",
    async () => {
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
            expect.stringMatching(/3 rows are rejected\s+and 1 more like it, up to 7 rows in all/),
          ]);
          expect(await line.getByRole("link").getAttribute("href")).toBe("#rejects");
          await page.getByText("No problem but the rejects was found.").waitFor();
        },
        { report: { ...full, findings } },
      );
    },
  );

  longTest(
    "opens what is closed for printing, but no numbers of charts, and closes it again",
    async () => {
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
    },
  );

  longTest("shows lists with their heads on every printed page", async () => {
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

  longTest("does not call rejected rows far from all others events", async () => {
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

  test("lists the source fields that no target uses, with how often they are filled", async () => {
    const unusedFields = [
      { field: "platform", share: 1 },
      { field: "geo.country", share: 0.25 },
    ];
    await inPage(
      async (page) => {
        const rows = await page.locator("#unused-fields tbody tr").allInnerTexts();
        expect(rows).toEqual([
          expect.stringMatching(/^platform\s+100.0 %$/),
          expect.stringMatching(/^geo.country\s+25.0 %$/),
        ]);
      },
      { report: { ...exampleReport(), unusedFields } },
    );
    await inPage(async (page) => {
      await page.getByText("The mapping uses every field of the sampled rows.").waitFor();
    });
  });
});
