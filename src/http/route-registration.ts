import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import type { z } from "zod";
import { omitUndefined } from "../base/omit-undefined.js";
import { type Fault, faultsOf } from "../contract/faults.js";
import { kindOf } from "../contract/fields.js";
import { noParams, noQuery, type Route, type RouteTable } from "../contract/route.js";
import type { KeyRecord } from "../storage/key-store.js";
import type { SessionRecord } from "../storage/session-store.js";
import { authenticate } from "./authentication.js";
import { allowOrigin, type Origins } from "./cors.js";
import { type CallFacts, type Handler, type HandlerCall, objectText } from "./handler.js";
import type { RateLimiter } from "./rate-limiter.js";
import { bodyBytesMax } from "./request-body.js";
import { idempotencyKeyOf, ifMatchOf, isUnchanged } from "./request-headers.js";
import { refuseFaults, ServiceError } from "./service-error.js";
import type { ServiceLimits } from "./service-limits.js";
import type { ServiceState } from "./service-state.js";
import { requireSameOrigin } from "./session-cookie.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The key of the request; null on public routes and before authentication. */
    caller: KeyRecord | null;
    /** The session whose cookie the request has, if that stands for its key. */
    session: SessionRecord | null;
    /** The text of the body as it was sent. */
    bodyText: string | undefined;
  }
}

interface RouteRegistrationOptions {
  readonly state: ServiceState;
  /** Headers that may carry the key; the first is named in refusals. */
  readonly keyHeaders: readonly string[];
  readonly limits: ServiceLimits;
  /** Pages that may call the routes of client keys. */
  readonly origins: Origins;
  readonly rates: RateLimiter;
  /** Returns ms since the epoch. */
  now(): number;
}

const JSON_TYPE = "application/json; charset=utf-8";

const allMethods = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"] as const;

/** Registers every route of a table, and a 405 for every other method of their paths. */
export function registerRoutes(
  http: FastifyInstance,
  table: RouteTable,
  options: RouteRegistrationOptions,
): void {
  for (const [name, route] of Object.entries(table)) {
    for (const path of pathsOf(route)) registerRoute(http, name, { ...route, path }, options);
  }
  const forPages = Object.fromEntries(Object.entries(table).filter(([, one]) => isForPages(one)));
  const shared = methodsByUrl(forPages);
  for (const [url, methods] of methodsByUrl(table)) {
    refuseOtherMethods(http, url, methods, shared.has(url) ? options.origins : []);
  }
}

function registerRoute(
  http: FastifyInstance,
  name: string,
  route: Route,
  { state, keyHeaders, limits, origins, rates, now }: RouteRegistrationOptions,
): void {
  const { access, eventsMember, listsIDs, sdk, ofrep } = route;
  const bodyLimit = bodyBytesMax(route, limits);
  http.route({
    method: route.method,
    url: urlOf(route.path),
    bodyLimit,
    config: {
      access,
      frequent: access !== "console",
      ...omitUndefined({ eventsMember, listsIDs, sdk, ofrep }),
    },
    // Runs before the body is read, so unauthorized clients cause little work.
    onRequest: async (request, reply) => {
      if (isForPages(route)) allowOrigin(request, reply, origins);
      const { keys, sessions } = state.requireReady();
      if (access === "public") {
        if (route.method !== "GET") requireSameOrigin(request.headers);
      } else {
        const { method, headers, rawHeaders } = request.raw;
        const { query, params } = request;
        const credentials = { method, headers, rawHeaders, query, params };
        const time = now();
        const checks = { keyHeaders, keys, sessions, now: time, origin: originOf(request) };
        const { key: caller, session } = await authenticate(
          credentials,
          { ...route, access },
          checks,
        );
        request.caller = caller;
        request.session = session ?? null;
        requireRate(rates.take(caller, time), caller);
        keys.noteUse(caller, time);
      }
      requireFit(request, bodyLimit);
      if (request.headers.expect !== undefined) reply.raw.writeContinue();
    },
    handler: async (request, reply) => {
      const inputs = validated(route, request);
      const handler = state.handlers[name] as Handler<Route>;
      const answer = await handler({ ...callFacts(request, limits, state), ...inputs });
      if ("stream" in answer) {
        // An answer to HEAD has no body.
        if (request.method === "HEAD") answer.stream.destroy();
        reply.code(route.status).headers(answer.headers);
        return reply.send(request.method === "HEAD" ? undefined : answer.stream);
      }
      if ("body" in answer) {
        reply.code(answer.status).headers(answer.headers).serializer(String);
        return reply.send(answer.body);
      }
      const { version, newestWrite, digest } = answer;
      const tagged = version ?? newestWrite ?? digest;
      if (tagged !== undefined) {
        const etag = `"${tagged}"`;
        reply.header("etag", version === undefined ? `W/${etag}` : etag);
        if (route.method === "GET" && isUnchanged(request.headers, etag)) {
          return reply.code(304).send();
        }
      }
      reply.headers(answer.headers ?? {});
      reply.code(route.status).type(JSON_TYPE).serializer(objectText);
      return route.message === "" ? answer.content : { message: route.message, ...answer.content };
    },
  });
}

