import { z } from "zod";
import { text } from "./fields.js";

/** The secret that a caller must send: a console key, a server secret, or nothing. */
export type Access = "console" | "server" | "public";

/** An endpoint: a row of the specification's table. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With parameters in braces: `/console/v1/gates/{id}`. */
  readonly path: `/${string}`;
  readonly access: Access;
  readonly summary: string;
  /** The resource that lists it. */
  readonly group: string;
  readonly origin: "specification" | "extension";
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** `noBody` for a route that reads no body. */
  readonly body: z.ZodType;
  readonly status: 200 | 201 | 202;
  /** The text of `message` in the answer; empty for an answer without one. */
  readonly message: string;
  /** The whole body of the answer. */
  readonly response: z.ZodType;
}

export const noParams = z.object({});
export const noQuery = z.object({});
export const noBody = z.unknown().optional();

export const idParams = z.object({ id: text("Name ID of the entity.") });

/** A console route that keeps the types of its schemas. */
export interface ConsoleRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Response extends z.ZodType,
> extends Route {
  readonly access: "console";
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly response: Response;
}

/** The rest of a row. Defaults: origin `specification`, `noQuery`, `noBody` and status 200. */
interface Rest<Query extends z.ZodObject, Body extends z.ZodType, Response extends z.ZodType>
  extends Pick<Route, "message"> {
  readonly origin?: "extension";
  readonly query?: Query;
  readonly body?: Body;
  readonly status?: Route["status"];
  readonly response: Response;
}

export const extension = { origin: "extension" } as const;

/** Returns a function that makes a route from a row; `subpath` is added to the common path. */
export function consoleRoutes<Params extends z.ZodObject>(
  group: string,
  path: Route["path"],
  params: Params,
) {
  return <
    Response extends z.ZodType,
    Body extends z.ZodType = typeof noBody,
    Query extends z.ZodObject = typeof noQuery,
  >(
    method: Route["method"],
    subpath: string,
    summary: string,
    rest: Rest<Query, Body, Response>,
  ): ConsoleRoute<Params, Query, Body, Response> => ({
    origin: "specification",
    status: 200,
    ...rest,
    method,
    path: `${path}${subpath}`,
    access: "console",
    summary,
    group,
    params,
    query: rest.query ?? (noQuery as unknown as Query),
    body: rest.body ?? (noBody as unknown as Body),
  });
}

/** Types of a route's inputs, as its handler gets them. */
export type ParamsOf<R extends Route> = z.output<R["params"]>;
export type QueryOf<R extends Route> = z.output<R["query"]>;
export type BodyOf<R extends Route> = z.output<R["body"]>;
