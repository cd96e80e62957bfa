import { setTimeout as sleep } from "node:timers/promises";
import type { BeforeRequestHook, RetryObject } from "got";
import got, { type Got, HTTPError, RequestError, type Response } from "got";
import { z } from "zod";
import { backOffMs, serviceBackOff } from "../base/back-off.js";
import { UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { version } from "../base/package-files.js";
import { parseJson } from "../base/parse-json.js";
import { errorBody } from "../contract/common.js";
import { noBody, type Route } from "../contract/route.js";
import { type CallInput, requireInput } from "./call-input.js";
import { ConsoleError, ConsoleUnreachableError, type FailedCall } from "./console-error.js";

export interface TransportOptions {
  readonly baseUrl: string;
  readonly key: string;
  /** Header that carries the key; default `SERVICE-API-KEY`. */
  readonly keyHeader?: string;
  /** Milliseconds for one attempt, from the first byte to the last. */
  readonly timeoutMs?: number;
  /** Resolves when the console may be written to; called before each request that changes something. */
  awaitWrite?(signal: AbortSignal): Promise<void>;
  /** Called with the milliseconds that the console asks to wait; no request is made until then. */
  onHeld?(waitMs: number): void;
  /** Retries of calls that can be repeated safely. */
  readonly retriesMax?: number;
}

const TIMEOUT_MS = 30_000;
const RETRIES_MAX = 4;

/** A limit of writes is over after its window; a service that is away for longer is not waited for. */
const RETRY_AFTER_MAX_MS = 15 * 60_000;

/** Returns the function that sends the calls of a console client. */
export function createTransport({
  baseUrl,
  key,
  keyHeader = "SERVICE-API-KEY",
  timeoutMs = TIMEOUT_MS,
  retriesMax = RETRIES_MAX,
  awaitWrite,
  onHeld,
}: TransportOptions): (route: Route, input: CallInput) => Promise<object> {
  const base = parseBase(baseUrl);
  if (key === "") throw new UsageError("key_missing", "A console key is missing.");
  const held = new Held(onHeld);
  const client = got.extend({
    headers: { [keyHeader]: key, "user-agent": `switchyard/${version}` },
    responseType: "text",
    // The key goes only to the given service.
    followRedirect: false,
    timeout: { request: timeoutMs },
    hooks: {
      beforeRequest: [...(awaitWrite === undefined ? [] : [beforeWrite(awaitWrite)]), held.wait],
    },
  });
  return (route, input) => send(client, route, base, input, { retriesMax, held });
}

/** Holds back every request of a client until the time that the console names in `Retry-After`. */
class Held {
  readonly #onHeld: TransportOptions["onHeld"];
  #untilMs = 0;

  constructor(onHeld: TransportOptions["onHeld"]) {
    this.#onHeld = onHeld;
  }

  begin(waitMs: number): void {
    const untilMs = performance.now() + waitMs;
    if (untilMs <= this.#untilMs) return;
    this.#untilMs = untilMs;
    this.#onHeld?.(waitMs);
  }

  /** Waits until requests may be made; an answer can prolong the wait. */
  readonly wait: BeforeRequestHook = async ({ signal }) => {
    for (;;) {
      const waitMs = this.#untilMs - performance.now();
      if (waitMs <= 0) return;
      await sleep(Math.ceil(waitMs), undefined, omitUndefined({ signal }));
    }
  };
}

/** Returns the hook that lets a request wait for its turn, and each retry of it too. */
function beforeWrite(awaitWrite: NonNullable<TransportOptions["awaitWrite"]>): BeforeRequestHook {
  return async ({ method, signal = new AbortController().signal }) => {
    if (method !== "GET") await awaitWrite(signal);
  };
}

async function send(
  client: Got,
  route: Route,
  base: URL,
  input: CallInput,
  { retriesMax, held }: { readonly retriesMax: number; readonly held: Held },
): Promise<object> {
  requireInput(route, input);
  const url = urlOf(route, base, input);
  const call = { method: route.method, url: `${url.origin}${url.pathname}` };
  const isWrite = route.method !== "GET";
  const isRepeatable = !isWrite || input.ifMatch !== undefined;
  let wasLost = false;
  try {
    const response = await client(url, {
      method: route.method,
      ...bodyOf(route, input),
      ...omitUndefined({ signal: input.signal }),
      retry: {
        limit: retriesMax,
        methods: [route.method],
        calculateDelay: (attempt) => {
          const delayMs = retryDelayMs(attempt, { isRepeatable, retriesMax });
          if (delayMs > 0) wasLost ||= isWrite && mayBeMade(attempt.error);
          if (attempt.retryAfter !== undefined && delayMs > 0) held.begin(delayMs);
          return delayMs;
        },
      },
    });
    if (response.statusCode < 200 || response.statusCode > 299) throw refusal(call, response);
    return { ...bodyOfAnswer(call, response), ...etagOf(response) };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const isOpen = isWrite && (wasLost || mayBeMade(error));
    if (error instanceof HTTPError) {
      const response = error.response as Response<string>;
      throw refusal(call, response, isOpen);
    }
    if (input.signal?.aborted ?? false) throw error;
    throw new ConsoleUnreachableError(call, error, isOpen);
  }
}

function parseBase(text: string): URL {
  const base = URL.canParse(text) ? new URL(text) : undefined;
  if (base?.protocol !== "http:" && base?.protocol !== "https:") {
    throw new UsageError(
      "base_url_invalid",
      `The base URL of the console must be an http or https URL, not ${JSON.stringify(text)}.`,
    );
  }
  return base;
}

function urlOf({ path, query }: Route, base: URL, input: CallInput): URL {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input[name])),
  );
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/$/, "")}${filled}`;
  for (const name of Object.keys(query.shape)) {
    const values = [input[name]].flat().filter((value) => value !== undefined);
    for (const value of values) url.searchParams.append(name, String(value));
  }
  return url;
}

function bodyOf(
  route: Route,
  { body, ifMatch }: CallInput,
): { headers: Record<string, string>; body?: string } {
  const match: Record<string, string> =
    ifMatch === undefined ? {} : { "if-match": ifMatch === "*" ? "*" : `"${ifMatch}"` };
  if (route.body === noBody || body === undefined) return { headers: match };
  return {
    headers: { ...match, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

function bodyOfAnswer(call: FailedCall, response: Response<string>): object {
  const value = parseJson(response.body);
  if (typeof value === "object" && value !== null) return value;
  throw new ConsoleError(call, {
    status: response.statusCode,
    message: "the answer is not JSON; is this the address of a console?",
    errors: [],
    requestId: requestIdOf(response),
  });
}

function etagOf({ headers }: Response<string>): { etag?: string } {
  const version = /^"(.*)"$/.exec(headers.etag ?? "")?.[1];
  return version === undefined ? {} : { etag: version };
}

const refusalBody = errorBody.partial();

function refusal(call: FailedCall, response: Response<string>, mayBeMade = false): ConsoleError {
  const parsed = refusalBody.safeParse(parseJson(response.body));
  const { message, errors = [] } = parsed.success ? parsed.data : {};
  return new ConsoleError(call, {
    status: response.statusCode,
    message: message ?? (response.statusMessage || "no message"),
    errors,
    requestId: requestIdOf(response),
    mayBeMade,
  });
}

function requestIdOf({ headers }: Response<string>): string | undefined {
  return z.string().optional().catch(undefined).parse(headers["x-request-id"]);
}

/** Codes of failed connections: the service has received nothing. */
const notConnectedCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** Statuses that may change on a retry. */
const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Statuses of gateways that got no answer from the service. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 504]);

/** Returns true if the service may have received a request that failed so. */
function mayBeMade({ code, response }: RequestError): boolean {
  if (response === undefined) return !notConnectedCodes.has(code);
  return gatewayStatuses.has(response.statusCode);
}

interface RetryRules {
  /** True for reads and for writes with `If-Match`: they may be sent again after they were received. */
  readonly isRepeatable: boolean;
  readonly retriesMax: number;
}

/** Returns the milliseconds until the next attempt, or 0 for none. `random` is from 0 to 1. */
export function retryDelayMs(
  { attemptCount, error, retryAfter }: RetryObject,
  { isRepeatable, retriesMax }: RetryRules,
  random: () => number = Math.random,
): number {
  if (attemptCount > retriesMax) return 0;
  const status = error.response?.statusCode;
  // A rate limit refuses a call before anything is done.
  const wasNotDone = status === 429 || (status === undefined && notConnectedCodes.has(error.code));
  const mayPass = status === undefined || passingStatuses.has(status);
  if (!mayPass || !(isRepeatable || wasNotDone)) return 0;
  if (retryAfter !== undefined)
    return retryAfter > RETRY_AFTER_MAX_MS ? 0 : Math.max(retryAfter, 1);
  return Math.max(backOffMs(attemptCount, serviceBackOff, random), 1);
}
