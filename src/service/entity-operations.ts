import type { EntityKind } from "../contract/entity-kind.js";
import type { JsonObject } from "../contract/fields.js";
import type { KeyRecord } from "../storage/key-store.js";
import type { EntityKey, EntityRecord, Store } from "../storage/store.js";
import type { Answer, CallFacts, IfMatch } from "./handler.js";
import { KeyedLock } from "./keyed-lock.js";
import { type ListCall, pageAnswer, sliceOf } from "./pagination.js";
import { notFound, ServiceError, taken } from "./service-error.js";

/** Name that the service gives to those who write through its API. */
export const ACTOR_NAME = "CONSOLE API";

/** Times that a change is made anew on what another process wrote meanwhile. */
const CHANGE_ATTEMPTS_MAX = 8;

/** What every entity shows, whatever its kind. */
export interface EntityBody {
  readonly name: string;
  readonly version: number;
  readonly createdTime: number;
  readonly lastModifiedTime: number;
  readonly lastModifierID: string | null;
  readonly lastModifierName: string | null;
  readonly lastModifierEmail: string | null;
}

/** What the operations have to know of a kind of entity. */
export interface EntityType<Body extends EntityBody> {
  readonly kind: EntityKind;
  /** In messages: `Gate not found.` */
  readonly title: string;
  idOf(body: Body): string;
  /** What the entity points at. */
  referencesOf(body: Body): readonly EntityKey[];
}

/** Who writes, and when. */
export interface Stamp {
  readonly caller: KeyRecord;
  /** ms since the epoch. */
  readonly time: number;
}

export interface OperationOptions {
  /** Answers as the real call would, and keeps nothing. */
  readonly dryRun?: boolean;
}

export interface ChangeOptions extends OperationOptions {
  /** Refused while another entity points at this one. */
  readonly unreferenced?: boolean;
}

/** What one does with entities, alike for every kind. Throws `ServiceError`. */
export class EntityOperations {
  readonly #store: Pick<Store, "entities" | "history">;
  readonly #now: () => number;
  readonly #lock = new KeyedLock();

