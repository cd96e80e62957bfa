import { expect, test } from "vitest";
import { html, inlineText, joined, paragraphs, rawHtml } from "../../src/service/html.js";

test("values are escaped, in text and in attributes", () => {
  const evil = `<script>"a" & 'b'</script>`;
  expect(html`<p title="${evil}">${evil}</p>`.text).toBe(
    '<p title="&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;">' +
      "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;</p>",
  );
});

test("what is HTML already stays, in lists of lists too", () => {
  expect(html`<ul>${[html`<li>${"<"}</li>`, [rawHtml("<li>"), 1]]}</ul>`.text).toBe(
    "<ul><li>&lt;</li><li>1</ul>",
  );
});

test("undefined leaves nothing", () => {
  expect(html`<p>${undefined}</p>`.text).toBe("<p></p>");
});

test("a separator stands between values, not around them", () => {
  expect(html`${joined(["a", html`<b>`, "c"], " & ")}`.text).toBe("a &amp; <b> &amp; c");
});

test("code between backticks is escaped too", () => {
  expect(html`${inlineText("a < `b<c>` `")}`.text).toBe("a &lt; <code>b&lt;c&gt;</code> `");
});

test("blank lines part paragraphs", () => {
  expect(html`${paragraphs("one\n\ntwo")}`.text).toBe("<p>one</p>\n<p>two</p>\n");
});
