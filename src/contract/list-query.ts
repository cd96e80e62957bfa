import { z } from "zod";
import { pageQuery } from "./common.js";
import { type AnyObject, list, queryFlag } from "./fields.js";

const SEVERAL =
  "Several values mean any of them: separated by commas, or repeated, which keeps their commas.";

/** Values of a filter, repeated in a query or separated by commas. An entity needs one of them. */
const filter = (description: string) =>
  z
    .union([z.string(), list(z.string())], { error: () => "Expected text" })
    .transform((given): readonly string[] =>
      typeof given === "string" ? alternatives(given) : given,
    )
    .describe(`${description} ${SEVERAL}`)
    .exactOptional();

/** A filter on a field that has only known values, in any case. No entity has another one. */
export const knownFilter = (description: string, known: readonly string[]) =>
  z
    .union([z.string(), list(z.string())], { error: () => "Expected text" })
    .transform((given): readonly string[] =>
      typeof given === "string" ? given.split(",").map((part) => part.trim()) : given,
    )
    .check(({ value, issues }) => {
      const unknown = value.find((text) => !known.some((word) => isSameWord(word, text)));
      if (unknown === undefined) return;
      const message = `Expected one of ${known.join(", ")}; received ${JSON.stringify(unknown)}`;
      issues.push({ code: "custom", message, input: value });
    })
    .describe(`${description} One of: ${known.join(", ")}. ${SEVERAL}`)
    .exactOptional();

function isSameWord(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

export const statusFilter = (known: readonly string[]) =>
  knownFilter("Only entities in this state. `archived` lists archived ones.", known);

export const typeFilter = (known: readonly string[]) =>
  knownFilter("Only entities of this type.", known);

/** Returns the parts between commas, and the whole text too: a tag may contain a comma. */
function alternatives(text: string): string[] {
  const parts = text.split(",").map((part) => part.trim());
  return [...new Set([text, ...parts])].filter((part) => part !== "");
}

/**
 * The query of a list with every filter. A resource omits filters on fields that it lacks, and names the
 * values of its own types and states.
 */
export const listQuery = pageQuery.extend({
  tags: filter("Only entities with one of these tags."),
  type: typeFilter([]),
  idType: filter("Only entities of this ID type."),
  status: statusFilter(["active", "archived"]),
  creatorID: filter("Only entities of the creator with this identifier."),
  creatorName: filter("Only entities of this creator."),
  lastModifierName: filter("Only entities that this writer changed last."),
  targetAppID: filter("Only entities that this application uses."),
  layerID: filter("Only experiments of this layer."),
  search: z
    .string()
    .describe("Only entities with this text in name, id or description; case does not matter.")
    .exactOptional(),
  includeArchived: queryFlag("List archived entities too."),
});

export type ListQuery = z.output<typeof listQuery>;

/** Values of an entity or of a query, by filter. Those of `foldedFilters` are in lower case. */
type FilterValues = Readonly<Record<string, readonly string[]>>;

/** The filters of a list, as the store applies them. */
export interface ListFilter {
  readonly archived: boolean;
  /** An entity needs one value of each filter. */
  readonly values: FilterValues;
  /** In lower case; empty for all. */
  readonly search: string;
}

/** The field of an entity that each filter compares. */
const filterFields = {
  tags: "tags",
  type: "type",
  idType: "idType",
  status: "status",
  creatorID: "creatorID",
  creatorName: "creatorName",
  lastModifierName: "lastModifierName",
  targetAppID: "targetApps",
  layerID: "layerID",
} as const;

/** Filters whose values are words of the service: case does not matter. */
const foldedFilters: ReadonlySet<string> = new Set(["type", "status"]);

const ARCHIVED = "archived";

/** Returns the filter that the query of a list asks for. */
export function listFilterOf(query: Partial<ListQuery>): ListFilter {
  const values: Record<string, readonly string[]> = {};
  for (const name of Object.keys(filterFields) as (keyof typeof filterFields)[]) {
    const given = query[name];
    if (given !== undefined) values[name] = given.map((value) => folded(name, value));
  }
  return {
    archived: query.includeArchived === true || values["status"]?.includes(ARCHIVED) === true,
    values,
    search: query.search?.toLowerCase() ?? "",
  };
}

/** Returns the values of an entity that filters compare. */
export function filterValuesOf(body: AnyObject): FilterValues {
  const values: Record<string, readonly string[]> = {};
  for (const [name, field] of Object.entries(filterFields)) {
    const given = [field === "status" ? statusOf(body) : body[field]].flat();
    const texts = given.filter((value) => typeof value === "string");
    if (texts.length > 0) values[name] = texts.map((value) => folded(name, value));
  }
  return values;
}

/** Returns the text that `search` looks in. */
export function searchTextOf({ id, name, description }: AnyObject): string {
  const texts = [name, id, description].filter((value) => typeof value === "string");
  return texts.join("\n").toLowerCase();
}

export function isArchived(body: AnyObject): boolean {
  return folded("status", statusOf(body)) === ARCHIVED;
}

/** Gates and experiments have a status, other entities only `isArchived`. */
function statusOf({ status, isArchived }: AnyObject): string {
  if (typeof status === "string") return status;
  return isArchived === true ? ARCHIVED : "active";
}

function folded(name: string, value: string): string {
  return foldedFilters.has(name) ? value.toLowerCase() : value;
}
