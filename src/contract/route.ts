import { z } from "zod";
import { queryFlag, text } from "./fields.js";

/**
 * The kind of key that a caller must send: a console key, a server secret, a client key (or a server
 * secret), or none.
 */
export type Access = "console" | "server" | "client" | "public";

/** An endpoint: a row of the specification's table. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With parameters in braces: `/console/v1/gates/{id}`. */
  readonly path: `/${string}`;
  /** Further paths of the endpoint, with the same parameters: public clients disagree. */
  readonly aliases?: readonly `/${string}`[];
  /** True for a body that lists ids: it may be larger than others. */
  readonly listsIDs?: true;
  /** True for the path of one entity that has no parameter. */
  readonly single?: true;
  readonly access: Access;
  /** The right that a console key needs, where the method does not say it; `none`: every key opens it. */
  readonly right?: "read" | "none";
  readonly summary: string;
  /** The resource that lists it. */
  readonly group: string;
  readonly origin: "specification" | "extension";
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** `noBody` for a route that reads no body. */
  readonly body: z.ZodType;
  /** The member of the body that lists events, on an event route whose body is not events itself. */
  readonly eventsMember?: string;
  /**
   * True for routes of SDKs. Their query may have more parameters, and their bodies any content type, or
   * none, or the encoding that the query names.
   */
  readonly sdk?: true;
  /** True for routes of OpenFeature, which has its own form of errors. */
  readonly ofrep?: true;
  /**
   * Statuses that only some routes answer: 206 and 416 to `Range`, 304 to `If-None-Match`, 404 for a name
   * in the body.
   */
  readonly moreStatuses?: readonly (206 | 304 | 404 | 416)[];
  readonly status: 200 | 201 | 202;
  /** The type of an answer that is not JSON. The client of the console has no method for it. */
  readonly mediaType?: "text/html" | "text/event-stream";
  /** The text of `message` in the answer; empty for an answer without one. */
  readonly message: string;
  /** The whole body of the answer. */
  readonly response: z.ZodType;
}

/** Routes by the names of their operations. */
export type RouteTable = Readonly<Record<string, Route>>;

export const noParams = z.object({});
export const noQuery = z.object({});
export const noBody = z.unknown().optional();

/** The query of every write of the console. */
export const writeQuery = z.object({
  dryRun: queryFlag("Answer as the real call would, and store nothing."),
});

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

/** Further members of a row. Defaults: `specification`, `noQuery` for a read, `noBody`, status 200. */
interface Rest<Response extends z.ZodType>
  extends Pick<
    Route,
    "message" | "aliases" | "single" | "listsIDs" | "moreStatuses" | "mediaType" | "right"
  > {
  readonly origin?: "extension";
  readonly status?: Route["status"];
  readonly response: Response;
}

/** Makes a route from a row; `subpath` is added to the common path. Writes have `writeQuery` by default. */
export interface MakeConsoleRoute<Params extends z.ZodObject> {
  <Response extends z.ZodType, Query extends z.ZodObject = typeof noQuery>(
    method: "GET",
    subpath: string,
    summary: string,
    rest: Rest<Response> & { readonly query?: Query },
  ): ConsoleRoute<Params, Query, typeof noBody, Response>;
  <Response extends z.ZodType, Query extends z.ZodObject, Body extends z.ZodType = typeof noBody>(
    method: Exclude<Route["method"], "GET">,
    subpath: string,
    summary: string,
    rest: Rest<Response> & { readonly body?: Body; readonly query: Query },
  ): ConsoleRoute<Params, Query, Body, Response>;
  <Response extends z.ZodType, Body extends z.ZodType = typeof noBody>(
    method: Exclude<Route["method"], "GET">,
    subpath: string,
    summary: string,
    rest: Rest<Response> & { readonly body?: Body },
  ): ConsoleRoute<Params, typeof writeQuery, Body, Response>;
}

export const extension = { origin: "extension" } as const;

/** Returns the function that makes the routes of one path. */
export function consoleRoutes<Params extends z.ZodObject>(
  group: string,
  path: Route["path"],
  params: Params,
): MakeConsoleRoute<Params> {
  const make = (
    method: Route["method"],
    subpath: string,
    summary: string,
    rest: Rest<z.ZodType> & { readonly query?: z.ZodObject; readonly body?: z.ZodType },
  ): Route => ({
    origin: "specification",
    status: 200,
    query: method === "GET" ? noQuery : writeQuery,
    body: noBody,
    ...rest,
    method,
    path: `${path}${subpath}`,
    access: "console",
    summary,
    group,
    params,
  });
  return make as MakeConsoleRoute<Params>;
}

/** Types of a route's inputs, as its handler gets them. */
export type ParamsOf<R extends Route> = z.output<R["params"]>;
export type QueryOf<R extends Route> = z.output<R["query"]>;
export type BodyOf<R extends Route> = z.output<R["body"]>;
