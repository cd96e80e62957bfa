import { operations } from "virtual:operations";
import type { ConsoleClient } from "../../console/client.js";
import type { ConsoleOperation } from "../../console/operation.js";
import type { Routes } from "../../contract/routes.js";

/** An answer of the service that is not a success. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    /** HTTP status; 0 without an answer. */
    readonly status: number,
    message: string,
    readonly errors: readonly Fault[] = [],
  ) {
    super(message);
  }
}

/** A fault of one property of a body or a query. */
export interface Fault {
  readonly property: string;
  readonly errorMessage: string;
}

/** Called when the service says that nobody is signed in. */
let onSignedOut: () => void = () => undefined;

export function whenSignedOut(action: () => void): void {
  onSignedOut = action;
}

interface CallInput {
  readonly body?: unknown;
  readonly ifMatch?: string;
  readonly signal?: AbortSignal;
  readonly [name: string]: unknown;
}

/** The operation that needs no session. */
interface SignIn {
  readonly createSession: ConsoleOperation<Routes["createSession"]>;
}

/**
 * The console API, with the types of the package's client. The session's cookie says who calls. Rejects with
 * `ApiError`.
 */
export const api = Object.fromEntries(
  Object.entries(operations).map(([name, [method, path, query]]) => [
    name,
    (input: CallInput = {}) => call(method, urlOf(path, query, input), input),
  ]),
) as unknown as Omit<ConsoleClient, "all"> & SignIn;

const CHANGED_MEANWHILE =
  "Somebody has changed it meanwhile, so nothing was done. Close this, look at it, then decide.";

async function call(
  method: string,
  url: string,
  { body, ifMatch, signal }: CallInput,
): Promise<object> {
  const headers: Record<string, string> = {};
  // Other sites cannot send it, so they cannot write with the cookie.
  if (method !== "GET") headers["x-switchyard-page"] = "1";
  if (body !== undefined) headers["content-type"] = "application/json";
  if (ifMatch !== undefined) headers["if-match"] = `"${ifMatch}"`;
  const init: RequestInit = { method, headers };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (signal !== undefined) init.signal = signal;
  const response = await fetch(url, init).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "The service does not answer. Is it running?");
  });
  const answer = await jsonOf(response);
  if (!response.ok) throw refusal(response.status, answer);
  const version = /^"(.*)"$/.exec(response.headers.get("etag") ?? "")?.[1];
  return version === undefined ? answer : { ...answer, etag: version };
}

function urlOf(path: string, query: readonly string[], input: CallInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input[name])),
  );
  const parameters = new URLSearchParams();
  for (const name of query) {
    const values = [input[name]].flat().filter((value) => value !== undefined && value !== "");
    for (const value of values) parameters.append(name, String(value));
  }
  const text = parameters.toString();
  return text === "" ? filled : `${filled}?${text}`;
}

async function jsonOf(response: Response): Promise<object> {
  const value: unknown = await response.json().catch(() => null);
  return typeof value === "object" && value !== null ? value : {};
}

function refusal(status: number, answer: object): ApiError {
  if (status === 401) onSignedOut();
  const { message = `The service answered ${status}.`, errors = [] } = answer as {
    readonly message?: string;
    readonly errors?: readonly Fault[];
  };
  if (status === 412) return new ApiError(status, CHANGED_MEANWHILE);
  const [, right] = /this is a \w+ that needs ([\w:]+)\.$/.exec(message) ?? [];
  if (status === 403 && right !== undefined) {
    return new ApiError(status, `Your key may not do this. Sign in with one that has ${right}.`);
  }
  // The faults say more than the message of a body that is refused.
  const texts = errors.map(({ property, errorMessage }) =>
    property === "" ? errorMessage : `${property}: ${errorMessage}`,
  );
  return new ApiError(status, texts.join("\n") || message, errors);
}
