/** The warehouses that `load-sql` knows. */
export const warehouses = ["bigquery", "snowflake", "redshift", "clickhouse", "duckdb"] as const;
export type Warehouse = (typeof warehouses)[number];
