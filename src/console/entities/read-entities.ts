import { CONSOLE_CALLS_MAX } from "../../base/limits.js";
import { mapBounded } from "../../base/map-bounded.js";
import type { ConsoleClient } from "../client.js";
import type { ConsoleOperationName, PageOperationName } from "../operation.js";
import { bodyShape, type EntityKindRow, entityKindRows, fieldsOf } from "./entity-kinds.js";
import type { FoundEntity, Settings } from "./entity-settings.js";

/** The largest page size of the API. */
const PAGE_ITEMS = 1_000;

/** All entities of a console by kind. */
export type FoundEntities = ReadonlyMap<EntityKindRow, readonly FoundEntity[]>;

/** Reads every entity, archived ones too. Rejects like the client. */
export async function readEntities(
  client: ConsoleClient,
  signal: AbortSignal,
): Promise<FoundEntities> {
  const found = new Map<EntityKindRow, readonly FoundEntity[]>();
  for (const row of entityKindRows) {
    const entities = await listed(client, row, signal);
    const complete: FoundEntity[] = new Array(entities.length);
    await mapBounded([...entities.entries()], CONSOLE_CALLS_MAX, async ([index, entity]) => {
      signal.throwIfAborted();
      complete[index] = await completed(client, row, entity);
    });
    complete.sort((one, other) => (one.id < other.id ? -1 : 1));
    found.set(row, complete);
  }
  return found;
}

/** Reads one entity; undefined if it is not there. Rejects like the client. */
export async function readEntity(
  client: ConsoleClient,
  row: EntityKindRow,
  id: string,
  signal: AbortSignal,
): Promise<FoundEntity | undefined> {
  const entities = await listed(client, row, signal);
  const entity = entities.find((one) => row.id === undefined || one[row.id] === id);
  return entity && (await completed(client, row, entity));
}

async function listed(
  client: ConsoleClient,
  row: EntityKindRow,
  signal: AbortSignal,
): Promise<readonly Settings[]> {
  if (row.create === undefined) return [(await callOf(client, row.list)({ signal })).data];
  const archived = row.stateFields.length === 0 ? {} : { includeArchived: true };
  const entities: Settings[] = [];
  const input = { limit: PAGE_ITEMS, signal, ...archived };
  const pages = client.all(row.list as PageOperationName, input) as AsyncIterable<unknown>;
  for await (const entity of pages) entities.push(entity as Settings);
  return entities;
}

async function completed(
  client: ConsoleClient,
  row: EntityKindRow,
  entity: Settings,
): Promise<FoundEntity> {
  const id = String(entity[row.id ?? "id"]);
  const settings: Record<string, unknown> = {};
  for (const field of [...fieldsOf(row), ...row.stateFields]) {
    if (entity[field] !== undefined) settings[field] = entity[field];
  }
  const partVersions: Record<string, number> = {};
  for (const part of row.parts) {
    const read = await part.read(client, id, entity);
    if (read?.value !== undefined) settings[part.field] = read.value;
    if (read?.version !== undefined) partVersions[part.field] = read.version;
  }
  return { id, version: Number(entity["version"]), settings, partVersions };
}

/** A method of the client whose input was put together from the table of kinds. */
type AnyCall = (input: object) => Promise<{ readonly data: Settings; readonly etag?: string }>;

export function callOf(client: ConsoleClient, operation: ConsoleOperationName): AnyCall {
  return client[operation] as unknown as AnyCall;
}

/** Returns the fields that an update can change. */
export function updatableFields({ update }: EntityKindRow): ReadonlySet<string> {
  return new Set(Object.keys(bodyShape(update)));
}
