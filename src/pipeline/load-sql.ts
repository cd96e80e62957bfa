import path from "node:path";
import { UsageError } from "../base/errors.js";
import {
  type ColumnSource,
  columnsOf,
  isJson,
  isRequired,
  type OutputColumn,
} from "../sinks/output-columns.js";
import type { Manifest } from "./manifest.js";
import { columnsIn } from "./verify/open-part.js";
import type { Warehouse } from "./warehouses.js";

/** The content of files; gzip does not change it. */
type FileKind = "parquet" | "jsonl" | "csv" | "arrow";

/** An export to be loaded. */
interface Load {
  readonly kind: FileKind;
  readonly isGzip: boolean;
  /** The dataset; also the name of the table. */
  readonly table: string;
  /** Absolute paths of the files, with wildcards. */
  readonly files: string;
  readonly extension: string;
  readonly columns: readonly OutputColumn[];
}

/** How a warehouse loads files. */
interface WarehouseRow {
  readonly quote: '"' | "`";
  readonly text: string;
  readonly integer: string;
  /** Type of timestamps that are not numbers. */
  readonly time: string;
  /** Type of members of JSON lines that are objects or scalars of any type. */
  readonly json: string;
  /** Makes a type nullable where types are not. */
  readonly nullable?: (type: string) => string;
  readonly required: string;
  /** Returns the text after the columns of the table. */
  readonly tableEnd?: (quoted: (source: ColumnSource) => string) => string;
  /** The statements that load each kind of files; undefined for kinds that it does not read. */
  load(load: Load, table: string, names: readonly string[]): string | undefined;
}

/** Files are found in a bucket, which the user copies them to. */
const BUCKET = "<bucket>/<prefix>";

const warehouseRows: Readonly<Record<Warehouse, WarehouseRow>> = {
  bigquery: {
    quote: "`",
    text: "STRING",
    integer: "INT64",
    time: "TIMESTAMP",
    json: "JSON",
    required: " NOT NULL",
    tableEnd: (quoted) => `\nCLUSTER BY ${quoted("event")}`,
    load({ kind, table, extension }, target) {
      const options = {
        parquet: "format = 'PARQUET'",
        jsonl: "format = 'JSON'",
        csv: "format = 'CSV', skip_leading_rows = 1, allow_quoted_newlines = TRUE",
        arrow: undefined,
      }[kind];
      const uri = `gs://${BUCKET}/${table}/*.${extension}`;
      return options && `LOAD DATA INTO ${target}\nFROM FILES (${options}, uris = ['${uri}']);`;
    },
  },
  snowflake: {
    quote: '"',
    text: "VARCHAR",
    integer: "NUMBER(19, 0)",
    time: "TIMESTAMP_TZ",
    json: "VARIANT",
    required: " NOT NULL",
    load({ kind, table, extension }, target) {
      const format = {
        parquet: "TYPE = PARQUET",
        jsonl: "TYPE = JSON",
        csv: `TYPE = CSV SKIP_HEADER = 1 FIELD_OPTIONALLY_ENCLOSED_BY = '"' EMPTY_FIELD_AS_NULL = TRUE`,
        arrow: undefined,
      }[kind];
      const stage = `"switchyard_${table}"`;
      const match = kind === "csv" ? "" : "\nMATCH_BY_COLUMN_NAME = CASE_SENSITIVE";
      return (
        format &&
        `CREATE STAGE IF NOT EXISTS ${stage} URL = 's3://${BUCKET}/${table}/'
STORAGE_INTEGRATION = <integration>;

COPY INTO ${target}
FROM @${stage}
PATTERN = '.*[.]${extension.replace(".", "[.]")}'
FILE_FORMAT = (${format})${match};`
      );
    },
  },
  redshift: {
    quote: '"',
    text: "VARCHAR(65535)",
    integer: "BIGINT",
    time: "TIMESTAMPTZ",
    json: "SUPER",
    required: " NOT NULL",
    tableEnd: (quoted) => `\nSORTKEY (${quoted("timestamp")})`,
    load({ kind, isGzip, table }, target) {
      const format = {
        parquet: "PARQUET",
        jsonl: `JSON 'auto ignorecase' TIMEFORMAT 'auto'${isGzip ? " GZIP" : ""}`,
        csv: "CSV IGNOREHEADER 1 TIMEFORMAT 'auto'",
        arrow: undefined,
      }[kind];
      return (
        format &&
        `COPY ${target}
FROM 's3://${BUCKET}/${table}/'
IAM_ROLE '<role>'
FORMAT AS ${format};`
      );
    },
  },
  clickhouse: {
    quote: "`",
    text: "String",
    integer: "Int64",
    time: "DateTime64(3, 'UTC')",
    json: "String",
    nullable: (type) => `Nullable(${type})`,
    required: "",
    tableEnd: (quoted) =>
      `\nENGINE = MergeTree\nORDER BY (${quoted("event")}, ${quoted("timestamp")})`,
    load({ kind, files }, target, names) {
      const formats = {
        parquet: "Parquet",
        jsonl: "JSONEachRow",
        csv: "CSVWithNames",
        arrow: "Arrow",
      } as const;
      const settings = {
        jsonl:
          "SETTINGS input_format_json_read_objects_as_strings = 1, input_format_json_read_numbers_as_strings = 1, date_time_input_format = 'best_effort'\n",
        parquet: "",
        csv: "SETTINGS input_format_csv_empty_as_default = 1, date_time_input_format = 'best_effort'\n",
        arrow: "",
      }[kind];
      return `-- With clickhouse-client, from the machine that has the files.
INSERT INTO ${target} (${names.join(", ")})
FROM INFILE ${literal(files)}
${settings}FORMAT ${formats[kind]};`;
    },
  },
  duckdb: {
    quote: '"',
    text: "VARCHAR",
    integer: "BIGINT",
    time: "TIMESTAMPTZ",
    json: "JSON",
    required: " NOT NULL",
    load({ kind, files, columns }, target, names) {
      const list = `${literal(files)}, hive_partitioning = false`;
      const types = columns
        .map((column) => `${literal(column.name)}: '${typeOf(warehouseRows.duckdb, kind, column)}'`)
        .join(", ");
      const from = {
        parquet: `read_parquet(${list})`,
        jsonl: `read_json(${list}, format = 'newline_delimited', maximum_object_size = 134217728,\n  columns = {${types}})`,
        csv: `read_csv(${list}, header = true, delim = ',', quote = '"', escape = '"',\n  allow_quoted_nulls = false, max_line_size = 134217728, columns = {${types}})`,
        arrow: undefined,
      }[kind];
      return from && `INSERT INTO ${target}\nSELECT ${names.join(", ")}\nFROM ${from};`;
    },
  },
};

