import { sep } from "node:path";
import { UsageError } from "../base/errors.js";
import { createZone } from "../base/luxon-zone.js";
import { option } from "../base/option-text.js";
import { columnsIn } from "../formats/open-part.js";
import { type LoadedKind, type OutputFormat, outputFormat } from "../formats/output-formats.js";
import type { Manifest } from "../ledger/manifest.js";
import type { Warehouse } from "../options/options.js";
import { pathInOutput } from "../output/output-place.js";
import {
  type ColumnSource,
  columnsOf,
  isJson,
  isRequired,
  type OutputColumn,
} from "../sinks/output-columns.js";
import { isObjectUrl } from "../store/object-url.js";
import { dayKeyOf } from "./delta-log.js";

/** An export to be loaded. */
interface Load {
  readonly kind: LoadedKind;
  readonly isGzip: boolean;
  /** The dataset; also the name of the table. */
  readonly table: string;
  /** The output: an absolute path, or an address. */
  readonly directory: string;
  /** Path of the files in the output, with wildcards. */
  readonly files: string;
  /** Prefixes of the paths of all files; no file of a `_delta_log` has one. */
  readonly prefixes: readonly string[];
  readonly extension: string;
  readonly columns: readonly OutputColumn[];
  /** Key of the days in the names of their directories: `day` of `day=2026-01-31`. */
  readonly dayKey: string | undefined;
  /** Each event of a day has a directory. */
  readonly hasEvents: boolean;
  readonly dayZone: string;
}

/** The SQL of a warehouse. */
interface WarehouseRow {
  readonly quote: '"' | "`";
  readonly text: string;
  readonly integer: string;
  readonly double: string;
  /** Type of timestamps that are not numbers. */
  readonly time: string;
  /** Type of members of JSON lines that are objects or scalars of any type. */
  readonly json: string;
  /** Makes a type nullable, where types are not nullable by default. */
  readonly nullable?: (type: string) => string;
  readonly required: string;
  /**
   * Returns the type of the column with the day; undefined if the table has none while files are loaded.
   */
  dayType(load: Load): string | undefined;
  /** Returns the text after the columns of the table. */
  readonly tableEnd?: (quoted: (source: ColumnSource) => string) => string;
  /** The statements that load each kind of files; undefined for kinds that it does not read. */
  load(load: Load, table: string, names: readonly string[]): string | undefined;
}

/** Returns the address of the output, or of the bucket that the user copies it to. */
function bucketOf({ directory }: Load, scheme: string): string {
  return directory.startsWith(scheme) ? pathInOutput(directory, "") : `${scheme}<bucket>/<prefix>/`;
}

