import { sum } from "../../base/sum.js";
import type { ReportProperties, ReportProperty } from "../../profile/report.js";
import { formatCount, formatNumberOf } from "../../report/quantities.js";
import { lazyDisclosure, none } from "../elements/blocks.js";
import { DataTable } from "../elements/data-table.js";
import {
  bytesRange,
  estimateText,
  partText,
  shareText,
  shortEstimate,
  shown,
} from "../elements/display-text.js";
import { type Child, element } from "../elements/element.js";

const TOP_VALUES_OPEN = 2;

/** Keys with their fill, types, values and lengths. `caption` tells whose properties they are. */
export function propertyTable(caption: string, properties: ReportProperties): HTMLElement {
  const { keys, otherKeys, rows } = properties;
  if (keys.length === 0) return none("There are no properties.");
  const number = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });
  const table = new DataTable<ReportProperty>({
    caption: `${caption}: ${formatNumberOf(keys.length, "key")} in ${formatNumberOf(rows, "event")}`,
    nouns: ["property", "properties"],
    rows: keys,
    searchText: ({ key }) => key.toLowerCase(),
    columns: [
      {
        heading: "Property",
        className: "name",
        cell: ({ key }) => element("code", {}, shown(key)),
        sortValue: ({ key }) => key.toLowerCase(),
      },
      {
        heading: "In events",
        isNumber: true,
        cell: (property) => withNote(formatCount(property.rows), partText(property.rows, rows)),
        sortValue: (property) => property.rows,
      },
      { heading: "Filled", cell: ({ fill }) => fillBar(fill), sortValue: ({ fill }) => fill },
      { heading: "Types", cell: ({ types }) => typeList(types) },
      {
        heading: "Distinct",
        isNumber: true,
        cell: ({ distinct }) =>
          element("span", { title: estimateText(distinct) }, shortEstimate(distinct)),
        sortValue: ({ distinct }) => distinct.count,
      },
      { heading: "Most frequent values", className: "values", cell: topValues },
      {
        heading: "Length, numbers",
        className: "length",
        cell: ({ bytes, numbers }) =>
          withNote(
            bytesRange(bytes),
            numbers && `${number.format(numbers.min)} … ${number.format(numbers.max)}`,
          ),
        sortValue: ({ bytes }) => bytes.max,
      },
    ],
  });
  return element("div", {}, table.element, restOf(otherKeys));
}

function restOf({ keys, values }: ReportProperties["otherKeys"]): HTMLElement | null {
  if (values === 0) return null;
  const count = keys === null ? "Further keys" : formatNumberOf(keys, "further key");
  return none(`${count} beyond the limit have ${formatNumberOf(values, "value")} together.`);
}

function withNote(text: string, note: string | null): HTMLElement {
  return element("span", {}, text, note === null ? null : element("small", {}, note));
}

export function fillBar(fill: number): HTMLElement {
  const bar = element("span", { class: "fill-bar", "aria-hidden": "true" });
  bar.style.setProperty("--fill", String(fill));
  return element("span", { class: "fill" }, bar, shareText(fill));
}

function typeList(types: ReportProperty["types"]): HTMLElement {
  const seen = Object.entries(types);
  const total = sum(seen, ([, rows]) => rows);
  const isMixed = seen.filter(([type]) => type !== "null").length > 1;
  const names = seen.map(([type, rows]) => {
    const name = seen.length === 1 ? type : `${type} ${partText(rows, total)}`;
    return element("span", { class: "type" }, name);
  });
  return element(
    "span",
    { class: isMixed ? "types mixed" : "types" },
    isMixed ? element("strong", {}, "mixed ") : null,
    ...names,
  );
}

function topValues({ topValues: values, topValuesError, examples }: ReportProperty): Child {
  if (values.length === 0 && examples.length > 0) {
    const texts = examples.slice(0, TOP_VALUES_OPEN).map((value) => shown(value));
    return element(
      "span",
      {},
      "no frequent values; for example ",
      element("code", {}, texts.join(", ")),
    );
  }
  const error =
    topValuesError > 0 && `True counts may be up to ${formatCount(topValuesError)} higher`;
  const item = ({ value, rows }: ReportProperty["topValues"][number]) =>
    element(
      "li",
      {},
      element("span", { class: "value" }, shown(value)),
      element("span", { class: "value-rows" }, formatCount(rows)),
    );
  const open = element(
    "ul",
    { class: "top-values" },
    ...values.slice(0, TOP_VALUES_OPEN).map(item),
  );
  const rest = values.slice(TOP_VALUES_OPEN);
  const note = error && element("small", {}, error);
  if (rest.length === 0) return element("div", {}, open, note);
  const more = () => element("ul", { class: "top-values" }, ...rest.map(item));
  return element("div", {}, open, lazyDisclosure(`${rest.length} more`, more), note);
}