/** Browsers have client keys only. */
function isForPages({ access }: Route): boolean {
  return access === "client";
}

function requireRate(
  retryAfterSeconds: number | undefined,
  { prefix, requestsPerMinuteMax }: KeyRecord,
): void {
  if (retryAfterSeconds === undefined) return;
  const limit = `${requestsPerMinuteMax} requests per minute`;
  throw new ServiceError({
    status: 429,
    message: `The key that begins with ${prefix} is limited to ${limit}: try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}

/** Refuses a body that is too large before it is read. Bodies of unknown size are counted later. */
function requireFit({ headers }: FastifyRequest, bytesMax: number): void {
  const bytes = Number(headers["content-length"] ?? 0);
  if (bytes <= bytesMax) return;
  throw new ServiceError({
    status: 413,
    message: `Body has ${bytes} bytes; this route accepts at most ${bytesMax}`,
  });
}

function callFacts(
  request: FastifyRequest,
  limits: ServiceLimits,
  { stopSignal }: Pick<ServiceState, "stopSignal">,
): CallFacts {
  const queryStart = request.url.indexOf("?");
  return {
    // Handlers of public routes do not use it.
    caller: request.caller as KeyRecord,
    session: request.session ?? undefined,
    requestID: request.id,
    ifMatch: ifMatchOf(request.headers),
    idempotencyKey: idempotencyKeyOf(request.headers, limits),
    path: queryStart === -1 ? request.url : request.url.slice(0, queryStart),
    ifNoneMatch: request.headers["if-none-match"],
    range: request.headers.range,
    origin: originOf(request),
    queryText: queryStart === -1 ? "" : request.url.slice(queryStart + 1),
    lastEventID: request.headers["last-event-id"] as string | undefined,
    stopSignal,
    bodyText: request.bodyText,
  };
}

function pathsOf({ path, aliases = [] }: Route): readonly Route["path"][] {
  return [path, ...aliases];
}

/** A proxy in front of the service tells what the client has asked for. */
function originOf({ headers, protocol, host }: FastifyRequest): string {
  const [scheme = protocol] = /^https?(?=$|,)/.exec(String(headers["x-forwarded-proto"])) ?? [];
  const [name = host] = /^[\w.:[\]-]+(?=$|,)/.exec(String(headers["x-forwarded-host"] ?? "")) ?? [];
  return `${scheme}://${name}`;
}

/** `/gates/{id}` → `/gates/:id`. */
function urlOf(path: Route["path"]): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

function methodsByUrl(table: RouteTable): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>();
  for (const route of Object.values(table)) {
    for (const path of pathsOf(route)) {
      // Paths that differ only in names of parameters are the same.
      const url = urlOf(path).replace(/:\w+/g, ":parameter");
      const known = methods.get(url) ?? [];
      known.push(...(route.method === "GET" ? ["GET", "HEAD"] : [route.method]));
      methods.set(url, known);
    }
  }
  return methods;
}

/** Answers 405 to methods that a path does not support, and OPTIONS with the supported ones. */
export function refuseOtherMethods(
  http: FastifyInstance,
  url: string,
  methods: readonly string[],
  origins: Origins = [],
): void {
  const allow = [...methods, "OPTIONS"].sort().join(", ");
  const others: HTTPMethods[] = allMethods.filter((method) => !methods.includes(method));
  http.route({
    method: others,
    url,
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      reply.header("allow", allow);
      allowOrigin(request, reply, origins);
      if (request.method === "OPTIONS") return reply.code(204).send();
      throw new ServiceError({
        status: 405,
        message: `${request.method} is not allowed on this path; allowed: ${allow}`,
      });
    },
    handler: async () => undefined,
  });
}