const warehouseRows: Readonly<Record<Warehouse, WarehouseRow>> = {
  bigquery: {
    quote: "`",
    text: "STRING",
    integer: "INT64",
    double: "FLOAT64",
    time: "TIMESTAMP",
    json: "JSON",
    required: " NOT NULL",
    tableEnd: (quoted) => `\nCLUSTER BY ${quoted("event")}`,
    // BigQuery makes every path key a column; a key must not repeat a file column.
    dayType: ({ hasEvents }) => (hasEvents ? undefined : "DATE"),
    load(load, target) {
      const { kind, table, prefixes, extension, dayKey, hasEvents } = load;
      const options = {
        parquet: "format = 'PARQUET'",
        jsonl: "format = 'JSON'",
        csv: "format = 'CSV', skip_leading_rows = 1, allow_quoted_newlines = TRUE, null_marker = ''",
        arrow: undefined,
      }[kind];
      const bucket = bucketOf(load, "gs://");
      const uris = prefixes.map((prefix) => `'${bucket}${prefix}*.${extension}'`).join(", ");
      const all = `LOAD DATA INTO ${target}\nFROM FILES (${options}, uris = [${uris}]`;
      if (options === undefined || dayKey === undefined) return options && `${all});`;
      if (hasEvents) return `${all});${bigqueryDay(load, target, dayKey)}`;
      const prefix = `hive_partition_uri_prefix = '${bucket}${table}'`;
      return `${all}, ${prefix})\nWITH PARTITION COLUMNS (${dayKey} DATE);`;
    },
  },
  snowflake: {
    quote: '"',
    text: "VARCHAR",
    integer: "NUMBER(19, 0)",
    double: "FLOAT",
    time: "TIMESTAMP_TZ",
    json: "VARIANT",
    required: " NOT NULL",
    dayType: () => "DATE",
    load(load, target, names) {
      const { kind, table, extension, dayKey, columns } = load;
      const format = {
        parquet: "TYPE = PARQUET",
        jsonl: "TYPE = JSON",
        // Its default NULL_IF is \N, in quotes too, and an unquoted backslash is an escape.
        csv: `TYPE = CSV SKIP_HEADER = 1 FIELD_OPTIONALLY_ENCLOSED_BY = '"' EMPTY_FIELD_AS_NULL = TRUE NULL_IF = () ESCAPE_UNENCLOSED_FIELD = NONE`,
        arrow: undefined,
      }[kind];
      const stage = `"switchyard_${table}"`;
      const match =
        kind === "csv" || dayKey !== undefined ? "" : "\nMATCH_BY_COLUMN_NAME = CASE_SENSITIVE";
      const cells = columns.map((column, index) =>
        kind === "csv"
          ? `$${index + 1}`
          : `$1:"${column.name}"::${typeOf(warehouseRows.snowflake, kind, column)}`,
      );
      const day = `REGEXP_SUBSTR(METADATA$FILENAME, '(^|/)${dayKey}=([0-9-]+)/', 1, 1, 'e', 2)::DATE`;
      const [into, from] =
        dayKey === undefined
          ? [target, `@${stage}`]
          : [
              `${target} (${[...names, `"${dayKey}"`].join(", ")})`,
              `(\n  SELECT ${[...cells, day].join(", ")}\n  FROM @${stage}\n)`,
            ];
      return (
        format &&
        `CREATE STAGE IF NOT EXISTS ${stage} URL = '${bucketOf(load, "s3://")}${table}/'
STORAGE_INTEGRATION = <integration>;

COPY INTO ${into}
FROM ${from}
PATTERN = '.*/part-[^/]*[.]${extension.replace(".", "[.]")}'
FILE_FORMAT = (${format})${match};`
      );
    },
  },
  redshift: {
    quote: '"',
    text: "VARCHAR(65535)",
    integer: "BIGINT",
    double: "DOUBLE PRECISION",
    time: "TIMESTAMPTZ",
    json: "SUPER",
    required: " NOT NULL",
    tableEnd: (quoted) => `\nSORTKEY (${quoted("timestamp")})`,
    // A table must have as many columns as the Parquet files.
    dayType: () => undefined,
    load(load, target) {
      const { kind, isGzip, prefixes, dayKey } = load;
      const format = {
        parquet: "PARQUET",
        jsonl: `JSON 'auto ignorecase' TIMEFORMAT 'auto'${isGzip ? " GZIP" : ""}`,
        // Without NULL AS, \N is null.
        csv: "CSV IGNOREHEADER 1 NULL AS '' TIMEFORMAT 'auto'",
        arrow: undefined,
      }[kind];
      // It reads every object with this prefix, whatever its name.
      const copies = prefixes.map(
        (prefix) => `COPY ${target}
FROM '${bucketOf(load, "s3://")}${prefix}'
IAM_ROLE '<role>'
FORMAT AS ${format};`,
      );
      const day = dayKey === undefined ? "" : redshiftDay(load, target, dayKey);
      return format && copies.join("\n\n") + day;
    },
  },
  clickhouse: {
    quote: "`",
    text: "String",
    integer: "Int64",
    double: "Float64",
    time: "DateTime64(3, 'UTC')",
    json: "String",
    nullable: (type) => `Nullable(${type})`,
    required: "",
    tableEnd: (quoted) =>
      `\nENGINE = MergeTree\nORDER BY (${quoted("event")}, ${quoted("timestamp")})`,
    dayType(load) {
      const { name, unit, offsetSeconds, zone } = timeOf(load);
      const time = {
        timestamp: `\`${name}\``,
        ms: `fromUnixTimestamp64Milli(\`${name}\`)`,
        s: `fromUnixTimestamp64Milli(\`${name}\` * 1000)`,
      }[unit];
      return `Date32 DEFAULT toDate32(${time} + INTERVAL ${offsetSeconds} SECOND, '${zone}')`;
    },
    load({ kind, directory, files, dayKey, hasEvents }, target, names) {
      if (isObjectUrl(directory)) {
        throw new UsageError(
          "load_unsupported",
          `clickhouse-client reads files of its machine, not ${directory}: copy the output to a directory and pass that.`,
        );
      }
      const path = pathInOutput(pathFor("clickhouse", directory, /[*?{}]/), files);
      const hasKeys = dayKey !== undefined || hasEvents;
      const formats = {
        parquet: "Parquet",
        jsonl: "JSONEachRow",
        csv: "CSVWithNames",
        arrow: "Arrow",
      } as const;
      const iso = "date_time_input_format = 'best_effort'";
      const settings = {
        jsonl: [
          "input_format_json_read_objects_as_strings = 1",
          "input_format_json_read_numbers_as_strings = 1",
          iso,
        ],
        parquet: [],
        csv: [
          "input_format_csv_empty_as_default = 1",
          "format_csv_null_representation = '\\\\N'",
          "input_format_csv_trim_whitespaces = 0",
          "format_csv_allow_single_quotes = 0",
          iso,
        ],
        arrow: [],
      }[kind];
      // Otherwise it takes columns from the names of directories and guesses their types.
      const all = hasKeys ? ["use_hive_partitioning = 0", ...settings] : settings;
      return `-- With clickhouse-client, from the machine that has the files.
INSERT INTO ${target} (${names.join(", ")})
FROM INFILE ${literal(path.replaceAll("\\", "\\\\"))}
${all.length === 0 ? "" : `SETTINGS ${all.join(", ")}\n`}FORMAT ${formats[kind]};`;
    },
  },
  duckdb: {
    quote: '"',
    text: "VARCHAR",
    integer: "BIGINT",
    double: "DOUBLE",
    time: "TIMESTAMPTZ",
    json: "JSON",
    required: " NOT NULL",
    dayType: () => "DATE",
    load({ kind, directory, files, columns, dayKey }, target, names) {
      const escaped = pathFor("duckdb", directory, sep === "/" ? /\\/ : /$^/).replace(
        /[*?[]/g,
        "[$&]",
      );
      const list = `${literal(pathInOutput(escaped, files))}, hive_partitioning = false, filename = ${dayKey !== undefined}`;
      const day = `regexp_extract(filename, '.*/${dayKey}=([^/]+)/', 1)::DATE`;
      const [into, selected] =
        dayKey === undefined
          ? [target, names]
          : [`${target} (${[...names, `"${dayKey}"`].join(", ")})`, [...names, day]];
      const types = columns
        .map((column) => `${literal(column.name)}: '${typeOf(warehouseRows.duckdb, kind, column)}'`)
        .join(", ");
      const from = {
        parquet: `read_parquet(${list})`,
        jsonl: `read_json(${list}, format = 'newline_delimited', maximum_object_size = 134217728,\n  columns = {${types}})`,
        csv: `read_csv(${list}, header = true, delim = ',', quote = '"', escape = '"',\n  nullstr = '', allow_quoted_nulls = false, max_line_size = 134217728, columns = {${types}})`,
        arrow: undefined,
      }[kind];
      return from && `INSERT INTO ${into}\nSELECT ${selected.join(", ")}\nFROM ${from};`;
    },
  },
};

/**
 * Returns the expression of the timestamps, and the zone of the days; a fixed offset is added to
 * the timestamps.
 */
function timeOf({ columns, dayZone }: Load) {
  const { fixedOffsetMs } = createZone(dayZone);
  const column = columns.find(({ source }) => source === "timestamp");
  return {
    name: column?.name ?? "timestamp",
    unit: column?.unit ?? "ms",
    offsetSeconds: (fixedOffsetMs ?? 0) / 1_000,
    zone: fixedOffsetMs === undefined ? dayZone : "UTC",
  };
}

/**
 * Returns the directory unchanged. Throws `load_unsupported` if the warehouse would read another
 * directory for this name.
 */
function pathFor(warehouse: Warehouse, directory: string, wildcards: RegExp): string {
  const [wildcard] = wildcards.exec(directory) ?? [];
  if (wildcard === undefined) return directory;
  throw new UsageError(
    "load_unsupported",
    `${warehouse} gives ${wildcard} in a path another meaning: ${directory}. Rename the directory.`,
  );
}

function bigqueryDay(load: Load, target: string, dayKey: string): string {
  const { name, unit, offsetSeconds, zone } = timeOf(load);
  const time = {
    timestamp: `\`${name}\``,
    ms: `TIMESTAMP_MILLIS(\`${name}\`)`,
    s: `TIMESTAMP_SECONDS(\`${name}\`)`,
  }[unit];
  return `

ALTER TABLE ${target} ADD COLUMN \`${dayKey}\` DATE;
UPDATE ${target}
SET \`${dayKey}\` = DATE(TIMESTAMP_ADD(${time}, INTERVAL ${offsetSeconds} SECOND), '${zone}')
WHERE TRUE;`;
}

function redshiftDay(load: Load, target: string, dayKey: string): string {
  const { name, unit, offsetSeconds, zone } = timeOf(load);
  const seconds = unit === "ms" ? `FLOOR("${name}" / 1000.0)` : `"${name}"`;
  const time =
    unit === "timestamp"
      ? `"${name}" AT TIME ZONE 'UTC'`
      : `TIMESTAMP 'epoch' + ${seconds} * INTERVAL '1 second'`;
  const local = `${time} + ${offsetSeconds} * INTERVAL '1 second'`;
  return `

ALTER TABLE ${target} ADD COLUMN "${dayKey}" DATE;
UPDATE ${target} SET "${dayKey}" = CONVERT_TIMEZONE('UTC', '${zone}', ${local})::DATE;`;
}

/**
 * Returns the statements that create a table for an export and load its files. Throws `UsageError`
 * (`load_unsupported`) if the warehouse does not read its format, or not from this directory.
 */
export function loadSql(warehouse: Warehouse, manifest: Manifest, directory: string): string {
  const row = warehouseRows[warehouse];
  const { format, dataset } = manifest;
  const { rows, loadsAs } = outputFormat(format as OutputFormat);
  const { kind, isGzip = false } = loadsAs;
  const hasEvents = manifest.configuration["partition"] === "day,event";
  const columns = columnsOf(columnsIn(manifest), rows);
  const load: Load = {
    kind,
    isGzip,
    table: dataset,
    directory,
    files: `${dataset}/${hasEvents ? "*/*" : "*"}/part-*.${format}`,
    prefixes: prefixesOf(manifest),
    extension: format,
    columns,
    dayKey: dayKeyOf(manifest, columns),
    hasEvents,
    dayZone: manifest.dayZone,
  };
  const quote = (name: string) => `${row.quote}${name}${row.quote}`;
  const names = load.columns.map(({ name }) => quote(name));
  const statements = row.load(load, quote(dataset), names);
  if (statements === undefined) {
    throw new UsageError(
      "load_unsupported",
      `${warehouse} does not load files of the format ${format}: export again with ${option("format")} parquet.`,
    );
  }
  const defined = load.columns.map((column, index) => {
    const type = typeOf(row, kind, column);
    const isNullable = !isRequired(column.source);
    const full = isNullable ? (row.nullable?.(type) ?? type) : type + row.required;
    return `  ${names[index]} ${full}`;
  });
  const dayType = load.dayKey === undefined ? undefined : row.dayType(load);
  if (dayType !== undefined) defined.push(`  ${quote(load.dayKey ?? "")} ${dayType}`);
  const end = row.tableEnd?.((source) => quote(nameOf(load, source))) ?? "";
  const loaded = load.prefixes.length === 0 ? "-- The export has no events to load." : statements;
  return `CREATE TABLE ${quote(dataset)} (\n${defined.join(",\n")}\n)${end};\n\n${loaded}\n`;
}

/**
 * Returns the prefixes of the paths of the parts, up to the first digit of their day, so that there
 * are few.
 */
function prefixesOf({ days }: Manifest): readonly string[] {
  const paths = days.flatMap(({ files }) => files.map(({ path }) => path));
  return [...new Set(paths.map((path) => /^[^/]+\/(?:[^/]*=)?./.exec(path)?.[0] ?? path))];
}

function typeOf(row: WarehouseRow, kind: LoadedKind, { source, unit, type }: OutputColumn): string {
  if (type !== undefined) return type === "double" ? row.double : row.integer;
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
