import { z } from "zod";

/** The part of JSON Schema that the contract's request bodies use. */
export interface JsonSchema {
  readonly type?: JsonType | readonly JsonType[];
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

export type JsonType = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object";

/** A schema of one type. */
export interface Form extends JsonSchema {
  readonly type: JsonType;
}

const understood: ReadonlySet<string> = new Set([
  "$schema",
  "description",
  "propertyNames",
  "type",
  "anyOf",
  "enum",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "items",
  "minItems",
  "maxItems",
  "properties",
  "required",
  "additionalProperties",
]);

/** The schema of a request body. */
export function requestSchema(body: z.ZodType): JsonSchema {
  return z.toJSONSchema(body, { io: "input", reused: "inline" }) as JsonSchema;
}

/** The types of a value, each with its constraints; empty if all types are allowed. */
export function formsOf(schema: JsonSchema): readonly Form[] {
  const unknown = Object.keys(schema).find((keyword) => !understood.has(keyword));
  if (unknown !== undefined) throw new Error(`bodies cannot be generated from ${unknown} yet`);
  const { anyOf, type, ...shared } = schema;
  if (anyOf !== undefined) return anyOf.flatMap((form) => formsOf({ ...shared, ...form }));
  return [type ?? []].flat().map((type) => ({ ...shared, type }));
}
