import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  ResponseObject,
} from "../contract/openapi-types.js";
import { boundsHtml, fieldTable, referredName, typeHtml } from "./api-page-schema.js";
import { type Html, type HtmlValue, html, inlineText, joined } from "./html.js";

/** An operation and where it is found. */
export interface PlacedOperation {
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function operationsOf({ paths }: OpenApiDocument): readonly PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      operation === undefined ? [] : [{ method: method.toUpperCase(), path, operation }],
    ),
  );
}

export function methodHtml(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

export function errorAnchor(status: string): string {
  return `error-${status}`;
}

/** What one wants to know of an operation, top to bottom: what, where, with what, what comes back. */
export function operationSection(placed: PlacedOperation, document: OpenApiDocument): Html {
  const { method, path, operation } = placed;
  const extension =
    operation["x-origin"] === "extension" ? html` <span class="extension">extension</span>` : "";
  return html`<section class="operation" id="${operation.operationId}">
<h3><a href="#${operation.operationId}">${operation.summary}</a>${extension}</h3>
<p class="endpoint">${methodHtml(method)} <code>${path}</code></p>
${keyHtml(operation, document)}
${parameterTable(operation.parameters, document)}${requestHtml(placed, document)}${answerHtml(operation, document)}</section>
`;
}

function keyHtml(operation: Operation, { components }: OpenApiDocument): Html | undefined {
  const schemes = operation.security
    .flatMap(Object.keys)
    .flatMap((name) => components.securitySchemes[name] ?? []);
  if (schemes.length === 0) return html`<p>No key is asked for.</p>`;
  return html`<p>${schemes.map(
    ({ name, description }) => html`Key in <code>${name}</code>: ${inlineText(description)}`,
  )}</p>`;
}

function parameterTable(
  parameters: Operation["parameters"],
  { components }: OpenApiDocument,
): Html | undefined {
  if (parameters.length === 0) return undefined;
  const rows = parameters.map((given) => resolved(given, components.parameters)).map(parameterRow);
  return html`<h4>Parameters</h4>
<div class="wide"><table>
<thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div>
`;
}

function parameterRow({ name, in: place, required, schema, description }: Parameter): Html {
  const mark = required ? html` <span class="required">required</span>` : undefined;
  const words = [...inlineText(description), ...boundsHtml(schema)];
  return html`<tr><td><code>${name}</code> <small>${place}</small>${mark}</td><td>${typeHtml(schema)}</td><td>${words}</td></tr>
`;
}

function requestHtml(placed: PlacedOperation, document: OpenApiDocument): HtmlValue {
  const { requestBody } = placed.operation;
  if (requestBody === undefined) return undefined;
  const { schema, example } = requestBody.content["application/json"];
  const name = referredName(schema);
  const whole = name === undefined ? schema : (document.components.schemas[name] ?? {});
  const optional = requestBody.required ? "" : html` <small>may be left out</small>`;
  return html`<h4>Body${optional}</h4>
${fieldTable(whole, document.components.schemas)}${example === undefined ? "" : exampleHtml(placed, example, document)}`;
}

/** The whole request as it goes over the wire: nothing in it depends on a shell. */
function exampleHtml(
  { method, path, operation }: PlacedOperation,
  example: unknown,
  { components }: OpenApiDocument,
): Html {
  const headers = operation.security
    .flatMap(Object.keys)
    .flatMap((scheme) => components.securitySchemes[scheme] ?? [])
    .map(({ name, description }) => `${name}: ${/`([^`]+)`/.exec(description)?.[1] ?? ""}\n`);
  const json = JSON.stringify(example, null, 2);
  return html`<h4>Example</h4>
<pre><code>${method} ${path}
${headers}Content-Type: application/json

${json}</code></pre>
`;
}

function answerHtml({ responses }: Operation, document: OpenApiDocument): Html {
  const statuses = Object.entries(responses);
  const answers = statuses.filter(([status]) => status < "400");
  const errors = statuses.filter(([status]) => status >= "400").map(([status]) => status);
  return html`<h4>Answer</h4>
${answers.map(([status, answer]) => successHtml(status, answer, document))}
<p>Errors: ${joined(
    errors.map((status) => html`<a href="#${errorAnchor(status)}">${status}</a>`),
    ", ",
  )}</p>
`;
}

function successHtml(
  status: string,
  given: ResponseObject | Reference,
  { components }: OpenApiDocument,
): Html {
  const { description, headers = {}, content } = resolved(given, components.responses);
  const tag = headers["ETag"] === undefined ? "" : html` With an <code>ETag</code>.`;
  const schema = content?.["application/json"]?.schema ?? {};
  const name = referredName(schema);
  const whole = name === undefined ? schema : (components.schemas[name] ?? {});
  return html`<p><strong>${status}</strong> ${inlineText(description)}${tag}</p>
${membersHtml(whole)}`;
}

/** The envelope in one line; its parts have tables of their own. */
function membersHtml(envelope: JsonSchema): Html {
  const members = Object.entries((envelope.properties ?? {}) as Record<string, JsonSchema>);
  return html`<p>${joined(
    members.map(([name, schema]) => html`<code>${name}</code>: ${typeHtml(schema)}`),
    ", ",
  )}</p>`;
}

function resolved<Part extends object>(
  given: Part | Reference,
  components: Readonly<Record<string, Part>>,
): Part {
  if (!("$ref" in given)) return given;
  const name = (given as Reference).$ref.replace(/^.*\//, "");
  const part = components[name];
  if (part === undefined) throw new Error(`the document has no ${(given as Reference).$ref}`);
  return part;
}
