import { formatCount } from "../../report/quantities.js";
import { shown } from "./display-text.js";
import { button, type Child, element } from "./element.js";

export interface TableColumn<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => Child;
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

interface TableOptions<Row> {
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

interface Sorting {
  readonly column: number;
  readonly isDescending: boolean;
}

/** A table with sorting, search and pages; the first column names the row. */
export class DataTable<Row> {
  readonly element: HTMLElement;
  readonly #options: TableOptions<Row>;
  readonly #body = element("tbody");
  readonly #status = element("p", { class: "table-status", role: "status" });
  readonly #headings: HTMLTableCellElement[];
  readonly #back: HTMLButtonElement;
  readonly #forward: HTMLButtonElement;
  #rows: readonly Row[];
  #visible: readonly Row[] = [];
  #words = "";
  #sorting: Sorting | undefined;
  #page = 0;

  constructor(options: TableOptions<Row>) {
    this.#options = options;
    this.#rows = options.rows;
    if (options.sortedBy !== undefined) {
      this.#sorting = { column: options.sortedBy, isDescending: true };
    }
    this.#headings = options.columns.map((column, index) => this.#heading(column, index));
    this.#back = button({ class: "quiet" }, () => this.#turn(-1), "← Previous");
    this.#forward = button({ class: "quiet" }, () => this.#turn(1), "Next →");
    this.element = this.#frame();
    this.#arrange();
  }

  /** Replaces the rows, and keeps search and order. */
  update(rows: readonly Row[]): void {
    this.#rows = rows;
    this.#arrange(this.#page);
  }

  #frame(): HTMLElement {
    const { caption, rows, nouns, searchText } = this.#options;
    const isPaged = rows.length > PAGE_ROWS;
    const pages = element("div", { class: "pages" }, this.#back, this.#forward);
    return element(
      "div",
      { class: "data-table" },
      element(
        "div",
        { class: "table-tools" },
        searchText && rows.length > 1 ? this.#search(`Search ${nouns[1]}`) : null,
        this.#status,
      ),
      tableFrame(caption, this.#headings, this.#body),
      isPaged ? pages : null,
    );
  }

  #search(label: string): HTMLElement {
    const input = element("input", {
      type: "search",
      placeholder: label,
      "aria-label": label,
      autocomplete: "off",
      spellcheck: "false",
    });
    input.addEventListener("input", () => {
      this.#words = input.value.trim().toLowerCase();
      this.#arrange();
    });
    return input;
  }

  #heading({ heading, sortValue, isNumber, className }: TableColumn<Row>, index: number) {
    const attributes = { scope: "col", class: classes(isNumber && "number", className) };
    if (sortValue === undefined) return element("th", attributes, heading);
    const mark = element("span", { class: "sort-mark", "aria-hidden": "true" });
    return element(
      "th",
      attributes,
      button({ class: "sort" }, () => this.#sortBy(index), heading, mark),
    );
  }

  #sortBy(column: number): void {
    const isAgain = this.#sorting?.column === column;
    const first = this.#options.columns[column]?.isNumber === true;
    this.#sorting = { column, isDescending: isAgain ? !this.#sorting?.isDescending : first };
    this.#arrange();
  }

  #turn(pages: number): void {
    this.#page += pages;
    this.#draw();
    this.element.scrollIntoView({ block: "nearest" });
  }

  #arrange(page = 0): void {
    const { searchText, columns } = this.#options;
    const found =
      this.#words === "" || searchText === undefined
        ? [...this.#rows]
        : this.#rows.filter((row) => searchText(row).includes(this.#words));
    const sortValue = columns[this.#sorting?.column ?? -1]?.sortValue;
    if (sortValue !== undefined) {
      const direction = this.#sorting?.isDescending ? -1 : 1;
      const keyed = found.map((row) => ({ row, key: sortValue(row) }));
      keyed.sort((left, right) => direction * compare(left.key, right.key));
      this.#visible = keyed.map(({ row }) => row);
    } else {
      this.#visible = found;
    }
    this.#page = Math.min(page, this.#lastPage);
    this.#draw();
  }

  get #lastPage(): number {
    return Math.max(0, Math.ceil(this.#visible.length / PAGE_ROWS) - 1);
  }

  #draw(): void {
    const start = this.#page * PAGE_ROWS;
    const rows = this.#visible.slice(start, start + PAGE_ROWS);
    this.#body.replaceChildren(...rows.map((row) => this.#row(row)));
    this.#headings.forEach((heading, index) => {
      if (this.#options.columns[index]?.sortValue === undefined) return;
      const isSorted = this.#sorting?.column === index;
      const order = this.#sorting?.isDescending ? "descending" : "ascending";
      heading.setAttribute("aria-sort", isSorted ? order : "none");
    });
    this.#back.disabled = this.#page === 0;
    this.#forward.disabled = this.#page >= this.#lastPage;
    this.#status.textContent = this.#statusText(start, rows.length);
  }

  #statusText(start: number, shown: number): string {
    const found = this.#visible.length;
    const [one, several] = this.#options.nouns;
    const nouns = found === 1 ? one : several;
    const total = formatCount(found);
    const all = this.#words === "" ? "" : ` of ${formatCount(this.#rows.length)}`;
    if (found === 0) return `No ${one}${all === "" ? "" : " matches"}`;
    if (shown === found) return `${total}${all} ${nouns}`;
    return `${formatCount(start + 1)} to ${formatCount(start + shown)} of ${total} ${nouns}`;
  }

  #row(row: Row): HTMLTableRowElement {
    const cells = this.#options.columns.map(({ cell, isNumber, className }, index) => {
      const attributes = { class: classes(isNumber && "number", className) };
      return index === 0
        ? element("th", { scope: "row", ...attributes }, cell(row))
        : element("td", attributes, cell(row));
    });
    return element("tr", {}, ...cells);
  }
}

function compare(left: number | string, right: number | string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function classes(...names: readonly (string | false | undefined)[]): string | undefined {
  return names.filter((name) => name).join(" ") || undefined;
}

/** Returns a small table without search and pages; `numbers` are the indexes of number columns. */
export function plainTable(
  caption: string,
  headings: readonly string[],
  rows: readonly (readonly Child[])[],
  numbers: readonly number[] = [],
): HTMLElement {
  const classOf = (column: number) => (numbers.includes(column) ? "number" : undefined);
  const cells = (row: readonly Child[]) =>
    row.map((child, column) =>
      column === 0
        ? element("th", { scope: "row" }, child)
        : element("td", { class: classOf(column) }, child),
    );
  const head = headings.map((heading, column) =>
    element("th", { scope: "col", class: classOf(column) }, heading),
  );
  const lines = rows.map((row) => element("tr", {}, ...cells(row)));
  return tableFrame(caption, head, element("tbody", {}, ...lines));
}

/** Returns a table in an area that scrolls sideways. */
function tableFrame(caption: string, headings: readonly Child[], body: Child): HTMLElement {
  const head = element("thead", {}, element("tr", {}, ...headings));
  const table = element("table", {}, element("caption", {}, caption), head, body);
  const area = { class: "wide", role: "region", "aria-label": caption, tabindex: 0 };
  return element("div", area, table);
}
