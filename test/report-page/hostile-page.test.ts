import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Report } from "../../src/profile/report.js";
import { renderReport } from "../../src/report/render-report.js";
import { findChromium, startChromium } from "../support/chromium.js";
import { longTest } from "../support/long-test.js";
import { isCi, someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";
import { exampleReport } from "./example-report.js";
import { openAll, openReport } from "./open-page.js";

/** Each sets `ran` where it is run. */
const payloads = [
  "<script>ran = 1</script>",
  "</script><script>ran = 1</script>",
  "</title></style></textarea></noscript><script>ran = 1</script>",
  "<img src=x onerror=ran=1>",
  '"><img src=x onerror=ran=1>',
  "' onmouseover='ran=1' autofocus onfocus='ran=1",
  "<svg onload=ran=1><animate onbegin=ran=1 attributeName=x dur=1s>",
  "<details open ontoggle=ran=1>",
  "<iframe srcdoc='<script>parent.ran=1</script>'></iframe>",
  "<a href='javascript:ran=1' id=main name=report>click</a>",
  "javascript:ran=1",
  "<!--<script>",
  "--><script>ran = 1</script>",
  "]]><script>ran = 1</script>",
  "\u2028ran = 1\u2029",
  "\\u003cscript\\u003eran = 1\\u003c/script\\u003e",
  "&lt;script&gt;ran = 1&lt;/script&gt;",
  "$" + "{ran = 1}",
  "{{constructor.constructor('ran=1')()}}",
  "__proto__",
  "constructor",
  "<base href='http://127.0.0.1:9/'>",
  "<link rel=stylesheet href='http://127.0.0.1:9/x.css'>",
  "url(http://127.0.0.1:9/x); background: url(http://127.0.0.1:9/y)",
  "\u202egnp.exe\u0000\u001b[31m\ud800",
  "",
];

const fieldsOfData = new Set([
  "event",
  "property",
  "key",
  "value",
  "id",
  "raw",
  "result",
  "message",
  "title",
  "detail",
  "line",
  "text",
  "source",
  "name",
  "advice",
  "evidence",
  "format",
  "refused",
]);

/** The report with a payload wherever text of the data can stand. */
function hostile(report: Report): Report {
  let next = 0;
  const text = JSON.stringify(report, (field, value: unknown) => {
    const isText = typeof value === "string" && fieldsOfData.has(field);
    return isText ? payloads[next++ % payloads.length] : value;
  });
  const changed = JSON.parse(text) as Report;
  return {
    ...changed,
    configuration: {
      ...changed.configuration,
      ...Object.fromEntries(payloads.map((payload) => [payload, [payload]])),
    },
    dayZone: payloads[3] ?? "",
    events: changed.events.map((event, place) => ({
      ...event,
      event: payloads[place % payloads.length] ?? "",
    })),
  };
}

const chromium = findChromium();

describe.skipIf(chromium === undefined)("hostile texts in a report", () => {
  const directory = scratchDirectory("hostile");
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium(chromium ?? "");
  });
  afterAll(() => browser.close());

  // Without the policy too: each of the two must hold by itself.
  test.each([false, true])("run nowhere, without the policy: %s", async (bypassCSP) => {
    const report = hostile(exampleReport(isCi ? {} : { days: 24, names: payloads.length }));
    const opened = await openReport(report, { browser, directory, context: { bypassCSP } });
    const { page } = opened;
    const look = async () => {
      await openAll(page);
      await page.evaluate(`for (const part of document.querySelectorAll(".day, .timeline, mark, .finding a")) {
        part.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
        part.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
        part.dispatchEvent(new FocusEvent("focus"));
      }`);
      expect(await page.evaluate("typeof ran")).toBe("undefined");
      const foreign = "img, iframe, object, embed, base, form, link, body script ~ script ~ script";
      expect(await page.locator(foreign).count()).toBe(0);
      const attributes = "[onerror], [onload], [onfocus], [onmouseover], [ontoggle], [srcdoc]";
      expect(await page.locator(attributes).count()).toBe(0);
      expect(await page.locator("a:not([href^='#'])").count()).toBe(0);
    };
    await look();
    for (const payload of someOf(payloads, 6)) {
      const hash = `#${new URLSearchParams({ event: payload })}`;
      await page.evaluate((to) => Reflect.set(globalThis, "location", to), hash);
      await page.locator("#event-timeline").waitFor();
      await look();
    }
    opened.expectQuiet();
    await opened.close();
  });

  test("are shown as they are, with hiding characters made visible", async () => {
    const opened = await openReport(hostile(exampleReport()), { browser, directory });
    const names = await opened.page.locator("#events tbody th").allInnerTexts();
    expect(names).toContain("<img src=x onerror=ran=1>");
    expect(names).toContain("(empty text)");
    expect(names).toContain("\\u202egnp.exe\\u0000\\u001b[31m\\ud800");
    await opened.close();
  });

  longTest("could not request anything even if they ran", async () => {
    const { page, close } = await openReport(exampleReport(), { browser, directory });
    for (const attempt of [
      "fetch('http://127.0.0.1:9/')",
      "fetch('data:,x')",
      "Promise.resolve().then(() => { document.body.innerHTML = '<b>x</b>' })",
      "new Promise((done, fail) => { const i = new Image(); i.onload = done; i.onerror = () => fail(new Error('refused')); i.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=' })",
    ]) {
      await expect(page.evaluate(attempt), attempt).rejects.toThrow();
    }
    await close();
  });
});

test("the data in the page contains no markup", () => {
  const page = renderReport(hostile(exampleReport()));
  const [, data = ""] =
    /<script type="application\/json" id="report">(.*?)<\/script>/s.exec(page) ?? [];
  expect(data).not.toMatch(/[<>&\u2028\u2029]/);
  expect(JSON.parse(data)).toEqual(JSON.parse(JSON.stringify(hostile(exampleReport()))));
  // The page's own, and the data's.
  expect(page.match(/<script/g)).toHaveLength(2);
});
