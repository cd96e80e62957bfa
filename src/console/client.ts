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
  /** Where the service is, with whatever path it lies under: `https://console.example.com`. */
  readonly baseUrl: string;
  /** A console key. */
  readonly key: string;
}

/**
 * Every operation of the console API as a method, as the contract names and types it:
 * `await client.patchGate({ id: "new_checkout", body: { tags: ["q3"] }, ifMatch: "3" })`.
 * Rejects with `ConsoleError` for every answer that is none, and with `ConsoleUnreachableError`
 * where there was no answer.
 */
export type ConsoleClient = {
  readonly [Name in ConsoleOperationName]: ConsoleOperation<Routes[Name]>;
} & {
  /**
   * Every item of a list, page after page as they are asked for:
   * `for await (const gate of client.all("listGates")) …`.
   */
  all<Name extends PageOperationName>(
    operation: Name,
    ...input: Parameters<ConsoleOperation<Routes[Name]>>
  ): AsyncIterable<ItemOf<Routes[Name]>>;
};

/** Throws `UsageError` where base URL or key cannot be right. */
export function createConsoleClient(options: ConsoleClientOptions): ConsoleClient {
  const send = createTransport(options);
  const operations = Object.fromEntries(
    Object.entries(routes)
      .filter(([, { access }]) => access === "console")
      .map(([name, route]) => [name, (input = {}) => send(route, input)]),
  );
  // The methods are made from the very table that their types come from.
  const client = operations as unknown as ConsoleClient;
  return Object.assign(client, {
    all: (operation: PageOperationName, input = {}) => pagesOf(operations[operation], input),
  }) as ConsoleClient;
}
