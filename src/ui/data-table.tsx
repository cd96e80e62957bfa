import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { formatCount } from "../report/quantities.js";
import { shown } from "./text.js";

export interface TableColumn<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** The value to sort by; a column without it cannot be sorted. */
  readonly sortValue?: (row: Row) => number | string;
  readonly isNumber?: boolean;
  readonly className?: string | undefined;
}

/** A column of text from data. */
export function textColumn<Row>(
  heading: string,
  textOf: (row: Row) => string,
  className?: string,
): TableColumn<Row> {
  return { heading, cell: (row) => shown(textOf(row)), sortValue: textOf, className };
}

/** A column of numbers, as counts or in another format. */
export function numberColumn<Row>(
  heading: string,
  numberOf: (row: Row) => number,
  format: (value: number) => string = formatCount,
): TableColumn<Row> {
  return { heading, isNumber: true, cell: (row) => format(numberOf(row)), sortValue: numberOf };
}

interface DataTableProps<Row extends object> {
  readonly caption: string;
  /** Names of one row and of several: `["property", "properties"]`. */
  readonly nouns: readonly [one: string, several: string];
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  /** Text in lower case that a search looks in; without it there is no search. */
  readonly searchText?: (row: Row) => string;
  /** Column to sort by at first; without it, rows keep their order. */
  readonly sortedBy?: number;
}

/** Rows of one page of a table. */
const PAGE_ROWS = 50;

/** A table with sorting, search and pages; the first column names the row. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { caption, nouns, columns, rows, searchText, sortedBy = -1 } = props;
  const [words, setWords] = useState("");
  const [sorting, setSorting] = useState({ column: sortedBy, isDescending: true });
  const [pageWanted, setPage] = useState(0);
  const frame = useRef<HTMLDivElement>(null);
  // Neither depends on what columns and search are: a table keeps them.
  const found = useMemo(() => {
    const matching = searchText === undefined || words === "" ? rows : rows.filter(matches);
    return sorted(matching, columns[sorting.column]?.sortValue, sorting.isDescending);
    function matches(row: Row) {
      return searchText?.(row).includes(words);
    }
  }, [rows, words, sorting]);

  const lastPage = Math.max(0, Math.ceil(found.length / PAGE_ROWS) - 1);
  const page = Math.min(pageWanted, lastPage);
  const start = page * PAGE_ROWS;
  const visible = found.slice(start, start + PAGE_ROWS);
  const turn = (pages: number) => {
    setPage(page + pages);
    frame.current?.scrollIntoView({ block: "nearest" });
  };
  const sortBy = (column: number) => {
    const isAgain = sorting.column === column;
    const isNumber = columns[column]?.isNumber === true;
    setSorting({ column, isDescending: isAgain ? !sorting.isDescending : isNumber });
    setPage(0);
  };
  const search = (text: string) => {
    setWords(text.trim().toLowerCase());
    setPage(0);
  };
  const all = words === "" ? undefined : rows.length;
  return (
    <div class="data-table" ref={frame}>
      <div class="table-tools">
        {searchText && rows.length > 1 && <Search noun={nouns[1]} onInput={search} />}
        <p class="table-status" role="status">
          {statusText(nouns, { start, shown: visible.length, found: found.length, all })}
        </p>
      </div>
      <TableFrame caption={caption}>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <Heading
                key={column.heading}
                column={column}
                order={sorting.column === index ? orderOf(sorting) : "none"}
                onSort={() => sortBy(index)}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {visible.map((row) => (
            // The key is the row itself, so what is open in a cell stays with its row.
            <tr key={row}>
              {columns.map((column, index) => (
                <Cell key={column.heading} isHead={index === 0} className={classOf(column)}>
                  {column.cell(row)}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </TableFrame>
      {rows.length > PAGE_ROWS && (
        <div class="pages">
          <button type="button" class="quiet" disabled={page === 0} onClick={() => turn(-1)}>
            ← Previous
          </button>
          <button type="button" class="quiet" disabled={page >= lastPage} onClick={() => turn(1)}>
            Next →
          </button>
        </div>
      )}
    </div>
  );
}

function Search({ noun, onInput }: { noun: string; onInput: (text: string) => void }) {
  return (
    <input
      type="search"
      placeholder={`Search ${noun}`}
      aria-label={`Search ${noun}`}
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  );
}

type Order = "ascending" | "descending" | "none";

function orderOf({ isDescending }: { readonly isDescending: boolean }): Order {
  return isDescending ? "descending" : "ascending";
}

interface HeadingProps<Row> {
  readonly column: TableColumn<Row>;
  readonly order: Order;
  readonly onSort: () => void;
}

function Heading<Row>({ column, order, onSort }: HeadingProps<Row>) {
  if (column.sortValue === undefined) {
    return (
      <th scope="col" class={classOf(column)}>
        {column.heading}
      </th>
    );
  }
  return (
    <th scope="col" class={classOf(column)} aria-sort={order}>
      <button type="button" class="sort" onClick={onSort}>
        {column.heading}
        <span class="sort-mark" aria-hidden="true" />
      </button>
    </th>
  );
}

function classOf({ isNumber, className = "" }: Pick<TableColumn<never>, "isNumber" | "className">) {
  return isNumber === true ? `number ${className}` : className;
}

function sorted<Row>(
  rows: readonly Row[],
  sortValue: ((row: Row) => number | string) | undefined,
  isDescending: boolean,
): readonly Row[] {
  if (sortValue === undefined) return rows;
  const direction = isDescending ? -1 : 1;
  const keyed = rows.map((row) => ({ row, key: sortValue(row) }));
  keyed.sort((left, right) => direction * compare(left.key, right.key));
  return keyed.map(({ row }) => row);
}

function compare(left: number | string, right: number | string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

interface TableStatus {
  readonly start: number;
  readonly shown: number;
  readonly found: number;
  /** All rows, if a search has left some out. */
  readonly all: number | undefined;
}

