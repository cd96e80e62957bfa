import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { builtFile } from "../base/package-files.js";
import type { Report } from "../profile/report.js";

/**
 * Returns `report.html`: one file that requests nothing else. Its security policy allows only its
 * own script and style, by their hashes, and forbids all requests and text that is parsed as HTML.
 * It contains the report as JSON without markup, so no text of the report can run as code.
 */
export function renderReport(report: Report): string {
  const { script, style } = pageParts();
  const policy = [
    "default-src 'none'",
    `script-src '${sourceHash(script)}'`,
    `style-src '${sourceHash(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Switchyard: dry run</title>
<style>${style}</style>
</head>
<body>
<noscript><p class="notice">This page needs JavaScript, which is switched off.
report.json in the same directory has the same content.</p></noscript>
<script type="application/json" id="report">${jsonInHtml(report)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/**
 * Returns JSON for a script element. Without `<`, `>` and `&`, it cannot end the element or begin another.
 * The two line ends that old JavaScript parsers refuse are escaped too.
 */
function jsonInHtml(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function sourceHash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** The script and style that the build makes from `client/`. */
function pageParts(): { readonly script: string; readonly style: string } {
  return {
    script: readFileSync(builtFile("assets/report-page.js"), "utf8"),
    style: readFileSync(builtFile("assets/report-page.css"), "utf8"),
  };
}
