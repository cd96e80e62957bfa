import type { Route } from "../contract/route.js";
import { type Routes, routes } from "../contract/routes.js";
import {
  type ConsoleOperation,
  type ConsoleOperationName,
  type ItemOf,
  type PageOperationName,
  pagesOf,
} from "./operation.js";
import { createTransport, type TransportOptions } from "./transport.js";

export { ConsoleError, ConsoleUnreachableError } from "./console-error.js";

export interface ConsoleClientOptions extends TransportOptions {
  /** The address of the service, without `/console/v1`: `https://console.example.com`. */
  readonly baseUrl: string;
  /** A console key. */
  readonly key: string;
}

/**
 * Every operation of the console API as a method, with the names and types of the contract:
 * `await client.patchGate({ id: "new_checkout", body: { tags: ["q3"] }, ifMatch: "3" })`.
 * Rejects with `ConsoleError` for an error status, and with `ConsoleUnreachableError` without an answer.
 */
export type ConsoleClient = {
  readonly [Name in ConsoleOperationName]: ConsoleOperation<Routes[Name]>;
} & {
  /**
   * Returns every item of a list; pages are requested as the items are read:
   * `for await (const gate of client.all("listGates")) …`.
   */
  all<Name extends PageOperationName>(
    operation: Name,
    ...input: Parameters<ConsoleOperation<Routes[Name]>>
  ): AsyncIterable<ItemOf<Routes[Name]>>;
};

/** Creates a client. Throws `UsageError` for an invalid base URL or a missing key. */
export function createConsoleClient(options: ConsoleClientOptions): ConsoleClient {
  const send = createTransport(options);
  const operations = Object.fromEntries(
    Object.entries<Route>(routes)
      .filter(([, { access, mediaType }]) => access === "console" && mediaType === undefined)
      .map(([name, route]) => [name, (input = {}) => send(route, input)]),
  );
  // The methods come from the same table as their types.
  const client = operations as unknown as ConsoleClient;
  return Object.assign(client, {
    all: (operation: PageOperationName, input = {}) => pagesOf(operations[operation], input),
  }) as ConsoleClient;
}
