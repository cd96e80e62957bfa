import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { formatCount } from "../base/format-count.js";
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
  const [sorting, setSorting] = useState<Sorting>({ column: sortedBy, isDescending: true });
  const [pageWanted, setPage] = useState(0);
  const frame = useRef<HTMLDivElement>(null);
  const found = useMemo(() => {
    const matching = words === "" ? rows : rows.filter((row) => searchText?.(row).includes(words));
    return sorted(matching, columns[sorting.column]?.sortValue, sorting.isDescending);
    // Columns and search are always the same ones, even where they are made again.
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
  return (
    <div class="data-table" ref={frame}>
      <div class="table-tools">
        {searchText && rows.length > 1 && <Search noun={nouns[1]} onInput={search} />}
        <p class="table-status" role="status">
          {statusText(
            nouns,
            start,
            visible.length,
            found.length,
            words === "" ? null : rows.length,
          )}
        </p>
      </div>
      <Grid
        caption={caption}
        heads={columns.map((column, index) => headOf(column, index, sorting, sortBy))}
        // The key is the row itself, so what is open in a cell stays with its row.
        rows={visible.map((row) => ({ key: row, cells: columns.map(({ cell }) => cell(row)) }))}
      />
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

interface Sorting {
  readonly column: number;
  readonly isDescending: boolean;
}

function headOf<Row>(
  { heading, sortValue, isNumber = false, className = "" }: TableColumn<Row>,
  index: number,
  { column, isDescending }: Sorting,
  sortBy: (column: number) => void,
): GridHead {
  const names = isNumber ? `number ${className}` : className;
  if (sortValue === undefined) return { heading, className: names };
  const order = isDescending ? "descending" : "ascending";
  const button = (
    <button type="button" class="sort" onClick={() => sortBy(index)}>
      {heading}
      <span class="sort-mark" aria-hidden="true" />
    </button>
  );
  return { heading: button, className: names, order: column === index ? order : "none" };
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

/** `all` are all rows, if a search has left some out. */
function statusText(
  [one, several]: readonly [string, string],
  start: number,
  count: number,
  found: number,
  all: number | null,
): string {
  if (found === 0) return `No ${one}${all === null ? "" : " matches"}`;
  const total = formatCount(found);
  const ofAll = all === null ? "" : ` of ${formatCount(all)}`;
  if (count === found) return `${total}${ofAll} ${found === 1 ? one : several}`;
  return `${formatCount(start + 1)} to ${formatCount(start + count)} of ${total} ${several}`;
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
  const heads = headings.map((heading, column) => ({
    heading,
    className: numbers.includes(column) ? "number" : "",
  }));
  return <Grid caption={caption} heads={heads} rows={rows.map((cells, key) => ({ key, cells }))} />;
}

interface GridHead {
  readonly heading: ComponentChildren;
  /** The same for all cells of the column. */
  readonly className: string;
  readonly order?: "ascending" | "descending" | "none";
}

interface GridProps {
  readonly caption: string;
  readonly heads: readonly GridHead[];
  readonly rows: readonly { readonly key: unknown; readonly cells: readonly ComponentChildren[] }[];
}

/** A table in an area that scrolls sideways. The first cell of a row names it. */
function Grid({ caption, heads, rows }: GridProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a section is a part with a heading.
    <div class="table-frame" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {heads.map(({ heading, className, order }, column) => (
              <th key={column} scope="col" class={className} aria-sort={order}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [name, ...others] }) => (
            <tr key={key}>
              <th scope="row" class={heads[0]?.className}>
                {name}
              </th>
              {others.map((cell, column) => (
                <td key={column} class={heads[column + 1]?.className}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