  /** `now` gives ms since the epoch. */
  constructor(store: Pick<Store, "entities" | "history">, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Keeps what `build` makes as version 1. */
  async create<Body extends EntityBody>(
    type: EntityType<Body>,
    { caller }: Pick<CallFacts, "caller">,
    build: (stamp: Stamp) => Body | Promise<Body>,
    { dryRun = false }: OperationOptions = {},
  ): Promise<Answer> {
    const body = await build({ caller, time: this.#now() });
    const outcome = await this.#store.entities.insert(recordOf(type, body), { rehearse: dryRun });
    switch (outcome) {
      case "inserted":
        return entityAnswer(body);
      case "id_taken":
        throw taken("id");
      case "name_taken":
        throw taken("name");
    }
  }

  async read<Body extends EntityBody>(type: EntityType<Body>, id: string): Promise<Answer> {
    return entityAnswer(await this.#get(type, id));
  }

  async list<Body extends EntityBody>(type: EntityType<Body>, call: ListCall): Promise<Answer> {
    const page = await this.#store.entities.list(type.kind, sliceOf(call.query));
    return pageAnswer(call, { ...page, items: page.items.map(({ body }) => body) });
  }

  async versions<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    call: ListCall,
  ): Promise<Answer> {
    await this.#get(type, id);
    const key = { kind: type.kind, id };
    return pageAnswer(call, await this.#store.history.versions(key, sliceOf(call.query)));
  }

  /** Entities that point at this one, as `show` puts them. */
  async referrers<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    call: ListCall,
    show: (record: EntityRecord) => JsonObject,
  ): Promise<Answer> {
    await this.#get(type, id);
    const key = { kind: type.kind, id };
    const page = await this.#store.history.referrers(key, sliceOf(call.query));
    return pageAnswer(call, { ...page, items: page.items.map(show) });
  }

  /**
   * Keeps what `change` makes of the present state as its next version. Changes of one entity wait for
   * each other, and one that another process got ahead of is made anew on what that process wrote:
   * `change` may run several times.
   */
  change<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    { caller, ifMatch }: Pick<CallFacts, "caller" | "ifMatch">,
    change: (current: Body, stamp: Stamp) => Body | Promise<Body>,
    { dryRun = false, unreferenced = false }: ChangeOptions = {},
  ): Promise<Answer> {
    return this.#lock.run(`${type.kind}/${id}`, async () => {
      for (let attempt = 0; attempt < CHANGE_ATTEMPTS_MAX; attempt += 1) {
        const current = await this.#get(type, id);
        requireMatch(ifMatch, current.version);
        const stamp = { caller, time: this.#now() };
        const next = stamped(await change(current, stamp), current.version + 1, stamp);
        const outcome = await this.#store.entities.replace(recordOf(type, next), {
          version: current.version,
          rehearse: dryRun,
          unreferenced,
        });
        switch (outcome) {
          case "replaced":
            return entityAnswer(next);
          case "name_taken":
            throw taken("name");
          case "referenced":
            throw await this.#referencedError(type, id);
          case "stale":
        }
      }
      throw collision(type.title);
    });
  }

  async remove<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    { ifMatch }: Pick<CallFacts, "ifMatch">,
  ): Promise<Answer> {
    return this.#lock.run(`${type.kind}/${id}`, async () => {
      for (let attempt = 0; attempt < CHANGE_ATTEMPTS_MAX; attempt += 1) {
        const { version } = await this.#get(type, id);
        requireMatch(ifMatch, version);
        if (await this.#store.entities.remove({ kind: type.kind, id }, { version })) {
          return { content: {} };
        }
      }
      throw collision(type.title);
    });
  }

  async #get<Body extends EntityBody>({ kind, title }: EntityType<Body>, id: string) {
    const record = await this.#store.entities.get({ kind, id });
    if (record === undefined) throw notFound(title);
    // What the store gives back is what one of these operations put there.
    return record.body as unknown as Body;
  }

  async #referencedError<Body extends EntityBody>(type: EntityType<Body>, id: string) {
    const key = { kind: type.kind, id };
    const { items, totalItems } = await this.#store.history.referrers(key, { start: 0, count: 3 });
    const names = items.map(({ kind, id }) => `${kind.replace("_", " ")} ${id}`).join(", ");
    const more = totalItems > items.length ? ` and ${totalItems - items.length} more` : "";
    return new ServiceError({
      status: 400,
      message: `${type.title} is referenced by ${names}${more}: remove the references, or archive it with forceArchive.`,
    });
  }
}

function recordOf<Body extends EntityBody>(type: EntityType<Body>, body: Body): EntityRecord {
  return {
    kind: type.kind,
    id: type.idOf(body),
    name: body.name,
    version: body.version,
    createdTime: body.createdTime,
    body: body as unknown as JsonObject,
    references: type.referencesOf(body),
  };
}

function stamped<Body extends EntityBody>(body: Body, version: number, stamp: Stamp): Body {
  return {
    ...body,
    version,
    lastModifiedTime: stamp.time,
    lastModifierID: stamp.caller.id,
    lastModifierName: ACTOR_NAME,
    lastModifierEmail: null,
  };
}

function entityAnswer(body: EntityBody): Answer {
  return { content: { data: body }, version: body.version };
}

function requireMatch(ifMatch: IfMatch, version: number): void {
  if (ifMatch === undefined || ifMatch === "*" || ifMatch.includes(String(version))) return;
  throw new ServiceError({
    status: 412,
    message: `If-Match names ${ifMatch.join(", ")}, but the version is ${version}: read it again.`,
  });
}

function collision(title: string): ServiceError {
  return new ServiceError({
    status: 409,
    message: `${title} is being changed by another writer: read it and try again.`,
  });
}
