import { useEffect, useRef, useState } from "preact/hooks";
import { FilterField, Filters } from "../../ui/filters.js";
import { useLoad } from "../../ui/use-load.js";
import { api } from "../api/client.js";
import type { Entity, Kind } from "../editing/kinds.js";

const SEARCH_DELAY_MS = 200;
const TAGS_SUGGESTED_MAX = 1_000;

/** The filters of the address, with the names that the API has for them. */
const parameters = {
  search: "search",
  status: "status",
  type: "type",
  tag: "tags",
  idType: "idType",
  creator: "creatorName",
  changedBy: "lastModifierName",
} as const;

type FilterName = keyof typeof parameters;
/** Filters with a value. In a change, an empty text removes a filter. */
export type ListFilters = Readonly<Partial<Record<FilterName, string>>>;

type Options = readonly (readonly [value: string, label: string])[];

/** The states that a list can be narrowed to, by the value of the API. */
const states: Readonly<Record<string, Options>> = {
  gates: [
    ["In Progress", "In progress"],
    ["Launched", "Launched"],
    ["Disabled", "Off"],
    ["Archived", "Archived"],
  ],
  experiments: [
    ["setup", "In setup"],
    ["active", "Running"],
    ["decision_made", "Decided"],
    ["experiment_stopped", "Experiment stopped"],
    ["assignment_stopped", "Assignment stopped"],
    ["abandoned", "Abandoned"],
    ["archived", "Archived"],
  ],
};

const commonStates = [["archived", "Archived"]] as const;

/** The types of the kinds that have several. */
const types: Readonly<Record<string, Options>> = {
  gates: [
    ["PERMANENT", "Permanent"],
    ["TEMPORARY", "Temporary"],
  ],
  segments: [
    ["rule_based", "Rules"],
    ["id_list", "List of IDs"],
    ["user_store_id_list", "List of IDs in the user store"],
    ["analysis_list", "List for analysis"],
  ],
};

/** Filters that are folded away until one is used. */
const rare = ["idType", "creator", "changedBy"] as const;

const hasIDType = (kind: Kind) => kind.root !== "qualifying-events";

/** Returns a state in words. */
export function stateLabel(status: string): string {
  const all = Object.values(states).flat();
  return all.find(([value]) => value === status)?.[1] ?? status.replaceAll("_", " ");
}

/** Returns the filters of an address that the lists of the kind have. */
export function filtersOf(kind: Kind, query: Readonly<Record<string, string>>): ListFilters {
  const isKnown = (name: string) =>
    (name !== "type" || types[kind.root] !== undefined) && (name !== "idType" || hasIDType(kind));
  const names = Object.keys(parameters).filter(isKnown);
  const given = names.map((name) => [name, query[name] ?? ""]).filter(([, value]) => value !== "");
  return Object.fromEntries(given) as ListFilters;
}

/** Returns the filters as the API takes them. */
export function listInput(filters: ListFilters): Readonly<Record<string, string>> {
  const given = Object.entries(filters) as [FilterName, string][];
  return Object.fromEntries(given.map(([name, value]) => [parameters[name], value]));
}

interface ListFilterRowProps {
  readonly kind: Kind;
  readonly filters: ListFilters;
  /** The entities on the page. Their tags and people are suggested. */
  readonly listed: readonly Entity[];
  readonly onChange: (changed: ListFilters, isTyping: boolean) => void;
}

/** All filters of a list. The service applies them, so they hold for all pages. */
export function ListFilterRow({ kind, filters, listed, onChange }: ListFilterRowProps) {
  const tags = useLoad("tags", (signal) => api.listTags({ limit: TAGS_SUGGESTED_MAX, signal }));
  const suggestions = {
    tag: [...(tags.value?.data ?? []).map(({ name }) => name), ...listed.flatMap(tagsOf)],
    idType: ["userID", "stableID", ...listed.map(({ idType }) => idType)],
    creator: listed.map(({ creatorName }) => creatorName),
    changedBy: listed.map(({ lastModifierName }) => lastModifierName),
  };
  const choice = (name: "status" | "type", label: string, all: string, options: Options) => (
    <label class="inline-field">
      {label}
      <select
        value={filters[name] ?? ""}
        onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value }, false)}
      >
        <option value="">{all}</option>
        {options.map(([word, text]) => (
          <option key={word} value={word}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  const text = (name: keyof typeof suggestions, label: string) => (
    <FilterField
      label={label}
      value={filters[name] ?? ""}
      suggestions={distinct(suggestions[name])}
      onCommit={(value) => onChange({ [name]: value }, false)}
    />
  );
  const ownTypes = types[kind.root];
  return (
    <Filters>
      <SearchBox
        label={`Search ${kind.plural} by name, ID or description`}
        value={filters.search ?? ""}
        onSearch={(search) => onChange({ search }, true)}
      />
      {choice("status", "State", "All but archived", states[kind.root] ?? commonStates)}
      {ownTypes !== undefined && choice("type", "Type", "All", ownTypes)}
      {text("tag", "Tag")}
      <details class="more-filters" open={rare.some((name) => filters[name] !== undefined)}>
        <summary>More filters</summary>
        <div class="filters">
          {hasIDType(kind) && text("idType", "ID type")}
          {text("creator", "Created by")}
          {text("changedBy", "Changed by")}
        </div>
      </details>
      {Object.keys(filters).length > 0 && <a href={`/${kind.root}`}>Clear filters</a>}
    </Filters>
  );
}

function tagsOf({ tags = [] }: Entity): readonly string[] {
  return tags;
}

function distinct(texts: readonly (string | null | undefined)[]): readonly string[] {
  return [...new Set(texts.filter((text) => typeof text === "string"))].sort();
}

/** Elements in which a key is text. */
const typing = "input, textarea, select, .value-editor";

interface SearchBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** Searches a moment after the last key. The key `/` leads to it from anywhere on the page. */
function SearchBox({ label, value, onSearch }: SearchBoxProps) {
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onSearch(text), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => setText(value), [value]);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target } = event;
      if (event.key !== "/" || (target instanceof Element && target.matches(typing))) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <input
      ref={input}
      aria-keyshortcuts="/"
      type="search"
      aria-label={label}
      placeholder="Search"
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}
