import type { PageQuery } from "../contract/common.js";
import type { ListQuery } from "../contract/list-query.js";
import { type EntityPage, PageTooLargeError, type Slice } from "../storage/store.js";
import type { CallFacts, HandlerAnswer } from "./handler.js";
import { invalid } from "./service-error.js";

/** A call to a list. */
export interface ListCall extends Pick<CallFacts, "path" | "queryText"> {
  readonly query: PageQuery & Partial<ListQuery>;
}

export function sliceOf({ page, limit }: PageQuery): Slice {
  return { start: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER), count: limit };
}

/** Returns the page that `read` returns. Throws a 400 if it is too large for an answer. */
export async function readPage<Item>(
  { query }: ListCall,
  read: (slice: Slice) => Promise<EntityPage<Item>>,
): Promise<EntityPage<Item>> {
  try {
    return await read(sliceOf(query));
  } catch (error) {
    if (!(error instanceof PageTooLargeError)) throw error;
    throw invalid([{ property: "limit", errorMessage: error.message }]);
  }
}

/** Returns the answer of a list: its page, and the URLs of the pages next to it. */
export function pageAnswer(
  call: ListCall,
  { items, totalItems }: EntityPage<unknown>,
): HandlerAnswer {
  const { page, limit } = call.query;
  const lastPage = Math.max(Math.ceil(totalItems / limit), 1);
  return {
    content: {
      data: items,
      pagination: {
        itemsPerPage: limit,
        pageNumber: page,
        nextPage: page < lastPage ? urlOfPage(call, page + 1) : null,
        previousPage: page > 1 ? urlOfPage(call, Math.min(page - 1, lastPage)) : null,
        totalItems,
        all: call.path,
      },
    },
  };
}

/** Returns the relative URL of another page; other members of the query stay. */
function urlOfPage({ path, queryText, query }: ListCall, page: number): string {
  const values = new URLSearchParams(queryText);
  values.delete("page");
  values.delete("limit");
  const others = values.size === 0 ? "" : `&${values}`;
  return `${path}?page=${page}&limit=${query.limit}${others}`;
}