function statusText(
  [one, several]: readonly [string, string],
  { start, shown: count, found, all }: TableStatus,
): string {
  if (found === 0) return `No ${one}${all === undefined ? "" : " matches"}`;
  const total = `${formatCount(found)}${all === undefined ? "" : ` of ${formatCount(all)}`}`;
  if (count === found) return `${total} ${found === 1 ? one : several}`;
  return `${formatCount(start + 1)} to ${formatCount(start + count)} of ${formatCount(found)} ${several}`;
}

interface PlainTableProps {
  readonly caption: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Indexes of columns of numbers. */
  readonly numbers?: readonly number[];
}

/** A small table without search and pages. */
export function PlainTable({ caption, headings, rows, numbers = [] }: PlainTableProps) {
  const classAt = (column: number) => (numbers.includes(column) ? "number" : "");
  return (
    <TableFrame caption={caption}>
      <thead>
        <tr>
          {headings.map((heading, column) => (
            <th key={heading} scope="col" class={classAt(column)}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (
              <Cell key={column} isHead={column === 0} className={classAt(column)}>
                {cell}
              </Cell>
            ))}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

interface CellProps {
  readonly isHead: boolean;
  readonly className: string;
  readonly children: ComponentChildren;
}

function Cell({ isHead, className, children }: CellProps) {
  if (!isHead) return <td class={className}>{children}</td>;
  return (
    <th scope="row" class={className}>
      {children}
    </th>
  );
}

interface TableFrameProps {
  readonly caption: string;
  readonly children: ComponentChildren;
}

/** A table in an area that scrolls sideways. */
export function TableFrame({ caption, children }: TableFrameProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a section is a part with a heading.
    <div class="table-frame" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption>{caption}</caption>
        {children}
      </table>
    </div>
  );
}
