import { useLocation } from "preact-iso";
import { Boundary } from "../../ui/boundary.js";
import { Badge, Empty, ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { Switch } from "../../ui/fields.js";
import { Pager, pageOf } from "../../ui/pager.js";
import { shown } from "../../ui/text.js";
import { Time } from "../../ui/time.js";
import { useLoad } from "../../ui/use-load.js";
import type { Entity, Kind } from "../editing/kinds.js";
import { ruleText } from "../editing/sentences.js";
import { changes } from "../live.js";
import { mayWrite } from "../session.js";
import { CreateButton } from "./create-entity.js";
import {
  filtersOf,
  ListFilterRow,
  type ListFilters,
  listInput,
  stateLabel,
} from "./list-filters.js";
import { switchEntity } from "./switch-entity.js";

const ITEMS_PER_PAGE = 50;

/** The list of a kind: search, filters and pages stand in the address. */
export function EntityList({ kind }: { kind: Kind }) {
  const { query, route } = useLocation();
  const filters = filtersOf(kind, query);
  const page = pageOf(query);
  const hrefOf = (changed: ListFilters & { readonly page?: string }) => {
    const all = { ...filters, page: String(page), ...changed };
    const kept = Object.entries(all).filter(
      ([name, value]) => value !== "" && !(name === "page" && value === "1"),
    );
    const text = new URLSearchParams(kept).toString();
    return `/${kind.root}${text === "" ? "" : `?${text}`}`;
  };
  const list = useLoad(`${kind.root} ${hrefOf({})} ${changes.value}`, (signal) =>
    kind.operations.list({ ...listInput(filters), page, limit: ITEMS_PER_PAGE, signal }),
  );
  const isFiltered = Object.keys(filters).length > 0;
  const { value, error, isLoading } = list;
  return (
    <>
      <header class="page-head">
        <h1>{kind.title}</h1>
        {mayWrite(kind.area) && <CreateButton kind={kind} />}
      </header>
      <ListFilterRow
        key={kind.root}
        kind={kind}
        filters={filters}
        listed={value?.data ?? []}
        onChange={(changed, isTyping) => route(hrefOf({ ...changed, page: "" }), isTyping)}
      />
      {error !== undefined && <ErrorNotice error={error} retry={list.reload} />}
      {value === undefined && error === undefined && <Skeleton lines={10} />}
      {value?.pagination.totalItems === 0 &&
        (isFiltered ? (
          <Empty title={`No ${kind.noun} matches`}>
            <p>
              Nothing has all of these filters. <a href={`/${kind.root}`}>Show all {kind.plural}</a>
            </p>
          </Empty>
        ) : (
          <Empty title={`No ${kind.plural} yet`}>
            <p>{kind.purpose}</p>
          </Empty>
        ))}
      {value !== undefined && value.pagination.totalItems > 0 && (
        <>
          {value.data.length > 0 && (
            <EntityTable
              kind={kind}
              entities={value.data}
              tagHref={(one) => hrefOf({ tag: one, page: "" })}
              isStale={isLoading}
            />
          )}
          <Pager
            page={page}
            itemsPerPage={ITEMS_PER_PAGE}
            total={value.pagination.totalItems}
            noun={kind.plural}
            hrefOf={(to) => hrefOf({ page: String(to) })}
          />
        </>
      )}
    </>
  );
}

interface EntityTableProps {
  readonly kind: Kind;
  readonly entities: readonly Entity[];
  readonly tagHref: (tag: string) => string;
  readonly isStale: boolean;
}

function EntityTable({ kind, entities, tagHref, isStale }: EntityTableProps) {
  const hasSwitch = kind.root === "gates" || kind.root === "configs";
  const hasAbout = kind.hasRules || kind.root === "experiments";
  return (
    <div class="table-frame" aria-busy={isStale}>
      <table class="entities">
        <caption class="visually-hidden">{kind.title}</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            {hasSwitch && <th scope="col">State</th>}
            {hasAbout && <th scope="col">{kind.hasRules ? "Rules" : "State"}</th>}
            <th scope="col">Tags</th>
            <th scope="col">Last change</th>
          </tr>
        </thead>
        <tbody>
          {entities.map((entity) => (
            <tr key={entity.id}>
              <th scope="row">
                <a href={`/${kind.root}/${encodeURIComponent(entity.id)}`}>{entity.name}</a>
                {entity.name !== entity.id && <code class="soft">{entity.id}</code>}
              </th>
              {hasSwitch && (
                <td>
                  <Switch
                    label={entity.name}
                    isOn={entity.isEnabled === true}
                    disabled={!mayWrite(kind.area) || isArchived(entity)}
                    onChange={(isOn) => switchEntity(kind, entity, isOn)}
                  />
                </td>
              )}
              {hasAbout && (
                <td class="soft">
                  <Boundary>
                    {kind.hasRules ? (
                      <RulesInShort entity={entity} />
                    ) : (
                      <StateBadge entity={entity} />
                    )}
                  </Boundary>
                </td>
              )}
              <td>
                {(entity.tags ?? []).map((tag) => (
                  <a class="chip" key={tag} href={tagHref(tag)}>
                    {shown(tag)}
                  </a>
                ))}
              </td>
              <td class="soft">
                <Time at={entity.lastModifiedTime} />
                {entity.lastModifierName !== null && <> by {entity.lastModifierName}</>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function isArchived({ status, isArchived: archived }: Entity): boolean {
  return archived === true || status?.toLowerCase() === "archived";
}

function RulesInShort({ entity: { rules = [], type, count } }: { entity: Entity }) {
  if (type === "id_list") return <>{String(count ?? 0)} IDs</>;
  const [first] = rules;
  if (first === undefined) return <>No rules</>;
  const more = rules.length - 1;
  return (
    <>
      {ruleText(first)}: {first.passPercentage} %{more > 0 && `, and ${more} more`}
    </>
  );
}

const tones: Readonly<Record<string, "good" | "info" | "off">> = {
  active: "good",
  setup: "info",
  "In Progress": "info",
  Launched: "good",
};

/** The state of an entity, in words. */
export function StateBadge({ entity }: { entity: Entity }) {
  const status = entity.status ?? (isArchived(entity) ? "archived" : undefined);
  if (status === undefined) return null;
  return <Badge tone={tones[status] ?? "off"}>{stateLabel(status)}</Badge>;
}
