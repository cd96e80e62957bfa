import { z } from "zod";
import { text } from "./fields.js";

/** What a caller must show: a console key, a server secret, or nothing. */
export type Access = "console" | "server" | "public";

/** One endpoint: a row of the specification's table. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With parameters in braces: `/console/v1/gates/{id}`. */
  readonly path: `/${string}`;
  readonly access: Access;
  readonly summary: string;
  /** Resource that it is listed under. */
  readonly group: string;
  readonly origin: "specification" | "extension";
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** `noBody` where none is read. */
  readonly body: z.ZodType;
  readonly status: 200 | 201 | 202;
  /** Text of `message` in the answer, where the answer has one. */
  readonly message: string;
  /** The whole body of the answer. */
  readonly response: z.ZodType;
}

export const noParams = z.object({});
export const noQuery = z.object({});
export const noBody = z.unknown().optional();

export const idParams = z.object({ id: text("Name ID of the entity.") });

/** Types of a route's inputs, as its handler gets them. */
export type ParamsOf<R extends Route> = z.output<R["params"]>;
export type QueryOf<R extends Route> = z.output<R["query"]>;
export type BodyOf<R extends Route> = z.output<R["body"]>;
