import { useLocation } from "preact-iso";
import { Empty, ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { FilterField, Filters } from "../../ui/filters.js";
import { Pager, pageOf } from "../../ui/pager.js";
import { useLoad } from "../../ui/use-load.js";
import { api } from "../api/client.js";
import { kinds } from "../editing/kinds.js";
import { AuditTable } from "../entities/audit-table.js";
import { changes } from "../live.js";

const ITEMS_PER_PAGE = 50;
const filters = ["entityType", "entityID", "updatedBy", "startDate", "endDate"] as const;

/** Every write that was accepted, with filters in the address. */
export function Audit() {
  const { query, route } = useLocation();
  const page = pageOf(query);
  const given = Object.fromEntries(
    filters.flatMap((name) => (query[name] ? [[name, query[name]]] : [])),
  );
  const hrefOf = (changed: Readonly<Record<string, string>>) => {
    const all = Object.entries({ ...given, ...changed }).filter(([, value]) => value !== "");
    return `/audit?${new URLSearchParams(all as [string, string][])}`;
  };
  const { value, error, reload } = useLoad(
    `audit ${hrefOf({})} ${page} ${changes.value}`,
    (signal) => api.listAuditLogs({ ...(given as object), page, limit: ITEMS_PER_PAGE, signal }),
  );
  const field = (name: (typeof filters)[number], label: string, type: "text" | "date" = "text") => (
    <FilterField
      label={label}
      type={type}
      value={query[name] ?? ""}
      onCommit={(text) => route(hrefOf({ [name]: text }))}
    />
  );
  return (
    <>
      <header class="page-head">
        <h1>Audit log</h1>
      </header>
      <Filters>
        <label class="inline-field">
          Kind
          <select
            value={query["entityType"] ?? ""}
            onChange={({ currentTarget }) => route(hrefOf({ entityType: currentTarget.value }))}
          >
            <option value="">All</option>
            {Object.values(kinds).map(({ type, title }) => (
              <option key={type} value={type}>
                {title}
              </option>
            ))}
            <option value="key">Keys</option>
          </select>
        </label>
        {field("entityID", "ID")}
        {field("updatedBy", "Key")}
        {field("startDate", "From", "date")}
        {field("endDate", "Before", "date")}
      </Filters>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Skeleton lines={10} />}
      {value?.pagination.totalItems === 0 && <Empty title="No write matches" />}
      {value !== undefined && value.pagination.totalItems > 0 && (
        <>
          <AuditTable entries={value.data} />
          <Pager
            page={page}
            itemsPerPage={ITEMS_PER_PAGE}
            total={value.pagination.totalItems}
            noun="writes"
            hrefOf={(to) => hrefOf({ page: String(to) })}
          />
        </>
      )}
    </>
  );
}
