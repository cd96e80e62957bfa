import type { OpenApiDocument, Operation } from "../contract/openapi-types.js";
import {
  errorAnchor,
  methodHtml,
  operationSection,
  operationsOf,
  type PlacedOperation,
} from "./api-page-operation.js";
import { fieldTable, referredName, schemaAnchor } from "./api-page-schema.js";
import { pageStyle } from "./api-page-style.js";
import { type Html, html, inlineText, paragraphs, rawHtml } from "./html.js";

interface Group {
  readonly name: string;
  readonly operations: readonly PlacedOperation[];
}

/** The whole document as one page that asks for nothing else: no script, no image, no font. */
export function apiPage(document: OpenApiDocument): string {
  const groups = groupsOf(document);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${document.info.title} API</title>
<style>${rawHtml(pageStyle)}</style>
</head>
<body>
<nav aria-label="Contents">
<p><a href="#top"><strong>${document.info.title} API</strong></a></p>
${groups.map(navigationOf)}<p><a href="#schemas">Schemas</a></p>
<p><a href="#errors">Errors</a></p>
</nav>
<main id="top">
<h1>${document.info.title} API <small>${document.info.version}</small></h1>
${paragraphs(document.info.description)}
<p>This page as data: <a href="/openapi.json">openapi.json</a> (OpenAPI ${document.openapi}).</p>
${groups.map((group) => groupSection(group, document))}
${schemaSections(document)}
${errorSection(document)}
</main>
</body>
</html>
`.text;
}

function groupsOf(document: OpenApiDocument): readonly Group[] {
  const operations = operationsOf(document);
  return document.tags.map(({ name }) => ({
    name,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

function groupAnchor(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

function navigationOf({ name, operations }: Group): Html {
  return html`<p><a href="#${groupAnchor(name)}">${name}</a></p>
<ul>
${operations.map(
  ({ method, operation }) =>
    html`<li><a href="#${operation.operationId}">${methodHtml(method)} ${operation.summary}</a></li>\n`,
)}</ul>
`;
}

function groupSection({ name, operations }: Group, document: OpenApiDocument): Html {
  return html`<section>
<h2 id="${groupAnchor(name)}">${name}</h2>
${operations.map((placed) => operationSection(placed, document))}</section>
`;
}

/** Resources and their parts. Bodies and envelopes stand with their operations. */
function schemaSections(document: OpenApiDocument): Html {
  const shown = new Set(operationsOf(document).flatMap(({ operation }) => bodiesOf(operation)));
  const named = Object.entries(document.components.schemas).filter(([name]) => !shown.has(name));
  return html`<section>
<h2 id="schemas">Schemas</h2>
${named.map(
  ([name, schema]) => html`<section class="operation" id="${schemaAnchor(name)}">
<h3><a href="#${schemaAnchor(name)}">${name}</a></h3>
<p>${inlineText(schema.description ?? "")}</p>
${fieldTable(schema, document.components.schemas)}</section>
`,
)}</section>
`;
}

/** Names of the components that are whole bodies of an operation. */
function bodiesOf({ requestBody, responses }: Operation): readonly (string | undefined)[] {
  const answers = Object.values(responses).flatMap((answer) =>
    "content" in answer ? Object.values(answer.content ?? {}) : [],
  );
  return [...Object.values(requestBody?.content ?? {}), ...answers].map(({ schema }) =>
    referredName(schema),
  );
}

function errorSection({ components }: OpenApiDocument): Html {
  const rows = Object.entries(components.responses).map(([name, { description }]) => {
    const status = name.replace("Error", "");
    return html`<tr id="${errorAnchor(status)}"><td><strong>${status}</strong></td><td>${inlineText(description)}</td></tr>\n`;
  });
  return html`<section>
<h2 id="errors">Errors</h2>
<p>The body is always an <a href="#${schemaAnchor("ErrorBody")}">ErrorBody</a>.</p>
<div class="wide"><table>
<thead><tr><th>Status</th><th>Meaning</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div>
</section>
`;
}
