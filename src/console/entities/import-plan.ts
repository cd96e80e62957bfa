import { suggestion } from "../../base/schema.js";
import { faultsOf } from "../../contract/faults.js";
import { routes } from "../../contract/routes.js";
import { agree } from "./agreement.js";
import { creationOrder } from "./creation-order.js";
import { type EntityKindRow, entityKindRows, fieldsOf, type GivenFile } from "./entity-kinds.js";
import type { FoundEntity, Settings, Step } from "./entity-settings.js";
import { type FoundEntities, updatableFields } from "./read-entities.js";

interface FieldDifference {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

interface Planned {
  /** `gates`, `segments` … */
  readonly kind: string;
  /** The id of the entity, or the file if it has none. */
  readonly name: string;
  readonly file: string | undefined;
}

/** Calls in their order. The first one of a creation has the whole body. */
interface Work extends Planned {
  readonly row: EntityKindRow;
  /** The file that it is made from; absent in a removal. */
  readonly given?: GivenFile;
  readonly steps: readonly Step[];
}

export type ImportItem =
  | (Work & { readonly action: "create" })
  | (Work & {
      readonly action: "change" | "remove";
      readonly version: number;
      readonly differences: readonly FieldDifference[];
    })
  | (Planned & { readonly action: "unchanged" })
  | (Planned & { readonly action: "refused"; readonly reasons: readonly string[] });

export type ImportWork = Extract<ImportItem, Work>;

/** In the order of the calls. */
export type ImportPlan = readonly ImportItem[];

/**
 * Plans the calls that give a console the entities of files. Pure. What a file leaves out stays as it is.
 * With `prune`, entities without a file are archived, or removed if their kind has no archive; none of a
 * kind with a file that does not say which entity it is.
 */
export function planImport(
  files: readonly GivenFile[],
  found: FoundEntities,
  { prune }: { readonly prune: boolean },
): ImportPlan {
  const known = new Map(
    [...found].flatMap(([row, entities]) =>
      entities.map((one) => [keyOf(row, one.id), one] as const),
    ),
  );
  const taken = new Map<string, string>();
  const items = creationOrder(files).map((given): ImportItem => {
    const item = planFile(given, known);
    const key = keyOf(given.row, item.name);
    const other = taken.get(key);
    taken.set(key, given.file);
    if (other === undefined || item.action === "refused") return item;
    return refused(given, item.name, [`${other} has the same ${given.row.id ?? "name"}`]);
  });
  if (!prune) return items;
  // A file that cannot be read has its own name for that of its entity, which may be any of the kind.
  const unread = items.filter(({ action, name, file }) => action === "refused" && name === file);
  const unclear = new Set(unread.map(({ kind }) => kind));
  return [...items, ...pruned(found, taken, unclear)];
}

function keyOf({ directory }: EntityKindRow, id: string): string {
  return `${directory}/${id}`;
}

function refused(
  { file, row }: GivenFile,
  name: string,
  reasons: readonly string[],
): ImportItem & { readonly action: "refused" } {
  return { action: "refused", kind: row.directory, name, file, reasons };
}

function planFile(given: GivenFile, known: ReadonlyMap<string, FoundEntity>): ImportItem {
  const { row, file, content, fault } = given;
  if (fault !== undefined) return refused(given, file, [fault]);
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    return refused(given, file, ["must have one JSON object"]);
  }
  const wanted = content as Settings;
  const id = row.id === undefined ? row.directory : wanted[row.id];
  if (typeof id !== "string") return refused(given, file, [`${row.id}: Required, a text`]);
  const fields = [...fieldsOf(row), ...row.stateFields, ...row.parts.map(({ field }) => field)];
  const unknown = Object.keys(wanted).filter((field) => !fields.includes(field));
  if (unknown.length > 0) {
    return refused(
      given,
      id,
      unknown.map((field) => `${field}: unknown${suggestion(field, fields)}`),
    );
  }
  const before = known.get(keyOf(row, id));
  return before === undefined ? planCreation(given, id, wanted) : planChange(given, wanted, before);
}

