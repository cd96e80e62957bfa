import { formatCount } from "../base/format-count.js";

interface PagerProps {
  readonly page: number;
  readonly itemsPerPage: number;
  readonly total: number;
  /** The noun of the items: `gates`. */
  readonly noun: string;
  readonly hrefOf: (page: number) => string;
}

/** Returns the number of the page that a query asks for, from 1. */
export function pageOf({ page }: { readonly page?: string }): number {
  const number = Math.floor(Number(page));
  return Number.isSafeInteger(number) && number > 0 ? number : 1;
}

/** The place of a page in its list, and links to its neighbours. */
export function Pager({ page, itemsPerPage, total, noun, hrefOf }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / itemsPerPage));
  const start = (page - 1) * itemsPerPage + 1;
  const end = Math.min(total, page * itemsPerPage);
  return (
    <nav class="pager" aria-label="Pages">
      <span>
        {start > total
          ? `${page === 1 ? "0" : "No more"} ${noun}`
          : `${formatCount(start)}–${formatCount(end)} of ${formatCount(total)} ${noun}`}
      </span>
      {page > 1 && <a href={hrefOf(Math.min(page - 1, last))}>Previous</a>}
      {page < last && <a href={hrefOf(page + 1)}>Next</a>}
    </nav>
  );
}
