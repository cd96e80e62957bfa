import { Ajv2020 } from "ajv/dist/2020.js";
import { hasOfrepError } from "../../src/contract/ofrep.js";
import type { RouteTable } from "../../src/contract/route.js";
import { routes as allRoutes } from "../../src/contract/routes.js";
import { type Operation, openApiDocument } from "../../src/openapi/openapi.js";

export interface AnsweredRequest {
  readonly method: string;
  /** The path as it was sent, with or without a query. */
  readonly path: string;
  readonly status: number;
  /** Parsed JSON; undefined where there was none. */
  readonly body: unknown;
}

/** Throws for an answer that the document does not describe. */
export type ResponseChecker = (answered: AnsweredRequest) => void;

/** The status of answers without a route: the path cannot be decoded, or does not exist. */
const unrouted: readonly number[] = [400, 404, 405];

const DOCUMENT_ID = "document";

/** Checks answers against the OpenAPI document of the service, or of other routes. */
export function responseChecker(routes?: RouteTable): ResponseChecker {
  const document = openApiDocument({
    version: "0.0.0",
    keyHeader: "SERVICE-API-KEY",
    ...(routes === undefined ? {} : { routes, examples: {} }),
  });
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    validateFormats: false,
  });
  ajv.addSchema(closed(document) as object, DOCUMENT_ID);
  // The document has each endpoint under one path.
  const aliases = Object.values<RouteTable[string]>(routes ?? allRoutes).flatMap((route) =>
    (route.aliases ?? []).map((alias) => [alias, route.path] as const),
  );
  const documented = new Map<string, string>(aliases);
  const templates = [...Object.keys(document.paths), ...documented.keys()].sort(byParameters);

  return ({ method, path, status, body }) => {
    if (method === "HEAD" || method === "OPTIONS") return;
    const request = `${method} ${path} → ${status}`;
    const found = templates.find((one) => fits(path, one)) ?? "";
    const template = documented.get(found) ?? found;
    const item = document.paths[template] ?? {};
    const operation = (item as Readonly<Record<string, Operation>>)[method.toLowerCase()];
    if (operation === undefined && !unrouted.includes(status)) {
      throw new Error(`${request}: the OpenAPI document has no such operation`);
    }
    if (operation !== undefined && operation.responses[status] === undefined) {
      throw new Error(`${request}: not a documented status of ${operation.operationId}`);
    }
    // No body, or a part of one.
    if (status === 304 || status === 206) return;
    const { content = {} } = (operation?.responses[status] ?? {}) as { content?: object };
    const [type = "application/json"] = Object.keys(content);
    const pointer =
      operation === undefined || (status >= 400 && !isOfrepError(path, status))
        ? "/components/schemas/ErrorBody"
        : `/paths/${escaped(template)}/${method.toLowerCase()}/responses/${status}/content/${escaped(type)}/schema`;
    const validate = ajv.getSchema(`${DOCUMENT_ID}#${pointer}`);
    if (validate === undefined) throw new Error(`${request}: no schema at ${pointer}`);
    if (validate(body) !== true) {
      const faults = ajv.errorsText(validate.errors, { dataVar: "body", separator: "\n  " });
      throw new Error(
        `${request} is not as documented:\n  ${faults}\n${JSON.stringify(body, null, 2)}`,
      );
    }
    if (pointer.endsWith("/ErrorBody") && (body as { readonly status: number }).status !== status) {
      throw new Error(`${request}: the body says ${(body as { readonly status: number }).status}`);
    }
  };
}

/** OpenFeature has its own form of errors. */
export function isOfrepError(path: string, status: number): boolean {
  return path.startsWith("/ofrep/") && hasOfrepError(status);
}

/** `/gates/{id}` fits `/gates/a_gate?x=1`. */
function fits(path: string, template: string): boolean {
  const given = (path.split("?", 1)[0] ?? "").split("/");
  const wanted = template.split("/");
  return (
    given.length === wanted.length &&
    wanted.every((part, index) => part.startsWith("{") || part === given[index])
  );
}

/** Orders paths as a router does: the longer literal path wins over one with parameters. */
function byParameters(one: string, other: string): number {
  const fewer = one.split("{").length - other.split("{").length;
  return fewer === 0 ? other.indexOf("{") - one.indexOf("{") : fewer;
}

function escaped(text: string): string {
  return text
    .replaceAll("~", "~0")
    .replaceAll("/", "~1")
    .replaceAll("{", "%7B")
    .replaceAll("}", "%7D");
}

/** The document lets later versions add fields; this version must have no others. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (value === null || typeof value !== "object") return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, closed(inner)]),
  );
  const isSchema = copy["type"] === "object" && typeof copy["properties"] === "object";
  return isSchema && copy["additionalProperties"] === undefined
    ? { ...copy, additionalProperties: false }
    : copy;
}