function planCreation(given: GivenFile, id: string, wanted: Settings): ImportItem {
  const { row, file } = given;
  // Further calls set the other fields of the state.
  const fields = fieldsOf(row).filter((field) => wanted[field] !== undefined && field !== "status");
  const body = picked(wanted, fields);
  const create = row.create ?? row.update;
  const reasons = faultsIn(create, body);
  if (reasons.length > 0) return refused(given, id, reasons);
  const steps = [
    { operation: create, body },
    ...partSteps(row, wanted, undefined),
    ...(row.state?.(wanted, undefined).after ?? []),
  ];
  return { action: "create", kind: row.directory, name: id, file, row, given, steps };
}

function planChange(given: GivenFile, wanted: Settings, found: FoundEntity): ImportItem {
  const { row, file } = given;
  const facts = { kind: row.directory, name: found.id, file };
  const {
    before = [],
    after = [],
    settings = found.settings,
  } = row.state?.(wanted, found.settings) ?? {};
  const changed = fieldsOf(row).filter(
    (field) =>
      !row.stateFields.includes(field) &&
      wanted[field] !== undefined &&
      !agree(wanted[field], settings[field], field),
  );
  const updatable = updatableFields(row);
  const fixed = changed.filter((field) => !updatable.has(field));
  if (fixed.length > 0) {
    const reason = (field: string) => `${field}: cannot be changed after the creation`;
    return refused(given, found.id, fixed.map(reason));
  }
  const body = picked(wanted, changed);
  const reasons = changed.length > 0 ? faultsIn(row.update, body) : [];
  if (reasons.length > 0) return refused(given, found.id, reasons);
  const update = changed.length > 0 ? [{ operation: row.update, body }] : [];
  const steps = [...before, ...update, ...partSteps(row, wanted, found), ...after];
  if (steps.length === 0) return { action: "unchanged", ...facts };
  const shown = Object.keys(wanted).filter(
    (field) => !agree(wanted[field], found.settings[field], field),
  );
  const differences = shown.map((field) => ({
    field,
    before: found.settings[field],
    after: wanted[field],
  }));
  return { action: "change", ...facts, row, given, steps, version: found.version, differences };
}

function partSteps(
  { parts }: EntityKindRow,
  wanted: Settings,
  found: FoundEntity | undefined,
): readonly Step[] {
  return parts.flatMap((part) =>
    wanted[part.field] === undefined ? [] : part.steps(wanted, found),
  );
}

function picked(settings: Settings, fields: readonly string[]): Settings {
  return Object.fromEntries(fields.map((field) => [field, settings[field]]));
}

/** Returns the faults of a body: `rules[0].name: Required`. */
function faultsIn(operation: Step["operation"], body: Settings): readonly string[] {
  const checked = routes[operation].body.safeParse(body, { reportInput: true });
  if (checked.success) return [];
  return faultsOf(checked.error).map((one) => `${one.property}: ${one.errorMessage}`);
}

function pruned(
  found: FoundEntities,
  taken: ReadonlyMap<string, string>,
  unclear: ReadonlySet<string>,
): ImportItem[] {
  const rows = entityKindRows.filter(({ directory }) => !unclear.has(directory));
  // An entity that others name is removed after them.
  return rows.reverse().flatMap((row) =>
    (found.get(row) ?? []).flatMap(({ id, version, settings }): ImportItem[] => {
      const { remove } = row;
      if (remove === undefined || taken.has(keyOf(row, id)) || isArchived(settings)) return [];
      const body = remove.startsWith("archive") ? { body: { forceArchive: true } } : {};
      const steps = [{ operation: remove, ...body }];
      const facts = { kind: row.directory, name: id, file: undefined, row, steps, version };
      return [{ action: "remove", ...facts, differences: [] }];
    }),
  );
}

/**
 * Returns the steps that an item still needs, with its entity as it was read again. Undefined: it needs other
 * calls than those of files.
 */
export function stepsLeft(
  { row, given }: ImportWork,
  entity: FoundEntity | undefined,
): readonly Step[] | undefined {
  if (given === undefined) {
    return entity === undefined || isArchived(entity.settings) ? [] : undefined;
  }
  const found = new Map([[row, entity === undefined ? [] : [entity]]]);
  const [item] = planImport([given], found, { prune: false });
  if (item?.action === "unchanged") return [];
  return item?.action === "change" ? item.steps : undefined;
}

function isArchived({ isArchived, status }: Settings): boolean {
  return isArchived === true || String(status).toLowerCase() === "archived";
}