/**
 * Returns the statements that create a table for an export and load its files. Throws `UsageError`
 * (`load_unsupported`) if the warehouse does not read its format.
 */
export function loadSql(warehouse: Warehouse, manifest: Manifest, directory: string): string {
  const row = warehouseRows[warehouse];
  const { format, dataset } = manifest;
  const kind = format.replace(/[.]gz$/, "") as FileKind;
  const levels = manifest.configuration["partition"] === "day,event" ? "*/*" : "*";
  const load: Load = {
    kind,
    isGzip: format.endsWith(".gz"),
    table: dataset,
    files: path.join(directory, dataset, levels, `*.${format}`),
    extension: format,
    columns: columnsOf(columnsIn(manifest), kind === "jsonl" ? "lines" : "columns"),
  };
  const quote = (name: string) => `${row.quote}${name}${row.quote}`;
  const names = load.columns.map(({ name }) => quote(name));
  const statements = row.load(load, quote(dataset), names);
  if (statements === undefined) {
    throw new UsageError(
      "load_unsupported",
      `${warehouse} does not load files of the format ${format}: export again with --format parquet.`,
    );
  }
  const defined = load.columns.map((column, index) => {
    const type = typeOf(row, kind, column);
    const isNullable = !isRequired(column.source);
    const full = isNullable ? (row.nullable?.(type) ?? type) : type + row.required;
    return `  ${names[index]} ${full}`;
  });
  const end = row.tableEnd?.((source) => quote(nameOf(load, source))) ?? "";
  return `CREATE TABLE ${quote(dataset)} (\n${defined.join(",\n")}\n)${end};\n\n${statements}\n`;
}

function typeOf(row: WarehouseRow, kind: FileKind, { source, unit }: OutputColumn): string {
  if (source === "timestamp") return unit === "timestamp" ? row.time : row.integer;
  const isAnyJson = kind === "jsonl" && (isJson(source) || source === "value");
  return isAnyJson ? row.json : row.text;
}

function nameOf({ columns }: Load, source: ColumnSource): string {
  return columns.find((column) => column.source === source)?.name ?? source;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
