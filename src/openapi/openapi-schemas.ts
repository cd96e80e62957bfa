import { z } from "zod";
import {
  activeReview,
  errorBody,
  messageEnvelope,
  metricName,
  owner,
  pagination,
  reviewSettings,
  reviewSettingsRequest,
  warnings,
} from "../contract/common.js";
import { noBody, type Route, type RouteTable } from "../contract/route.js";
import { rule, ruleRequest } from "../contract/rule.js";

/** A JSON Schema 2020-12 as zod returns it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Schemas that several resources use, by name in the document. */
const sharedSchemas: Readonly<Record<string, z.ZodType>> = {
  Rule: rule,
  RuleRequest: ruleRequest,
  Owner: owner,
  ReviewSettings: reviewSettings,
  ReviewSettingsRequest: reviewSettingsRequest,
  ActiveReview: activeReview,
  MetricName: metricName,
  Pagination: pagination,
  ErrorBody: errorBody,
  Message: messageEnvelope,
  Warnings: warnings,
};

/** The schemas of a document, and the references of its operations to them. */
interface DocumentSchemas {
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** By operation; operations without a body are absent. */
  readonly requests: Readonly<Record<string, JsonSchema>>;
  readonly responses: Readonly<Record<string, JsonSchema>>;
}

/**
 * Returns the schemas of requests as clients send them, and of responses as clients get them. Responses
 * allow unknown fields, because fields may be added later.
 */
export function documentSchemas(routes: RouteTable): DocumentSchemas {
  const inputs = new Naming(sharedSchemas);
  const outputs = new Naming(sharedSchemas);
  for (const [operation, { body, response }] of Object.entries(routes)) {
    if (body !== noBody) inputs.add(`${capitalized(operation)}Request`, required(body));
    const entity = entityOf(response);
    const resource = /^read(\w+)$/.exec(operation)?.[1];
    if (entity !== undefined && resource !== undefined) outputs.add(resource, entity);
  }
  for (const [operation, { response }] of Object.entries(routes)) {
    outputs.add(`${capitalized(operation)}Response`, response);
  }
  const requests = inputs.jsonSchemas("input");
  const responses = outputs.jsonSchemas("output");
  for (const name of Object.keys(sharedSchemas)) {
    if (JSON.stringify(requests[name]) !== JSON.stringify(responses[name])) {
      throw new Error(`${name} differs between requests and responses: name it twice`);
    }
  }
  return {
    components: { ...requests, ...responses },
    requests: referencesOf(routes, inputs, ({ body }) => required(body)),
    responses: referencesOf(routes, outputs, ({ response }) => response),
  };
}

/** Returns the schema of `data` in an answer with a single entity. */
export function entityOf(response: z.ZodType): z.ZodObject | undefined {
  const data = response instanceof z.ZodObject ? response.shape["data"] : undefined;
  return data instanceof z.ZodObject ? data : undefined;
}

/** Returns the JSON Schema of a schema that is not a component, such as a query. */
export function inlineSchema(schema: z.ZodType): JsonSchema {
  return tidied(z.toJSONSchema(schema, { io: "input" }));
}

/** Names of schemas. The first name of a schema counts. */
class Naming {
  readonly #registry = z.registry<{ id: string }>();

  constructor(schemas: Readonly<Record<string, z.ZodType>>) {
    for (const [name, schema] of Object.entries(schemas)) this.add(name, schema);
  }

  add(id: string, schema: z.ZodType): void {
    if (!this.#registry.has(schema)) this.#registry.add(schema, { id });
  }

  referenceTo(schema: z.ZodType): JsonSchema | undefined {
    const name = this.#registry.get(schema)?.id;
    return name === undefined ? undefined : { $ref: pointerTo(name) };
  }

  jsonSchemas(io: "input" | "output"): Readonly<Record<string, JsonSchema>> {
    const { schemas } = z.toJSONSchema(this.#registry, { io, uri: pointerTo });
    return Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, tidied(schema)]),
    );
  }
}

function referencesOf(
  routes: RouteTable,
  naming: Naming,
  schemaOf: (route: Route) => z.ZodType,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(routes).flatMap(([operation, route]) => {
      const reference = naming.referenceTo(schemaOf(route));
      return reference === undefined ? [] : [[operation, reference]];
    }),
  );
}

function pointerTo(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Returns the schema of a body that is present. */
function required(body: z.ZodType): z.ZodType {
  return body instanceof z.ZodOptional ? (body.unwrap() as z.ZodType) : body;
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/**
 * Removes noise: schema ids, names that are texts, the bounds of safe integers. Moves a description
 * inside "this or null" to the outer schema.
 */
function tidied(schema: JsonSchema): JsonSchema {
  const { $schema: _, $id: __, ...rest } = tidiedValue(schema) as JsonSchema;
  return rest;
}

function tidiedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidiedValue);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value)
    .filter((entry) => !isNoise(entry))
    .map(([key, inner]) => [key, tidiedValue(inner)]);
  return withDescriptionInFront(Object.fromEntries(entries));
}

function isNoise([key, value]: [string, unknown]): boolean {
  return (
    (key === "additionalProperties" && value === false) ||
    (key === "propertyNames" && JSON.stringify(value) === '{"type":"string"}') ||
    (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
    (key === "maximum" && value === Number.MAX_SAFE_INTEGER)
  );
}

function withDescriptionInFront(schema: JsonSchema): JsonSchema {
  const [described, nothing, more] = (schema.anyOf ?? []) as JsonSchema[];
  const isNullable = nothing?.type === "null" && more === undefined;
  const description = described?.description;
  if (!isNullable || description === undefined || schema.description !== undefined) return schema;
  const { description: _, ...rest } = described as JsonSchema;
  return { ...schema, anyOf: [rest, nothing], description };
}
