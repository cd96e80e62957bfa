import { formatCount } from "../../base/format-count.js";
import { formatShare } from "../../base/format-share.js";
import { sum } from "../../base/sum.js";
import type { ReportProperties, ReportProperty } from "../../profile/report.js";
import { formatNumberOf } from "../../report/quantities.js";
import { Details } from "../../ui/blocks.js";
import { DataTable, type TableColumn } from "../../ui/data-table.js";
import { partText, shown } from "../../ui/text.js";
import { bytesRange, estimateText, shortEstimate } from "../elements/display-text.js";

const TOP_VALUES_OPEN = 2;

interface PropertyTableProps {
  /** Tells whose properties they are. */
  readonly caption: string;
  readonly properties: ReportProperties;
}

/** Keys with their fill, types, values and lengths. */
export function PropertyTable({ caption, properties }: PropertyTableProps) {
  const { keys, otherKeys, rows } = properties;
  if (keys.length === 0) return <p class="none">There are no properties.</p>;
  const further =
    otherKeys.keys === null ? "Further keys" : formatNumberOf(otherKeys.keys, "further key");
  return (
    <div>
      <DataTable<ReportProperty>
        caption={`${caption}: ${formatNumberOf(keys.length, "key")} in ${formatNumberOf(rows, "event")}`}
        nouns={["property", "properties"]}
        rows={keys}
        searchText={({ key }) => key.toLowerCase()}
        columns={columnsOf(rows)}
      />
      {otherKeys.values > 0 && (
        <p class="none">
          {`${further} beyond the limit have ${formatNumberOf(otherKeys.values, "value")} together.`}
        </p>
      )}
    </div>
  );
}

const number = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });

function columnsOf(events: number): readonly TableColumn<ReportProperty>[] {
  return [
    {
      heading: "Property",
      className: "name",
      cell: ({ key }) => <code>{shown(key)}</code>,
      sortValue: ({ key }) => key.toLowerCase(),
    },
    {
      heading: "In events",
      isNumber: true,
      cell: ({ rows }) => (
        <>
          {formatCount(rows)}
          <small>{partText(rows, events)}</small>
        </>
      ),
      sortValue: ({ rows }) => rows,
    },
    {
      heading: "Filled",
      cell: ({ fill }) => <FillBar fill={fill} />,
      sortValue: ({ fill }) => fill,
    },
    { heading: "Types", cell: ({ types }) => <Types types={types} /> },
    {
      heading: "Distinct",
      isNumber: true,
      cell: ({ distinct }) => <span title={estimateText(distinct)}>{shortEstimate(distinct)}</span>,
      sortValue: ({ distinct }) => distinct.count,
    },
    {
      heading: "Most frequent values",
      className: "values",
      cell: (property) => <TopValues property={property} />,
    },
    {
      heading: "Length, numbers",
      className: "length",
      cell: ({ bytes, numbers }) => (
        <>
          {bytesRange(bytes)}
          {numbers && (
            <small>{`${number.format(numbers.min)} … ${number.format(numbers.max)}`}</small>
          )}
        </>
      ),
      sortValue: ({ bytes }) => bytes.max,
    },
  ];
}

export function FillBar({ fill }: { readonly fill: number }) {
  return (
    <span class="fill">
      <span class="fill-bar" aria-hidden="true" style={{ "--fill": String(fill) }} />
      {formatShare(fill, 1)}
    </span>
  );
}

function Types({ types }: Pick<ReportProperty, "types">) {
  const seen = Object.entries(types);
  const total = sum(seen, ([, rows]) => rows);
  const isMixed = seen.filter(([type]) => type !== "null").length > 1;
  return (
    <span class={isMixed ? "mixed" : ""}>
      {isMixed && <strong>mixed </strong>}
      {seen.map(([type, rows]) => (
        <span class="type" key={type}>
          {seen.length === 1 ? type : `${type} ${partText(rows, total)}`}
        </span>
      ))}
    </span>
  );
}

function TopValues({ property }: { readonly property: ReportProperty }) {
  const { topValues: values, topValuesError, examples } = property;
  if (values.length === 0 && examples.length > 0) {
    const texts = examples.slice(0, TOP_VALUES_OPEN).map((value) => shown(value));
    return (
      <span>
        no frequent values; for example <code>{texts.join(", ")}</code>
      </span>
    );
  }
  const rest = values.slice(TOP_VALUES_OPEN);
  return (
    <>
      <ValueList values={values.slice(0, TOP_VALUES_OPEN)} />
      {rest.length > 0 && (
        <Details summary={`${rest.length} more`} isScreenOnly>
          <ValueList values={rest} />
        </Details>
      )}
      {topValuesError > 0 && (
        <small>{`True counts may be up to ${formatCount(topValuesError)} higher`}</small>
      )}
    </>
  );
}

function ValueList({ values }: { readonly values: ReportProperty["topValues"] }) {
  return (
    <ul class="top-values">
      {values.map(({ value, rows }) => (
        <li key={value}>
          <span class="value">{shown(value)}</span>
          <span class="value-rows">{formatCount(rows)}</span>
        </li>
      ))}
    </ul>
  );
}
