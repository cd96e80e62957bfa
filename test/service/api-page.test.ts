import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openApiDocument } from "../../src/contract/openapi.js";
import { noParams, noQuery, type Route } from "../../src/contract/route.js";
import { routes } from "../../src/contract/routes.js";
import { apiPage } from "../../src/service/api-page.js";
import { pageSecurityPolicy } from "../../src/service/api-page-style.js";

const options = { version: "1.2.3", keyHeader: "SERVICE-API-KEY" };
const page = apiPage(openApiDocument(options));

function sectionOf(id: string): string {
  const [, rest = ""] = page.split(`<section class="operation" id="${id}">`);
  return rest.split("</section>", 1)[0] ?? "";
}

/** A page of one route whose every text is `text`. */
function pageSaying(text: string): string {
  const route: Route = {
    ...{ method: "POST", path: `/${text}`, access: "console", summary: text, group: text },
    ...{ origin: "extension", status: 200, message: text, params: noParams, query: noQuery },
    body: z.object({ [text]: z.enum([text, `${text}2`]).describe(text) }),
    response: z.object({ [text]: z.string().describe(text) }),
  };
  const document = openApiDocument({
    ...{ version: text, keyHeader: text },
    ...{ routes: { sendIt: route }, examples: { sendIt: { [text]: text } } },
  });
  return apiPage(document);
}

describe("the page of the API", () => {
  test.each(Object.entries<Route>(routes))("shows %s", (name, { method, path, summary }) => {
    const section = sectionOf(name);
    expect(section).toContain(summary);
    expect(section).toContain(`>${method}</span> <code>${path}</code>`);
    expect(page).toContain(`<li><a href="#${name}">`);
  });

  test("has no link that leads nowhere, and no anchor twice", () => {
    const anchors = [...page.matchAll(/ id="([^"]+)"/g)].map(([, anchor]) => anchor);
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor);
    expect([...new Set(links)].filter((link) => !anchors.includes(link))).toEqual([]);
    expect(anchors).toHaveLength(new Set(anchors).size);
    expect(links.length).toBeGreaterThan(100);
  });

  test("tells fields with type, bounds and what is required", () => {
    const section = sectionOf("createGate");
    expect(section).toMatch(/<code>name<\/code> <span class="required">required<\/span>/);
    expect(section).toContain("3 to 100 characters; matches <code>^[a-zA-Z0-9_\\-. ]*$</code>.");
    expect(section).toContain("one of <code>PERMANENT</code>, <code>TEMPORARY</code>");
    expect(section).toContain('list of <a href="#schema-RuleRequest">RuleRequest</a>');
    expect(sectionOf("listGates")).toContain("1 to 1000; default <code>100</code>");
  });

  test("unfolds objects inside, and hints at the known operators", () => {
    const section = sectionOf("schema-RuleRequest");
    expect(section).toContain("<code>conditions[].operator</code>");
    expect(section).toContain("str_contains_any");
  });

  test("gives the meaning of a field that is a component from there", () => {
    expect(sectionOf("createGate")).toMatch(/ReviewSettings<\/a><\/td><td>How changes/);
  });

  test("shows the whole example request, the answer and the errors", () => {
    const section = sectionOf("patchGate");
    expect(section).toContain("PATCH /console/v1/gates/{id}\nSERVICE-API-KEY: console-…\n");
    expect(section).toContain("&quot;isEnabled&quot;: false");
    expect(section).toContain("<strong>200</strong> Gate updated successfully. With an <code>ETag");
    expect(section).toContain('<a href="#error-412">412</a>');
  });

  test("marks what goes beyond the specification", () => {
    expect(sectionOf("launchGate")).toContain('<span class="extension">');
    expect(sectionOf("createGate")).not.toContain('<span class="extension">');
  });

  test("asks for nothing from elsewhere, and runs nothing", () => {
    expect(page).not.toMatch(/<(script|link|img|iframe|object|embed|form)\b/i);
    expect(page).not.toMatch(/\b(src|srcset|action|style|on\w+)=/i);
    expect(page).not.toMatch(/@import|url\(|https?:/i);
  });

  test("may use its own style and nothing else", () => {
    const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(pageSecurityPolicy).toContain(`style-src 'sha256-${hash}'`);
    expect(pageSecurityPolicy).toMatch(/^default-src 'none';/);
  });

  test("escapes whatever the contract says", () => {
    const evil = `</style><script>alert("1")</script>&'`;
    const text = pageSaying(evil);
    expect(text).not.toMatch(/<script/i);
    expect(text.split("</style>")).toHaveLength(2);
    expect(text.split("&lt;/style&gt;&lt;script&gt;").length).toBeGreaterThan(10);
    expect(pageSaying('" onclick="x')).not.toContain('" onclick=');
  });
});
