import type { z } from "zod";
import type { Route } from "../contract/route.js";

/** An item of a list. */
export type ItemOf<R extends Route> =
  z.output<R["response"]> extends { readonly data: readonly (infer Item)[] } ? Item : never;

interface ListAnswer {
  readonly data: readonly unknown[];
  readonly pagination: { readonly nextPage: string | null; readonly pageNumber: number };
}

type List = (input: object) => Promise<unknown>;

/**
 * Items of a page and of those after it. What is created or deleted meanwhile moves the pages: an item
 * may then come twice, or not at all.
 */
export async function* pagesOf(list: List | undefined, input: object): AsyncIterable<never> {
  if (list === undefined) throw new TypeError("there is no such list");
  let call = input;
  for (;;) {
    const { data, pagination } = (await list(call)) as ListAnswer;
    yield* data as readonly never[];
    // A page without items ends it as well: there are services that go on naming a next one.
    if (pagination.nextPage === null || data.length === 0) return;
    call = { ...input, page: pagination.pageNumber + 1 };
  }
}
