import type { z } from "zod";

/** A JSON Schema 2020-12 as zod returns it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

export interface Reference {
  readonly $ref: string;
}

/** A header, or a parameter of the path, the query or a header. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly "x-origin": "specification" | "extension";
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: { readonly "application/json": MediaType };
  };
  /** By status; those of errors are references. */
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

export type PathItem = { readonly [Method in Lowercase<string>]?: Operation };

/** The part of an OpenAPI 3.1 document that Switchyard uses. */
export interface OpenApiDocument {
  readonly openapi: "3.1.1";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<
      Record<string, { readonly description: string; readonly schema: JsonSchema }>
    >;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}

export interface SecurityScheme {
  readonly type: "apiKey";
  readonly in: "header";
  readonly name: string;
  readonly description: string;
}