/** The parts of a request that routes have schemas for. */
interface RouteInputs {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** The parts of a request as the schemas of its route return them. */
type FittedInputs = Pick<HandlerCall<Route>, "params" | "query" | "body">;

/** Parses a request with the schemas of its route. Throws 400 with the faults of all parts. */
function validated(route: Route, { params, query, body }: RouteInputs): FittedInputs {
  if (route.sdk !== true) requireKnown(route.query, query);
  const faults: Fault[] = [];
  const inputs = {
    params: route.params === noParams ? {} : fitted(route.params, params, faults),
    query: route.query === noQuery ? {} : fitted(route.query, query, faults),
    body: fitted(route.body, givenBody(route, body), faults),
  };
  refuseFaults(faults);
  return inputs as FittedInputs;
}

/** Removes absent fields from console bodies only: the fields of events are data. */
function givenBody({ access, body: schema }: Route, body: unknown): unknown {
  return access === "console" ? withoutAbsent(schema, body) : body;
}

/** Refuses unknown query parameters: ignoring a filter would return the wrong entities. */
function requireKnown({ shape }: z.ZodObject, query: unknown): void {
  const known = Object.keys(shape);
  const faults = Object.keys(query ?? {})
    .filter((name) => !known.includes(name))
    .map((property) => ({
      property,
      errorMessage: `Unknown query parameter; known: ${known.sort().join(", ") || "none"}`,
    }));
  refuseFaults(faults, "Unknown query parameter");
}

function fitted<Schema extends z.ZodType>(schema: Schema, value: unknown, faults: Fault[]) {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  for (const fault of faultsOf(result.error)) faults.push(fault);
  return undefined;
}

/**
 * Returns a body without the values that mean "absent": null in a field that may be absent but not null,
 * and an empty text of JSON5. Clients that write every field send them.
 */
function withoutAbsent(schema: z.core.$ZodType, value: unknown): unknown {
  const inner = unwrapped(schema);
  if (isArray(inner) && Array.isArray(value)) {
    return value.map((item) => withoutAbsent(inner._zod.def.element, item));
  }
  if (!isObject(inner) || kindOf(value) !== "object") return value;
  const { shape } = inner._zod.def;
  const given = Object.entries(value as object).filter(
    ([name, member]) => !isAbsent(name, shape[name], member),
  );
  return Object.fromEntries(
    given.map(([name, member]) => {
      const field = shape[name];
      return [name, field === undefined ? member : withoutAbsent(field, member)];
    }),
  );
}

function isAbsent(name: string, field: z.core.$ZodType | undefined, value: unknown): boolean {
  if (field?._zod.optin !== "optional") return false;
  if (value === "") return name.endsWith("Json5");
  return value === null && (field as z.ZodType).safeParse(null).error !== undefined;
}

/** Returns the schema within optional and nullable ones. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as { readonly innerType?: z.core.$ZodType };
  return innerType === undefined ? schema : unwrapped(innerType);
}

function isArray(schema: z.core.$ZodType): schema is z.core.$ZodArray {
  return schema._zod.def.type === "array";
}

function isObject(schema: z.core.$ZodType): schema is z.core.$ZodObject {
  return schema._zod.def.type === "object";
}
