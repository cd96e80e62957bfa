import { formatCount } from "../base/format-count.js";

interface PagerProps {
  readonly page: number;
  readonly itemsPerPage: number;
  readonly total: number;
  /** The noun of the items: `gates`. */
  readonly noun: string;
  readonly hrefOf: (page: number) => string;
}

/** The place of a page in its list, and links to its neighbours. */
export function Pager({ page, itemsPerPage, total, noun, hrefOf }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / itemsPerPage));
  const start = (page - 1) * itemsPerPage + 1;
  const end = Math.min(total, page * itemsPerPage);
  return (
    <nav class="pager" aria-label="Pages">
      <span>
        {total === 0
          ? `0 ${noun}`
          : `${formatCount(start)}–${formatCount(end)} of ${formatCount(total)} ${noun}`}
      </span>
      {page > 1 && <a href={hrefOf(page - 1)}>Previous</a>}
      {page < last && <a href={hrefOf(page + 1)}>Next</a>}
    </nav>
  );
}
