import type { PageQuery } from "../contract/common.js";
import type { ListQuery } from "../contract/list-query.js";
import type { CallFacts, HandlerAnswer } from "../http/handler.js";
import type { EntityPage, Slice } from "../storage/store.js";

/** A call to a list. */
export interface ListCall extends Pick<CallFacts, "path" | "queryText"> {
  readonly query: PageQuery & Partial<ListQuery>;
}

export function sliceOf({ page, limit, offset }: PageQuery): Slice {
  return { start: offset ?? Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER), count: limit };
}

/**
 * Returns the answer of a list: its page, and the URLs of the pages next to it. A page may have ended
 * early by its bytes, so the next one starts where this one ended: its URL then has an `offset`, and
 * a client that follows the URLs gets each result once. `data` is the items as the answer shows them.
 */
export function pageAnswer(
  call: ListCall,
  { items, totalItems }: EntityPage<unknown>,
  data: unknown = items,
): HandlerAnswer {
  const { page, limit } = call.query;
  const { start } = sliceOf(call.query);
  const end = start + items.length;
  const isPast = items.length === 0 && start > 0;
  const hasNext = end < totalItems && items.length > 0;
  const lastPage = Math.max(Math.ceil(totalItems / limit), 1);
  const previous = isPast
    ? { page: Math.min(page, lastPage + 1) - 1, start: (lastPage - 1) * limit }
    : { page: page - 1, start: Math.max(start - limit, 0) };
  return {
    content: {
      data,
      pagination: {
        itemsPerPage: limit,
        pageNumber: page,
        nextPage: hasNext ? urlOfPage(call, page + 1, end) : null,
        previousPage:
          start > 0 ? urlOfPage(call, Math.max(previous.page, 1), previous.start) : null,
        totalItems,
        all: call.path,
      },
    },
  };
}

/** Returns the relative URL of the page from `start` on; other members of the query stay. */
function urlOfPage({ path, queryText, query }: ListCall, page: number, start: number): string {
  const values = new URLSearchParams(queryText);
  for (const name of ["page", "limit", "offset"]) values.delete(name);
  const { limit } = query;
  const offset = start === (page - 1) * limit ? "" : `&offset=${start}`;
  const others = values.size === 0 ? "" : `&${values}`;
  return `${path}?page=${page}&limit=${limit}${offset}${others}`;
}
