import type { z } from "zod";
import type { Route } from "../contract/route.js";
import type { OperationName, Routes } from "../contract/routes.js";

/** Operations that take a console key and answer JSON. */
export type ConsoleOperationName = {
  [Name in OperationName]: Routes[Name]["access"] extends "console"
    ? z.output<Routes[Name]["response"]> extends string
      ? never
      : Name
    : never;
}[OperationName];

/** Operations that answer one page of a list. */
export type PageOperationName = {
  [Name in ConsoleOperationName]: z.output<Routes[Name]["response"]> extends { pagination: unknown }
    ? Name
    : never;
}[ConsoleOperationName];

/** Options of every call, beside the inputs of its route. */
export interface CallOptions {
  /** The version, without quotes, that the entity must have. */
  readonly ifMatch?: string;
  readonly signal?: AbortSignal;
}

type ParamsInput<R extends Route> = keyof R["params"]["shape"] extends never
  ? unknown
  : z.input<R["params"]>;

/** The types of query parameters. A flag may also be a boolean, which a URL cannot express. */
type QueryInput<R extends Route> = keyof R["query"]["shape"] extends never
  ? unknown
  : {
      readonly [Name in keyof z.input<R["query"]>]: QueryValue<z.input<R["query"]>[Name]>;
    };

type QueryValue<Value> = "true" extends Value ? Value | boolean : Value;

type BodyInput<R extends Route> =
  unknown extends z.input<R["body"]>
    ? unknown
    : undefined extends z.input<R["body"]>
      ? { readonly body?: z.input<R["body"]> }
      : { readonly body: z.input<R["body"]> };

/** Parameters of path and query side by side, and the body as `body`. */
type ConsoleInput<R extends Route> = ParamsInput<R> & QueryInput<R> & BodyInput<R> & CallOptions;

/** The body of the answer, and facts from its headers. */
type ConsoleAnswer<R extends Route> = z.output<R["response"]> & {
  /** The version of the single entity in the answer, for `ifMatch`. */
  readonly etag?: string;
};

/** A method for an operation. Its input is optional if all of its members are. */
export type ConsoleOperation<R extends Route> =
  object extends ConsoleInput<R>
    ? (input?: ConsoleInput<R>) => Promise<ConsoleAnswer<R>>
    : (input: ConsoleInput<R>) => Promise<ConsoleAnswer<R>>;

/** An item of a list. */
export type ItemOf<R extends Route> =
  z.output<R["response"]> extends { readonly data: readonly (infer Item)[] } ? Item : never;

interface ListAnswer {
  readonly data: readonly unknown[];
  readonly pagination: Pagination;
}

interface Pagination {
  /** Relative URL of the next page. */
  readonly nextPage: string | null;
  readonly pageNumber: number;
}

type List = (input: object) => Promise<unknown>;

/**
 * Returns the items of a page and of all later pages. If items are created or deleted meanwhile, an item
 * may be repeated or missing.
 */
export async function* pagesOf(list: List | undefined, input: object): AsyncIterable<never> {
  if (list === undefined) throw new TypeError("there is no such list");
  let call = input;
  for (;;) {
    const { data, pagination } = (await list(call)) as ListAnswer;
    yield* data as readonly never[];
    // An empty page ends the list too: some services keep naming a next page.
    if (pagination.nextPage === null || data.length === 0) return;
    call = { ...input, ...pageAfter(pagination.nextPage, pagination.pageNumber) };
  }
}

/** A page that ended early by its size continues at an offset, which the URL of the next one has. */
function pageAfter(nextPage: string, pageNumber: number): object {
  const query = nextPage.slice(nextPage.indexOf("?") + 1);
  const offset = new URLSearchParams(query).get("offset");
  return { page: pageNumber + 1, ...(offset !== null && { offset: Number(offset) }) };
}
